// Follows docs/guides/run-on-three-machines.md as a new operator: the whole cluster with two venues, two gateways and the
// clients' load balancer, by the files of deploy/. While clients trade, every part is killed or cut off in turn, the
// leadership is handed over, and everything is upgraded. Nothing acknowledged may be lost or executed twice.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { callControl, controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import { until } from "../epochs/epoch-waits.ts";
import type { Json } from "../support/client/json.ts";
import { BalancedClients, type ClientKey } from "../support/cluster/balanced-client.ts";
import { Cluster } from "../support/cluster/cluster.ts";
import { ports } from "../support/cluster/cluster-programs.ts";
import type { Host } from "../support/cluster/host.ts";
import { installPrograms } from "../support/cluster/programs.ts";
import {
  addBalancer,
  addGateway,
  addVenue,
  operate,
  signalRialto,
} from "../support/cluster/venue-programs.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const missing = process.platform === "linux" ? await installPrograms() : ["Linux"];
const skip = missing.length === 0 ? false : `missing: ${missing.join(", ")}`;
const secrets = {
  masterKey: randomBytes(32).toString("hex"),
  publicUrl: "https://venue.example",
};
const gatewayPorts = { "gateway-a": 8081, "gateway-b": 8082 } as const;

let cluster: Cluster;
let clients: BalancedClients;

before(async () => {
  if (skip === false) cluster = await Cluster.start();
});
after(async () => {
  await cluster?.heal();
  await clients?.stop();
  await cluster?.close();
});

const venues = () => ["venue-a", "venue-b"].map((name) => cluster.host(name));
const gateways = () => Object.keys(gatewayPorts).map((name) => cluster.host(name));

async function roleOf(host: Host): Promise<string | null> {
  const socket = controlSocketPath(join(host.folder, "data"));
  const answer = await callControl(socket, "status").catch(() => null);
  return answer?.isOk ? (answer.result as Json).role : null;
}

/** Waits until one venue leads and the other follows. */
function untilBoth(): Promise<{ readonly leader: Host; readonly follower: Host }> {
  return until("a leader and a follower", async () => {
    const [a, b] = venues();
    if (a === undefined || b === undefined) return null;
    const roles = await Promise.all([roleOf(a), roleOf(b)]);
    if (roles[0] === "leader" && roles[1] === "follower") return { leader: a, follower: b };
    if (roles[1] === "leader" && roles[0] === "follower") return { leader: b, follower: a };
    return null;
  });
}

async function healthOf(gateway: Host): Promise<number | null> {
  const port = gatewayPorts[gateway.name as keyof typeof gatewayPorts];
  const options = { signal: AbortSignal.timeout(1_000) };
  const response = await fetch(`http://${gateway.address}:${port}/health`, options).catch(
    () => null,
  );
  return response?.status ?? null;
}

const untilServing = (gateway: Host) =>
  until(`${gateway.name} to serve`, async () => ((await healthOf(gateway)) === 200 ? true : null));

async function newTrader(leader: Host): Promise<ClientKey> {
  const call = async (name: string, parameters: object) => {
    const socket = controlSocketPath(join(leader.folder, "data"));
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
  const development = { DEV_TOOLS: "1" };
  for (const name of ["venue-a", "venue-b"]) await addVenue(cluster, name, secrets, development);
  const { leader } = await untilBoth();
  const rights = await readFile(join(projectRoot, "docs/ops/gateway-rights.sql"), "utf8");
  const login = cluster.databaseUrl();
  await leader.call("psql", ["-qX", "-v", "gateway=rialto_gateway", login], rights);
  for (const [name, port] of Object.entries(gatewayPorts))
    await addGateway(cluster, name, secrets, port);
  for (const gateway of gateways()) await untilServing(gateway);
  const [a = "", b = ""] = Object.entries(gatewayPorts).map(
    ([name, port]) => `${cluster.host(name).address}:${port}`,
  );
  const balancer = await addBalancer(cluster, [a, b]);
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
    await untilBoth();
    for (const gateway of gateways()) await untilServing(gateway);
    await assertNothingLost();
  });
}

fault("the leader's process is killed", async () => {
  const { leader } = await untilBoth();
  await signalRialto(leader, "SIGKILL");
  return undefined;
});

fault("the leadership is handed over", async () => {
  const { leader, follower } = await untilBoth();
  await operate(leader, "handover");
  await until("the other venue to lead", async () =>
    (await roleOf(follower)) === "leader" ? true : null,
  );
  return undefined;
});

fault("the leader's machine is cut off", async () => {
  if (cluster.kind === "loopback") return undefined;
  const { leader } = await untilBoth();
  await cluster.cut(leader);
  await sleep(1_000);
  return () => cluster.mend(leader);
});

fault("a gateway's machine is lost", async () => {
  const [gateway] = gateways();
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
  const { leader, follower } = await untilBoth();
  await signalRialto(follower, "SIGTERM");
  await until("the follower to stop", async () =>
    (await roleOf(follower)) === null ? true : null,
  );
  await untilBoth();
  for (const gateway of gateways()) {
    await signalRialto(gateway, "SIGTERM");
    await until(`${gateway.name} to stop`, async () =>
      (await healthOf(gateway)) === 200 ? null : true,
    );
    await untilServing(gateway);
  }
  await operate(leader, "handover");
  await until("the upgraded venue to lead", async () =>
    (await roleOf(follower)) === "leader" ? true : null,
  );
  return undefined;
});
