// Proves for clients of the compat view what the stream of orders says about each kind of change, that a client which
// follows it from a snapshot has the depth of every frame and the place of its own orders, and that nothing hidden shows.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { Side, StpMode } from "../../src/core/orders.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { countedRows, FollowedBook } from "./followed-orders.ts";
import { type Frame, StreamClient } from "./stream-client.ts";

let front: FrontFixture;
let maker: TestKey;
let taker: TestKey;
const clients: StreamClient[] = [];
const snapshotPath = "/compat/api/v3/depth/orders";

before(async () => {
  front = await FrontFixture.open({ isLive: true, connectionsPerAddressMax: 100 });
  maker = await front.newTrader();
  taker = await front.newTrader();
  for (const { account } of [maker, taker]) {
    for (const asset of [1, 2, 3]) front.venue.credit(account, Wallet.spot, asset, 10n ** 15n);
  }
});
after(() => {
  for (const client of clients) client.close();
  front.close();
});

async function open(path: string): Promise<StreamClient> {
  const client = await StreamClient.open(`${front.base.replace("http", "ws")}/compat${path}`);
  clients.push(client);
  return client;
}

async function sent(method: string, path: string, terms: Record<string, string>, key: TestKey) {
  const answer = await front.send(method, `/compat${path}`, terms, { key });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

const limit = { type: "LIMIT", timeInForce: "GTC" };

async function place(terms: Record<string, string>, key = maker): Promise<number> {
  return (await sent("POST", "/api/v3/order", { ...limit, ...terms }, key)).orderId;
}

/** The changes of a stream, each without its update id, once there are this many. */
async function changesOf(client: StreamClient, count: number): Promise<Frame[]> {
  const all = () => client.frames.filter(({ e }) => e === "orderUpdate").flatMap(({ o }) => o);
  await client.until(() => all().length >= count);
  return all().map(({ u: _u, ...change }) => change);
}

test("MBO-1 MBO-2 MBO-4 MBO-5 MBO-6 MBO-11 an order joins, trades, is amended, loses lots to self-trade prevention and is cancelled", async () => {
  const client = await open("/ws/cc-usdc@order");
  const symbol = "CC-USDC";
  const ask = { symbol, side: "SELL", price: "0.1500" };
  const orderId = await place({ ...ask, quantity: "1000.0" });
  const before = front.state.nextTradeId;
  await place({ symbol, side: "BUY", price: "0.1600", quantity: "300.0" }, taker);
  await sent(
    "PUT",
    "/api/v3/order/amend/keepPriority",
    { symbol, orderId: `${orderId}`, newQty: "900.0" },
    maker,
  );
  await place({
    ...{ symbol, side: "BUY", price: "0.1500", quantity: "200.0" },
    selfTradePreventionMode: "DECREMENT",
  });
  await sent("DELETE", "/api/v3/order", { symbol, orderId: `${orderId}` }, maker);
  const row = { i: orderId, S: "SELL", p: "0.15000000" };
  const qty = (lots: string) => `${lots}.00000000`;
  assert.deepEqual(await changesOf(client, 5), [
    { ...row, x: "NEW", q: qty("1000") },
    { ...row, x: "TRADE", q: qty("700"), t: before, l: qty("300") },
    { ...row, x: "REPLACED", q: qty("600") },
    { ...row, x: "TRADE_PREVENTION", q: qty("400") },
    { ...row, x: "CANCELED", q: qty("0") },
  ]);
  const [frame] = client.frames;
  assert.equal(Object.keys(frame).join(" "), "e E T s U u o");
  assert.equal(frame.s, symbol);
});

test("MBO-6 MBO-7 SPT-103 an iceberg order shows one slice, which joins the end of the queue, and its hidden lots do not show", async () => {
  const symbol = "CC-USDC";
  const ask = { symbol, side: "SELL", price: "0.1700" };
  const client = await open("/ws/ccusdc@order");
  const hidden = await place({ ...ask, quantity: "1000.0", icebergQty: "300.0" });
  const plain = await place({ ...ask, quantity: "100.0" });
  await place({ symbol, side: "BUY", price: "0.1700", quantity: "300.0" }, taker);
  const { json } = await front.fetch(`${snapshotPath}?symbol=${symbol}`);
  assert.deepEqual(json.asks, [
    ["0.17000000", "100.00000000", plain],
    ["0.17000000", "300.00000000", hidden],
  ]);
  const depth = async () => (await front.fetch(`/compat/api/v3/depth?symbol=${symbol}`)).json;
  const depths = await open("/ws/ccusdc@depth");
  await depths.next(({ snapshot }) => snapshot === true);
  const shown = await depth();
  const amend = { symbol, orderId: `${hidden}`, newQty: "800.0" };
  await sent("PUT", "/api/v3/order/amend/keepPriority", amend, maker);
  assert.deepEqual(await depth(), shown);
  await sleep(250);
  assert.deepEqual(
    depths.frames.map(({ e, snapshot }) => [e, snapshot]),
    [["depthUpdate", true]],
  );
  for (const id of [hidden, plain])
    await sent("DELETE", "/api/v3/order", { symbol, orderId: `${id}` }, maker);
  const changes = await changesOf(client, 6);
  assert.deepEqual(
    changes.map(({ i, x, q }) => [i, x, Number(q)]),
    [
      [hidden, "NEW", 300],
      [plain, "NEW", 100],
      [hidden, "TRADE", 0],
      [hidden, "NEW", 300],
      [hidden, "CANCELED", 0],
      [plain, "CANCELED", 0],
    ],
  );
});

test("MBO-2 MBO-8 orders that never rest or still wait are not in it, and a triggered one joins the end of its queue", async () => {
  const symbol = "CC-USDC";
  const client = await open("/ws/cc-usdc@order");
  const ask = { symbol, side: "SELL", price: "0.1300", quantity: "100.0" };
  const stop = await place({ ...ask, type: "STOP_LOSS_LIMIT", stopPrice: "0.1250" });
  await place({ ...ask, price: "0.1900", timeInForce: "IOC" });
  const bid = await place({ symbol, side: "BUY", price: "0.1200", quantity: "100.0" }, taker);
  await sent(
    "POST",
    "/api/v3/order",
    { symbol, side: "SELL", type: "MARKET", quantity: "100.0" },
    maker,
  );
  const changes = await changesOf(client, 3);
  assert.deepEqual(
    changes.map(({ i, x, p }) => [i, x, Number(p)]),
    [
      [bid, "NEW", 0.12],
      [bid, "TRADE", 0.12],
      [stop, "NEW", 0.13],
    ],
  );
  await sent("DELETE", "/api/v3/openOrders", { symbol }, maker);
});

test("MBO-6 an amend that costs an order its priority takes it out of the queue and lets it join again", async () => {
  const client = await open("/public/ws/ethusdt@order");
  const order = { symbol: "ETHUSDT", side: "BUY", price: "2990.00", quantity: "0.400" };
  const { orderId } = await sent("POST", "/fapi/v1/order", { ...order, ...limit }, maker);
  const amended = { ...order, orderId: `${orderId}`, price: "2991.00" };
  await sent("PUT", "/fapi/v1/order", amended, maker);
  await sent("PUT", "/fapi/v1/order", { ...amended, quantity: "0.300" }, maker);
  await sent("PUT", "/fapi/v1/order", { ...amended, quantity: "0.500" }, maker);
  const changes = await changesOf(client, 6);
  assert.deepEqual(
    changes.map(({ x, p, q }) => [x, p, q]),
    [
      ["NEW", "2990.00", "0.400"],
      ["REPLACED", "2990.00", "0.000"],
      ["NEW", "2991.00", "0.400"],
      ["REPLACED", "2991.00", "0.300"],
      ["REPLACED", "2991.00", "0.000"],
      ["NEW", "2991.00", "0.500"],
    ],
  );
  const snapshot = await front.fetch("/compat/fapi/v1/depth/orders?symbol=ETHUSDT");
  assert.deepEqual(snapshot.json.bids, [["2991.00", "0.500", orderId]]);
  await sent("DELETE", "/fapi/v1/allOpenOrders", { symbol: "ETHUSDT" }, maker);
});

/** Sends a random order of one of the traders near 0.15, often with slices or self-trade prevention, or cancels. */
function trade(random: SeededRandom): void {
  const { account } = random.below(2) === 0 ? maker : taker;
  if (random.below(12) === 0) {
    front.venue.send({ kind: CommandKind.cancelAllOrders, account, market: 0 });
    return;
  }
  const lots = 1000 + random.below(5000);
  front.venue.place({
    ...{ account, market: 0, side: random.below(2) === 0 ? Side.buy : Side.sell },
    ...{ price: 1490 + random.below(20), qty: lots },
    icebergQty: random.below(3) === 0 ? Math.ceil(lots / 4) : 0,
    stpMode: random.below(3) === 0 ? StpMode.decrement : StpMode.skip,
  });
}

test("MBO-3 MBO-9 MBO-13 at each frame of depth a client has the depth, and its own orders the place they have in the venue", async () => {
  const random = new SeededRandom(7);
  const all = "?symbol=CC-USDC&limit=5000";
  for (let step = 0; step < 50; step++) trade(random);
  const client = await open("/stream?streams=cc-usdc@order/cc-usdc@depth");
  for (let step = 0; step < 30; step++) trade(random);
  const { json: snapshot } = await front.fetch(snapshotPath + all);
  for (let step = 0; step < 600; step++) {
    trade(random);
    if (step % 20 === 0) await sleep(30);
  }
  const { json: depth } = await front.fetch(`/compat/api/v3/depth${all}`);
  const isLast = ({ data }: Frame) => data.e === "depthUpdate" && data.u >= depth.lastUpdateId;
  await client.next(isLast);
  const book = new FollowedBook(snapshot);
  const taken = client.frames.length;
  for (const { data } of client.frames.slice(0, taken)) book.take(data);
  assert.ok(book.compared > 3, "too few frames of depth");
  const { orders } = book;
  assert.deepEqual(orders.levels("BUY"), countedRows(depth.bids));
  assert.deepEqual(orders.levels("SELL"), countedRows(depth.asks));
  const { json: now } = await front.fetch(snapshotPath + all);
  assert.deepEqual(orders.rows("BUY"), countedRows(now.bids));
  assert.deepEqual(orders.rows("SELL"), countedRows(now.asks));
  const [price, , ahead] = orders.rows("BUY").at(-1) ?? assert.fail("the book has no bids");
  const ticks = Math.round(Number(price) * 10_000);
  const own = front.venue.buy(maker.account, 0, ticks, 1000);
  await client.next(({ data }) => data.o?.at(-1).i === own, taken);
  for (const { data } of client.frames.slice(taken)) book.take(data);
  assert.equal(orders.aheadOf(own).at(-1)?.id, ahead);
});

test("MBO-9 MBO-10 the snapshot has at most the requested number of orders a side, and is refused like depth", async () => {
  const symbol = "CBTC-USDC";
  const ids: number[] = [];
  for (const price of ["60000.00", "60000.00", "59999.00"]) {
    ids.push(await place({ symbol, side: "BUY", price, quantity: "0.01" }, taker));
  }
  const { json } = await front.fetch(`${snapshotPath}?symbol=${symbol}&limit=2`);
  assert.deepEqual(
    json.bids.map(([, , id]: Frame) => id),
    ids.slice(0, 2),
  );
  const depth = await front.fetch(`/compat/api/v3/depth?symbol=${symbol}`);
  assert.equal(json.lastUpdateId, depth.json.lastUpdateId);
  for (const [query, code] of [
    ["", -1102],
    ["?symbol=NOPE", -1100],
    [`?symbol=${symbol}&limit=x`, -1100],
  ] as const) {
    const [own, like] = await Promise.all(
      [snapshotPath, "/compat/api/v3/depth"].map((path) => front.fetch(path + query)),
    );
    assert.equal(own?.json.code, code, own?.text);
    assert.equal(own?.text, like?.text);
  }
  // The venue's time then stands still until the real one has caught up, so the minute of the weight does not end.
  front.advance(600_000);
  const usedAt = async (limit: number) => {
    const answer = await front.fetch(`${snapshotPath}?symbol=${symbol}&limit=${limit}`);
    assert.equal(answer.status, 200, answer.text);
    return Number(answer.headers.get("x-mbx-used-weight-1m"));
  };
  assert.equal((await usedAt(100)) - (await usedAt(5000)), -50);
  assert.equal((await usedAt(1000)) - (await usedAt(100)), -5);
  assert.equal((await front.fetch("/api/v3/depth/orders?symbol=CC-USDC")).status, 404);
});

test("MBO-1 the stream exists under /compat only", async () => {
  const client = await StreamClient.open(`${front.base.replace("http", "ws")}/ws/cc-usdc@order`);
  clients.push(client);
  assert.deepEqual(await client.end(), { code: 1008, reason: "unknown stream: cc-usdc@order" });
});

test("MBO-12 a client that reads too slowly is closed with 1013, because changes of orders cannot be left out", async () => {
  const symbols = ["cbtc-usdc", "cbtcusdc", "CBTC-USDC", "CBTCUSDC"];
  const client = await open(`/stream?streams=${symbols.map((name) => `${name}@order`).join("/")}`);
  client.socket.pause();
  let isFull = false;
  for (let round = 0; round < 3000 && !isFull; round++) {
    for (let at = 0; at < 60; at++) front.venue.sell(maker.account, 1, 6_100_000 + at, 10);
    front.venue.buy(taker.account, 1, 6_200_000, 600);
    await new Promise((resolve) => setImmediate(resolve));
    if (round % 10 === 0) {
      const figures = await front.fetch("/metrics");
      isFull = /front_stream_connections_behind(\{[^}]*\})? 1\b/.test(figures.text);
    }
  }
  assert.ok(isFull, "the client must fall behind");
  client.socket.resume();
  assert.deepEqual(await client.end(), {
    code: 1013,
    reason: "read too slowly: changes of orders were missed",
  });
  const frames = client.frames.map(({ data }) => data);
  assert.ok(frames.every(({ e }) => e === "orderUpdate"));
});
