// Proves what streams guarantee over crashes (STR-10, STR-17, STR-20, STR-23, MBO-3). The venue's process is killed under
// load and clients lose their connections, again and again. Afterwards every frame matches the journal, and every
// gap was announced.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { VenueProcess } from "../../bench/venue/venue-process.ts";
import { numberAt, present } from "../../src/core/assert.ts";
import { restingOrders } from "../../src/engine/state/snapshot/resting-orders.ts";
import { createLoadKeys } from "../../src/tools/load/load-accounts.ts";
import { until } from "../epochs/epoch-waits.ts";
import { CrashClient } from "./crash-client.ts";
import { ccUsdc } from "./crash-market.ts";
import { FollowedStream } from "./followed-stream.ts";
import { depthFaults, StreamFacts, tradeFaults, userFaults } from "./stream-audit.ts";
import { ToldStream } from "./told-streams.ts";

const kills = 3;
const traders = 6;
const waitMsMax = 120_000;
const acknowledgedMin = 40;

let dataDir: string;
let venue: VenueProcess;
const endpoint = () => venue.endpoint;
const base = () => `ws://${endpoint().host}:${endpoint().port}`;
const settings = { FRONT_THREADS: "2" };

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "rialto-streams-"));
  venue = await VenueProcess.start({ dataDir, settings });
});
after(async () => {
  await venue?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function listenKey(key: string): Promise<string> {
  const { host, port } = endpoint();
  const answer = await fetch(`http://${host}:${port}/compat/api/v3/userDataStream`, {
    method: "POST",
    headers: { "X-MBX-APIKEY": key },
  });
  return ((await answer.json()) as { listenKey: string }).listenKey;
}

/**
 * Waits until every stream has received frames on a new connection. `marks` says for each stream how many connections
 * it had before.
 */
async function untilTold(streams: readonly ToldStream[], marks: readonly number[]): Promise<void> {
  const untilMs = Date.now() + waitMsMax;
  const isTold = (stream: ToldStream, index: number) =>
    stream.spans.length > (marks[index] ?? 0) && (stream.spans.at(-1)?.length ?? 0) > 2;
  while (!streams.every(isTold)) {
    if (Date.now() > untilMs) throw new Error("a stream did not come back");
    await sleep(20);
  }
}

/** Lets the clients trade for `ms` at least, and until so much was acknowledged that the streams have frames to compare. */
async function load(clients: readonly CrashClient[], ms: number): Promise<void> {
  const sum = () => clients.reduce((all, { acknowledged }) => all + acknowledged, 0);
  const before = sum();
  await sleep(ms);
  const isEnough = async () => sum() > before + acknowledgedMin || null;
  await until("the clients trade", isEnough, waitMsMax);
}

async function open(): Promise<{
  clients: CrashClient[];
  streams: ToldStream[];
  followed: FollowedStream;
  account: number;
}> {
  const keys = await createLoadKeys(dataDir, traders);
  const clients = keys.map((key, index) =>
    CrashClient.overHttp(key, index, { seed: 1, markets: [ccUsdc] }, endpoint),
  );
  const own = present(keys[0], "the key of a trader");
  const named = await listenKey(own.key);
  const user: ToldStream = new ToldStream(() => {
    const seq = user.frames.at(-1)?.seq;
    return `${base()}/compat/ws/${named}${seq === undefined ? "" : `?resume=${seq}`}`;
  });
  const followed = new FollowedStream(base);
  const streams = [
    new ToldStream(() => `${base()}/ws/cc-usdc@trade`),
    new ToldStream(() => `${base()}/compat/ws/cc-usdc@depth`),
    user,
    followed.stream,
  ];
  return { clients, streams, followed, account: own.account };
}

test("STR-10 STR-17 STR-20 STR-49 STR-23 MBO-3 MBO-9 every gap in a stream is announced, also after kills under load", async (t) => {
  const { clients, streams, followed, account } = await open();
  for (const stream of streams) stream.start();
  for (let round = 0; round < kills; round++) {
    for (const client of clients) client.resume();
    await load(clients, 200 + 150 * round);
    let marks = streams.map(({ spans }) => spans.length);
    for (const stream of streams) stream.cut();
    await untilTold(streams, marks);
    await load(clients, 200);
    marks = streams.map(({ spans }) => spans.length);
    await venue.kill();
    venue = await VenueProcess.start({ dataDir, settings });
    await untilTold(streams, marks);
    await Promise.all(clients.map((client) => client.pause()));
  }
  const facts = new StreamFacts();
  await facts.readOn(await venue.database());
  const isAlike = async () => queueFaults(followed, facts).length === 0 || null;
  // If the frames never give the journal's orders, the faults below say what is missing.
  await until("the last frames", isAlike, waitMsMax).catch(() => undefined);
  for (const stream of streams) await stream.stop();
  const [trades, depth, user] = streams.map(({ spans }) => spans) as [Spans, Spans, Spans];
  const snapshots = user.flat().filter(({ e }) => e === "accountSnapshot");
  t.diagnostic(
    `${trades.flat().length} trades, ${depth.flat().length} depth frames, ${user.flat().length} user ` +
      `frames with ${snapshots.length} snapshots, ${facts.state.seq} events`,
  );
  for (const { client } of clients) client.close();
  assert.deepEqual(tradeFaults(trades, facts).slice(0, 10), []);
  assert.deepEqual(depthFaults(depth, facts).slice(0, 10), []);
  assert.deepEqual(userFaults(user, account, facts).slice(0, 10), []);
  assertFollowed(followed, facts);
  // Prove that the audit can fail: without one of the frames it must find a fault.
  const lost = (spans: Spans) => spans.map((frames) => frames.toSpliced(frames.length >> 1, 1));
  assert.notDeepEqual(tradeFaults(lost(trades), facts), []);
  assert.notDeepEqual(depthFaults(lost(depth), facts), []);
  const told = user.flat();
  const inner = innerTrade(told);
  assert.ok(inner > 0);
  assert.notDeepEqual(userFaults([told.toSpliced(inner, 1)], account, facts), []);
  assert.ok(snapshots.length >= kills, "each restart must be announced by a snapshot");
  assert.ok(
    trades.flat().length > 30 && depth.flat().length > 15,
    "the streams had too few frames",
  );
});

type Spans = ToldStream["spans"];

/** Asserts that orders and depth of each connection agree, depth with the journal, and the last queues with the state. */
function assertFollowed(followed: FollowedStream, facts: StreamFacts): void {
  assert.deepEqual(followed.faults().slice(0, 10), []);
  assert.deepEqual(depthFaults(followed.depth, facts).slice(0, 10), []);
  const books = followed.books();
  const compared = books.reduce((sum, book) => sum + book.compared, 0);
  assert.ok(books.length > kills && compared > 15, "too few frames of orders were compared");
  assert.deepEqual(queueFaults(followed, facts), []);
}

/** How the queues of the last connection differ from those of the journal. */
function queueFaults(followed: FollowedStream, facts: StreamFacts): string[] {
  const { orders } = present(followed.books().at(-1), "the book of the last connection");
  const ids = [...orders.rows("BUY"), ...orders.rows("SELL")].map(([, , id]) => id as number);
  const queues = new Map<string, number[]>();
  restingOrders(facts.state, ({ market, side, price, slot }) => {
    if (market !== ccUsdc.market.id) return;
    const id = numberAt(facts.state.orders.orderId, slot);
    const queue = `${side}@${price}`;
    queues.set(queue, [...(queues.get(queue) ?? []), id]);
  });
  const wanted = [...queues.values()].flat();
  if (ids.length !== wanted.length || !wanted.every((id) => ids.includes(id)))
    return [`${ids.length} orders, not ${wanted.length}`];
  return [...queues.values()].flatMap((queue) =>
    queue.flatMap((id, ahead) => {
      const told = orders.aheadOf(id).map((order) => order.id);
      const isSame = isDeepStrictEqual(told, queue.slice(0, ahead));
      return isSame ? [] : [`order ${id} is behind ${told}, not ${queue.slice(0, ahead)}`];
    }),
  );
}

/**
 * Returns the index of a trade report that has a trade report both before and after it, with no snapshot between.
 * The audit is certain to notice only the removal of such a report. A gap just before a balance frame does not show,
 * because a balance frame repeats the number of the event that caused it.
 */
function innerTrade(told: Spans[number]): number {
  const isMark = ({ e, x }: (typeof told)[number]) => e === "accountSnapshot" || x === "TRADE";
  return told.findIndex(({ x }, index) => {
    const before = told.slice(0, index).findLast(isMark);
    const behind = told.slice(index + 1).find(isMark);
    return x === "TRADE" && before?.x === "TRADE" && behind?.x === "TRADE";
  });
}
