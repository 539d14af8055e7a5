// The command `gateway`.

import type { Command } from "commander";

const notes = `
A gateway serves clients on a machine of its own and sends their orders to the venue that leads, over NATS.
It reads the leader's database and writes what fronts write, such as API keys. Settings:
  NATS_URL               servers of the bus, such as tls://bus-1.internal:4222,tls://bus-2.internal:4222
  NATS_CA_FILE           certificates that sign the servers' certificates
  NATS_NKEY_FILE         this gateway's NKey seed, or NATS_CREDENTIALS_FILE
  DATABASE_URL           the leader's database, with a login of gateways (docs/ops/gateway-rights.sql)
  SYNCHRONOUS_STANDBY    as at the leader
  MASTER_KEY             the leader's master key
  VENUE_NAME             the leader's name
  DATA_DIR               a folder of this gateway's own
  HOST, PORT             where clients or the load balancer connect
  FIX_PORT               where FIX sessions connect, with FIX_TLS_CERT and FIX_TLS_KEY
  FIX_MARKET_DATA_PORT   where FIX sessions for market data connect, with the same
  PUBLIC_URL             the URL that clients use; logins are signed for its host
  TRUSTED_PROXIES        load balancers, which tell the clients' addresses, and monitors
Without a leader a gateway waits for one. A running gateway that loses its leader holds requests until their
deadline (GATEWAY_TIMEOUT_MS).

Example:
  $ NATS_URL=tls://bus.internal:4222 DATABASE_URL=postgres://… MASTER_KEY=… rialto gateway

rialto doctor --gateway checks these settings.`;

export function addGateway(program: Command): void {
  program
    .command("gateway")
    .description("serve clients for a venue that runs elsewhere, until Ctrl-C")
    .addHelpText("after", notes)
    .action(async () => {
      const { runGateway } = await import("./gateway.ts");
      await runGateway(process.env);
    });
}
