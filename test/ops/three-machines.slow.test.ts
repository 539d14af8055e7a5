// Follows docs/guides/run-on-three-machines.md as a new operator: the whole cluster with two venues, two gateways and the
// clients' load balancer, by the files of deploy/. While clients trade, every part is killed or cut off in turn, the
// leadership is handed over, and everything is upgraded. Nothing acknowledged may be lost or executed twice.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { callControl, controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import { until } from "../epochs/epoch-waits.ts";
import type { Json } from "../support/client/json.ts";
import { BalancedClients, type ClientKey } from "../support/cluster/balanced-client.ts";
import { Cluster } from "../support/cluster/cluster.ts";
import { ports } from "../support/cluster/cluster-programs.ts";
import {
  DeployedVenues,
  dataFolderOf,
  roleOf,
  untilLeading,
} from "../support/cluster/deployed-venues.ts";
import type { Host } from "../support/cluster/host.ts";
import { installPrograms } from "../support/cluster/programs.ts";
import { operate, signalRialto } from "../support/cluster/venue-programs.ts";

const missing = process.platform === "linux" ? await installPrograms() : ["Linux"];
const skip = missing.length === 0 ? false : `missing: ${missing.join(", ")}`;
let cluster: Cluster;
let deployed: DeployedVenues;
let clients: BalancedClients;

before(async () => {
  if (skip === false) cluster = await Cluster.start();
});
after(async () => {
  await cluster?.heal();
  await clients?.stop();
  await cluster?.close();
});

async function newTrader(leader: Host): Promise<ClientKey> {
  const call = async (name: string, parameters: object) => {
    const socket = controlSocketPath(dataFolderOf(leader));
    const answer = (await callControl(socket, name, parameters)) as Json;
    assert(answer.isOk, JSON.stringify(answer));
    return answer.result;
  };
  const { account } = await call("accounts/create", { type: "standard" });
  await call("accounts/fund", { account, wallet: "spot", asset: "USDC", amount: "1000000" });
  const { api_key: key, secret } = await call("keys/create", { account, tier: "house" });
  return { key, secret };
}

async function assertNothingLost(): Promise<void> {
  const told = clients.told.map(({ clientId }) => clientId);
  const sql = openPostgres({ url: cluster.databaseUrl() }, "queries");
  try {
    const rows = await sql<{ client_id: string; count: string }[]>`
      select client_id, count(*) from orders where client_id = any (${`{${told.join(",")}}`}::text[])
      group by client_id`;
    const found = new Map(rows.map(({ client_id, count }) => [client_id, Number(count)]));
    assert.deepEqual(
      told.filter((id) => found.get(id) !== 1),
      [],
    );
    const [journal] = await sql<{ gaps: string }[]>`
      select max(seq) - count(*) as gaps from journal`;
    assert.equal(Number(journal?.gaps), 0);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

test("a new operator starts venues, gateways and the load balancer, and clients trade", {
  skip,
}, async (t) => {
  deployed = await DeployedVenues.start(cluster, { venue: { DEV_TOOLS: "1" } });
  const { leader } = await deployed.untilBoth();
  const { balancer } = deployed;
  const keys = await Promise.all(Array.from({ length: 8 }, () => newTrader(leader)));
  const ca = await readFile(balancer.certificate.caFile);
  clients = new BalancedClients({ host: balancer.address, port: ports.clients, ca }, keys);
  const startedMs = performance.now();
  t.diagnostic(`acknowledgements after at most ${await clients.outage(startedMs)} ms`);
  assert.match(await operate(leader, "status"), /leader/);
});

/** Runs one fault, and checks that trading goes on and that nothing is lost. */
function fault(name: string, work: () => Promise<(() => Promise<void>) | undefined>): void {
  test(name, { skip }, async (t) => {
    const startedMs = performance.now();
    const mend = await work();
    t.diagnostic(`no acknowledgement for ${await clients.outage(startedMs)} ms`);
    await mend?.();
    t.diagnostic(`other answers so far: ${JSON.stringify([...clients.others])}`);
    await deployed.untilBoth();
    await deployed.untilServing();
    await assertNothingLost();
  });
}

fault("the leader's process is killed", async () => {
  const { leader } = await deployed.untilBoth();
  await signalRialto(leader, "SIGKILL");
  return undefined;
});

fault("the leadership is handed over", async () => {
  const { leader, follower } = await deployed.untilBoth();
  await operate(leader, "handover");
  await untilLeading(follower);
  return undefined;
});

fault("the leader's machine is cut off", async () => {
  if (cluster.kind === "loopback") return undefined;
  const { leader } = await deployed.untilBoth();
  await cluster.cut(leader);
  await sleep(1_000);
  return () => cluster.mend(leader);
});

fault("a gateway's machine is lost", async () => {
  const [gateway] = deployed.gateways;
  await gateway?.kill();
  return async () => gateway?.start();
});

fault("a NATS server is lost", async () => {
  const [server] = cluster.nats;
  await server?.kill();
  return async () => server?.start();
});

fault("the primary's PostgreSQL is killed", async () => {
  const { primary } = await cluster.untilReplicated();
  await primary.killData();
  await sleep(1_000);
  return async () => {
    await cluster.untilReplicated();
  };
});

fault("follower, gateways and leader are upgraded one after the other", async () => {
  const { leader, follower } = await deployed.untilBoth();
  await signalRialto(follower, "SIGTERM");
  await until("the follower to stop", async () =>
    (await roleOf(follower)) === null ? true : null,
  );
  await deployed.untilBoth();
  for (const gateway of deployed.gateways) {
    await signalRialto(gateway, "SIGTERM");
    await until(`${gateway.name} to stop`, async () =>
      (await deployed.healthOf(gateway)) === 200 ? null : true,
    );
    await deployed.untilServing(gateway);
  }
  await operate(leader, "handover");
  await untilLeading(follower);
  return undefined;
});
