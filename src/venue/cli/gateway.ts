// `gateway`: opens a gateway, waits until it answers, prints its address, and closes it on the first signal.

import type { Command } from "commander";
import { controlSocketPath, openControlSocket } from "../../adapters/runtime/control-socket.ts";
import { type Config, readConfig } from "../config/config.ts";
import { GatewayProcess } from "../gateway/gateway-process.ts";
import { runningSince } from "../program-version.ts";
import { closeOnSignals, startFault, untilPing } from "./start.ts";
import { ExitCode, logOf, say, show, speaksJson } from "./terminal/output.ts";
import { addressOf } from "./venue-address.ts";

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
    .action(() => runGateway(process.env));
}

async function runGateway(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  const log = logOf(config, "gateway");
  let opened: GatewayProcess | null = null;
  const onLocked = () => {
    openControl(config, () => opened).catch((err) => log.error({ err }, "no status can be shown"));
    if (!speaksJson()) say(`Waiting for the leader of the venue called ${config.venueName}.`);
  };
  const opening = GatewayProcess.open(config, log, { onLocked }).catch((error) => {
    throw startFault(error, config) ?? error;
  });
  const signals = closeOnSignals(async () => {
    // A gateway that waits for a leader holds nothing that must be finished.
    if (opened !== null) await opened.close();
  });
  const gateway = await opening;
  opened = gateway;
  gateway.whenFaulted((fault) => {
    log.error({ err: fault }, "a thread ended: stopping the gateway");
    void gateway.abort().finally(() => process.exit(ExitCode.failed));
  });
  gateway.whenOutdated(() => {
    log.warn(
      {},
      "the leader has new markets: this gateway ends, and knows them when it is started again",
    );
    void gateway.close().finally(() => process.exit(ExitCode.deposed));
  });
  const address = addressOf(config.host, gateway.port);
  await untilPing(address);
  if (signals.isClosing()) return;
  if (speaksJson()) show({ address, journal_seq: gateway.committedSeq });
  else say(`The gateway is open at ${address}, at event ${gateway.committedSeq}`);
}

/** Opens the control socket: a gateway tells its status and refuses everything else. */
async function openControl(config: Config, opened: () => GatewayProcess | null): Promise<void> {
  await openControlSocket(controlSocketPath(config.dataDir), async (call) => {
    if (call === "ping") return {};
    if (call === "status") return statusOf(config, opened());
    throw new Error("this is a gateway: run the command where the leader runs");
  });
}

function statusOf({ host, venueName }: Config, gateway: GatewayProcess | null): object {
  return {
    is_running: true,
    ...runningSince(),
    role: "gateway",
    venue: venueName,
    state: gateway === null ? "waits for the leader" : "serves",
    ...(gateway !== null && {
      address: addressOf(host, gateway.port),
      committed_seq: gateway.committedSeq,
    }),
    pid: process.pid,
  };
}
