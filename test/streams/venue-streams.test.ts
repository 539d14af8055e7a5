// Proves for clients of a whole venue with two fronts that streams are the same on both, that a crash under load leaves
// no unannounced gap, and that an orderly stop is announced.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";
import { type ClientOptions, type Frame, StreamClient } from "./stream-client.ts";

let fixture: VenueFixture;
let maker: Trader;
let taker: Trader;
const clients: StreamClient[] = [];

before(async () => {
  fixture = await VenueFixture.open({ DEV_TOOLS: "1", FRONT_THREADS: "2" });
  maker = await fixture.trader("house");
  taker = await fixture.trader("house");
});
after(async () => {
  for (const client of clients) client.close();
  await fixture.close();
});

async function open(path: string, options?: ClientOptions): Promise<StreamClient> {
  const client = await StreamClient.open(
    `${fixture.address.replace("http", "ws")}${path}`,
    options,
  );
  clients.push(client);
  return client;
}

async function listenKey(trader: Trader): Promise<string> {
  const answer = await fetch(`${fixture.address}/compat/api/v3/userDataStream`, {
    method: "POST",
    headers: { "X-MBX-APIKEY": trader.key },
  });
  const { listenKey: key } = (await answer.json()) as { listenKey: string };
  return key;
}

const order = { symbol: "CC-USDC", type: "LIMIT", timeInForce: "GTC" };

function place(trader: Trader, side: string, price: string, quantity: string) {
  return fixture.signed(trader, "POST", "/api/v3/order", { ...order, side, price, quantity });
}

/** Closes connections so that later tests can open theirs; resolves when a new connection is accepted. */
async function leave(list: readonly StreamClient[]): Promise<void> {
  for (const client of list) client.close();
  for (const endMs = Date.now() + 60_000; Date.now() < endMs; await wait(20)) {
    const next = await open("/ws/cc-usdc@trade").catch(() => null);
    if (next === null) continue;
    next.close();
    return;
  }
  assert.fail("the closed connections must make room for new ones in time");
}

test("STR-4 STR-20 two fronts count connections together and give frames the same numbers", async () => {
  const key = await listenKey(maker);
  const list = await Promise.all(
    Array.from({ length: 16 }, () => open(`/compat/ws/${key}/cc-usdc@trade?resume=987654321`)),
  );
  await assert.rejects(open("/ws/cc-usdc@trade"), /429/);
  // The frame named by `resume` never existed, so each client gets a snapshot once its listen key has been looked up.
  for (const client of list) await client.next(({ e }) => e === "accountSnapshot");
  await place(maker, "SELL", "0.1500", "100");
  await place(taker, "BUY", "0.1500", "100");
  const told = await Promise.all(
    list.map(async (client) => {
      const filled = await client.next(({ x }) => x === "TRADE");
      const trade = await client.next(({ e }) => e === "trade");
      return [filled.seq, filled.t, trade.t];
    }),
  );
  for (const each of told) assert.deepEqual(each, told[0]);
  await leave(list);
});

/** Trades until stopped, and keeps trying while the venue is away. */
function trading(): { stop(): Promise<void> } {
  let isOver = false;
  const run = async () => {
    for (let at = 0; !isOver; at++) {
      const price = `0.${1480 + (at % 40)}`;
      await Promise.allSettled([
        place(maker, "SELL", price, `${100 + (at % 7)}`),
        place(taker, "BUY", price, `${100 + (at % 11)}`),
      ]);
      await wait(at % 2 === 0 ? 40 : 260);
    }
  };
  const done = run();
  return {
    stop: () => {
      isOver = true;
      return done;
    },
  };
}

/** Asserts that user data frames follow each other, or that a snapshot names the last frame before the gap. */
function assertAnnounced(frames: readonly Frame[], before: number): void {
  let last = before;
  for (const { e, seq, after: named } of frames.filter((frame) => frame.seq !== undefined)) {
    if (e === "accountSnapshot") assert.equal(named, last);
    else assert.ok(seq === last || seq === last + 1, `frame ${seq} after frame ${last}`);
    last = seq;
  }
}

test("STR-13 STR-20 STR-49 STR-23 every gap that a crash under load leaves is announced", async (t) => {
  const key = await listenKey(maker);
  const path = `/compat/ws/${key}/cc-usdc@depth`;
  const first = await open(path);
  const load = trading();
  t.after(() => load.stop());
  await first.next(({ x }) => x === "TRADE");
  await wait(500);
  await fixture.crashAndRestart();
  await first.end();
  const reports = first.frames.filter(({ seq }) => seq !== undefined);
  assertAnnounced(reports, reports[0].seq);
  const { seq } = reports.at(-1);
  const second = await open(`${path}?resume=${seq}`);
  const [opening] = second.frames.length > 0 ? second.frames : [await second.next(() => true)];
  assert.ok(opening.snapshot === true || opening.e === "accountSnapshot");
  await second.next(({ x, seq: number }) => x === "TRADE" && number > seq);
  await load.stop();
  const changes = () => second.frames.filter(({ e }) => e === "depthUpdate");
  // The last depth changes arrive a tenth of a second later.
  for (const endMs = Date.now() + 120_000; ; await wait(50)) {
    const { json } = await fixture.get("/api/v3/depth?symbol=CC-USDC&limit=5");
    if (changes().at(-1)?.u === json.lastUpdateId) break;
    assert.ok(
      Date.now() < endMs,
      `the stream is at update ${changes().at(-1)?.u}, the book at ${json.lastUpdateId}`,
    );
  }
  assertAnnounced(second.frames, seq);
  const depths = changes();
  assert.equal(depths[0].snapshot, true);
  for (const [at, frame] of depths.slice(1).entries()) assert.equal(frame.U, depths[at].u + 1);
  await leave([second]);
});

test("STR-13 STR-19 an orderly stop is announced, and connections are closed with code 1001", async () => {
  const root = await open("/ws/cc-usdc@depth5");
  const compat = await open("/compat/stream?streams=cc-usdc@depth5");
  const session = await open("/compat/ws-api/v3");
  await fixture.restart();
  assert.deepEqual(await root.end(), { code: 1001, reason: "the venue is stopping" });
  assert.equal((await compat.end()).code, 1001);
  assert.ok(root.frames.every((frame) => "lastUpdateId" in frame));
  await session.end();
  assert.deepEqual(
    session.frames.map(({ event }) => event?.e),
    ["serverShutdown"],
  );
  const told = compat.frames.filter(({ stream }) => stream === "!serverShutdown");
  assert.deepEqual(
    told.map(({ data }) => data.e),
    ["serverShutdown"],
  );
});
