// Follows docs/guides/upgrade.md with real builds of later versions: one with another schema of the database, and one that
// also speaks another version of the bus and writes a kind of event that is new. Old and new parts run side by side;
// what fits works across the handover, and what does not fit refuses in words.

import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { present } from "../../src/core/assert.ts";
import { busProtocol } from "../../src/wire/bus-message.ts";
import { until } from "../epochs/epoch-waits.ts";
import { lacksNats, NatsServer } from "../support/bus/nats-server.ts";
import { signedFetch } from "../support/client/signed-fetch.ts";
import { VenueNode } from "../support/cluster/venue-node.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { freePort } from "../support/free-port.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import type { CliProcess } from "../support/venue/cli-process.ts";
import { type Change, OtherVersion } from "../support/venue/other-version.ts";

const skip = lacksNats();
const waitMsMax = 120_000;
const requestMs = 3_000;
/** A code that no event has. */
const newKind = 200;

let folder: string;
let database: TestDatabase;
let nats: NatsServer;
/** Adds a migration. */
let second: OtherVersion;
/** Has that migration too, speaks another version of the bus, and writes a new kind of event. */
let third: OtherVersion;
let trader: { readonly account: number; readonly key: string; readonly secret: string };
const nodes: VenueNode[] = [];

before(async () => {
  if (skip !== false) return;
  const migrations = (await readdir(join(projectRoot, "sql"))).filter((name) => /^\d/.test(name));
  const next = String(migrations.length + 1).padStart(4, "0");
  const migration: Change = [`sql/${next}_later.sql`, "", "-- Of a later version.\n"];
  second = await OtherVersion.build("7.0.1", [migration]);
  third = await OtherVersion.build("7.1.0", [
    migration,
    [
      "src/wire/bus-message.ts",
      `busProtocol = ${busProtocol};`,
      `busProtocol = ${busProtocol + 1};`,
    ],
    ["schemas/records/accounts.ts", "code: 44,", `code: ${newKind},`],
  ]);
  folder = await mkdtemp(join(tmpdir(), "rialto-upgrade-"));
  database = await createTestDatabase();
  nats = await NatsServer.open();
});
after(async () => {
  for (const { process } of nodes) process?.signal("SIGKILL");
  await Promise.all(nodes.map(({ process }) => process?.ended));
  await nats?.kill();
  await database?.drop();
  await Promise.all([second?.remove(), third?.remove()]);
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** A part of the cluster; it runs the tested version until another one is put there. */
async function part(name: string, command: "start" | "gateway"): Promise<VenueNode> {
  const settings = {
    ...{ DATABASE_URL: database.url, NATS_URL: nats.url, MASTER_KEY: "33".repeat(32) },
    ...{ LEDGER_PROFILE: "none", HOST: "127.0.0.1", LOG_LEVEL: "info" },
    ...(command === "start"
      ? { ROLE: "auto", DEV_TOOLS: "1" }
      : { GATEWAY_TIMEOUT_MS: String(requestMs) }),
  };
  const node = new VenueNode(join(folder, name), await freePort(), settings, command);
  nodes.push(node);
  return node;
}

const processOf = ({ process }: VenueNode): CliProcess => present(process, "a started process");

/** Stops a part, puts the version there and starts it, as the guide says. */
async function upgrade(node: VenueNode, to: OtherVersion): Promise<void> {
  processOf(node).signal("SIGTERM");
  await processOf(node).ended;
  node.program = to.program;
  node.start();
}

/** Hands over from one venue to the other; the former leader ends as its supervisor expects. */
async function handOver(from: VenueNode, to: VenueNode): Promise<void> {
  const answer = await from.call("handover");
  assert(answer.isOk, JSON.stringify(answer));
  await to.untilRole("leader");
  assert.equal(await processOf(from).ended, 4);
}

async function operate(leader: VenueNode, call: string, parameters: object) {
  const answer = await leader.call(call, parameters);
  assert(answer.isOk, `${call}: ${JSON.stringify(answer)}`);
  return answer.result as { account: number; api_key: string; secret: string };
}

async function order(gateway: VenueNode): Promise<{ status: number; code: number | undefined }> {
  const { host, port } = gateway.endpoint;
  const limit = { symbol: "CCUSDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const parameters = { ...limit, quantity: 100, price: "0.1" };
  const request = { method: "POST", path: "/api/v3/order", parameters } as const;
  const answer = await signedFetch<{ code?: number }>(`http://${host}:${port}`, trader, request);
  return { status: answer.status, code: answer.json.code };
}

/** Waits until the log of a part has these words. */
function untilSaid(node: VenueNode, words: string | RegExp): Promise<unknown> {
  const process = processOf(node);
  const look = async () => {
    const said = process.printed + process.complained;
    return said.match(words);
  };
  return until(`${words}`, look, waitMsMax).catch((error) => {
    assert.fail(`${error}\n${process.printed}${process.complained}`);
  });
}

/** Starts the part with the version that it has, and returns how it ends. */
async function refusalOf(node: VenueNode): Promise<{ code: number | null; words: string }> {
  node.start();
  const process = processOf(node);
  const code = await process.ended;
  return { code, words: process.printed + process.complained };
}

let a: VenueNode;
let b: VenueNode;
let gateway: VenueNode;

test("OPS-50 a later version with the same bus takes over from this one, and the gateways of this one go on", {
  skip,
}, async () => {
  [a, b] = await Promise.all([part("a", "start"), part("b", "start")]);
  gateway = await part("gateway", "gateway");
  a.start();
  await a.untilRole("leader");
  b.start();
  await b.untilRole("follower");
  gateway.start();
  await gateway.untilOpen();
  const { account } = await operate(a, "accounts/create", { type: "standard" });
  const funds = { account, wallet: "spot", asset: "USDC", amount: "1000000" };
  await operate(a, "accounts/fund", funds);
  const { api_key: key, secret } = await operate(a, "keys/create", { account, tier: "house" });
  trader = { account, key, secret };
  assert.equal((await order(gateway)).status, 200);

  await upgrade(b, second);
  await b.untilRole("follower");
  assert.equal((await order(gateway)).status, 200, "the old leader goes on with the new tables");
  await handOver(a, b);
  assert.equal((await order(gateway)).status, 200, "the old gateway serves the new leader");
});

test("OPS-50 this version does not start on the tables of the later one, and says so", {
  skip,
}, async () => {
  for (const node of [a, await part("late", "gateway")]) {
    const { code, words } = await refusalOf(node);
    assert.equal(code, 1, words);
    assert.match(words, /_later\.sql was applied to this database but is not part of this program/);
  }
  assert.equal((await order(gateway)).status, 200, "what runs goes on");
  await upgrade(gateway, second);
  await gateway.untilOpen();
  assert.equal((await order(gateway)).status, 200);
});

test("OPS-50 gateways and a leader of different versions of the bus refuse each other and wait", {
  skip,
}, async () => {
  a.program = third.program;
  a.start();
  await a.untilRole("follower");
  const fresh = await part("fresh", "gateway");
  fresh.program = third.program;
  fresh.start();
  await untilSaid(fresh, versionWords(busProtocol, busProtocol + 1));
  assert.equal((await order(gateway)).status, 200, "the older leader and gateway go on");

  await handOver(b, a);
  await fresh.untilOpen();
  assert.equal((await order(fresh)).status, 200);
  await untilSaid(gateway, versionWords(busProtocol + 1, busProtocol));
  assert.deepEqual(await order(gateway), { status: 503, code: -1008 }, "not executed");
  await upgrade(gateway, third);
  await gateway.untilOpen();
  assert.equal((await order(gateway)).status, 200);
});

function versionWords(other: number, own: number): string {
  return `speaks version ${other} of its messages, this program version ${own}`;
}

test("OPS-50 an older follower ends with words when the leader writes an event that it does not know", {
  skip,
}, async () => {
  b.start();
  await b.untilRole("follower");
  await operate(a, "accounts/house", { account: trader.account, isHouse: true });
  assert.equal(await processOf(b).ended, 1);
  const words = `the journal has events of kind ${newKind}, which this version of the program does not know`;
  assert(processOf(b).complained.includes(words), processOf(b).complained);
  const again = await refusalOf(b);
  assert.equal(again.code, 1);
  assert(again.words.includes(words), again.words);

  await upgrade(b, third);
  await b.untilRole("follower");
  assert.equal((await order(gateway)).status, 200);
});
