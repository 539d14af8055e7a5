// Proves for clients of Binance how streams of the compat view behave: subscribing by requests, the fields of every
// payload on both kinds of market, depth that begins with the whole book, and what slow readers are sent about the data
// they missed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { FrontFixture } from "../surface/front-fixture.ts";
import { type Frame, StreamClient } from "./stream-client.ts";

/** Longest time in ms in which a client must get three changes of a book that changes all the time. */
const waitMsMax = 120_000;

let front: FrontFixture;
let seller = 0;
let buyer = 0;
const clients: StreamClient[] = [];

before(async () => {
  front = await FrontFixture.open({ isLive: true });
  seller = front.venue.fund(10n ** 14n);
  buyer = front.venue.fund(10n ** 14n);
  for (const asset of [1, 2, 3]) front.venue.credit(seller, Wallet.spot, asset, 10n ** 15n);
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

test("STR-15 requests subscribe, list and unsubscribe streams, and each answer repeats the request's id", async () => {
  const client = await open("/ws/0");
  client.send({ method: "SUBSCRIBE", params: ["cc-usdc@trade", "ccusdc@depth5@100ms"], id: 1 });
  assert.deepEqual(await client.next(({ id }) => id === 1), { result: null, id: 1 });
  client.send({ method: "LIST_SUBSCRIPTIONS", id: "two" });
  assert.deepEqual(await client.next(({ id }) => id === "two"), {
    result: ["cc-usdc@trade", "ccusdc@depth5@100ms"],
    id: "two",
  });
  await client.next((frame) => "lastUpdateId" in frame);
  client.send({ method: "UNSUBSCRIBE", params: ["ccusdc@depth5"], id: 3 });
  await client.next(({ id }) => id === 3);
  const from = client.frames.length;
  client.send({ method: "LIST_SUBSCRIPTIONS", id: 4 });
  assert.deepEqual((await client.next(({ id }) => id === 4)).result, ["cc-usdc@trade"]);
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(client.frames.length, from + 1);
});

test("STR-15 STR-46 a bad request gets an error and changes nothing, and the connection stays open", async () => {
  const client = await open("/stream");
  const names = Array.from(
    { length: 31 },
    (_, at) =>
      `${["cc", "cbtc", "ceth", "cusd"][at % 4]}-usdc@${["trade", "depth5", "depth10", "depth20", "ticker", "miniTicker", "bookTicker", "aggTrade"][at >> 2]}`,
  );
  client.send({ method: "SUBSCRIBE", params: names, id: 0 });
  await client.next(({ id }) => id === 0);
  for (const [frame, id] of [
    ["no json", null],
    ["[]", null],
    ['{"method":"NOPE","id":1}', 1],
    ['{"method":"SUBSCRIBE","params":["nope@trade"],"id":2}', 2],
    ['{"method":"SUBSCRIBE","params":[],"id":3}', 3],
    ['{"method":"SUBSCRIBE","params":["btcusdt@trade","ethusdt@trade"],"id":4}', 4],
    ['{"method":"SUBSCRIBE","params":[7],"id":"5"}', "5"],
  ] as const) {
    const from = client.frames.length;
    client.socket.send(frame);
    const answer = await client.next(({ error }) => error !== undefined, from);
    assert.equal(answer.id, id);
    assert.equal(answer.error.code, 2);
    assert.match(answer.error.msg, /^Invalid request: /);
  }
  client.send({ method: "LIST_SUBSCRIPTIONS", id: 6 });
  assert.equal((await client.next(({ id }) => id === 6)).result.length, 31);
});

test("STR-15 STR-46 more than ten requests in a second close the connection", async () => {
  const client = await open("/ws");
  for (let id = 0; id < 12; id++) client.send({ method: "LIST_SUBSCRIPTIONS", id });
  assert.deepEqual(await client.end(), { code: 1008, reason: "too many requests" });
});

const keysOf = (frame: Frame) => Object.keys(frame).join(" ");

test("STR-16 spot and futures payloads each have the fields of their kind", async () => {
  const feeds = ["trade", "aggTrade", "bookTicker", "ticker", "miniTicker", "depth5", "kline_1h"];
  const names = ["ceth-usdc", "ethusdt"].flatMap((symbol) => feeds.map((f) => `${symbol}@${f}`));
  const client = await open(`/stream?streams=${[...names, "ethusdt@markPrice@1s"].join("/")}`);
  const dataOf = async (stream: string) => (await client.next((f) => f.stream === stream)).data;
  for (const [market, price] of [
    [2, 300_000],
    [5, 300_100],
  ] as const) {
    front.venue.sell(seller, market, price, 100);
    front.venue.sell(seller, market, price, 100);
    front.venue.sell(seller, market, price + 5, 100);
    front.venue.buy(buyer, market, price + 5, 250);
    front.venue.buy(buyer, market, price - 100, 100);
  }
  assert.equal(keysOf(await dataOf("ceth-usdc@trade")), "e E s t p q T m M");
  assert.equal(keysOf(await dataOf("ethusdt@trade")), "e E T s t p q X m");
  const run = await dataOf("ceth-usdc@aggTrade");
  assert.equal(keysOf(run), "e E s a p q f l T m M");
  assert.deepEqual([run.q, run.l - run.f], ["0.20000000", 1]);
  assert.equal(keysOf(await dataOf("ethusdt@aggTrade")), "e E s a p q f l T m");
  await client.next(
    ({ stream, data }) => stream === "ceth-usdc@bookTicker" && data.b === "2999.00000000",
  );
  assert.equal(keysOf(await dataOf("ceth-usdc@bookTicker")), "u s b B a A");
  assert.equal(keysOf(await dataOf("ethusdt@bookTicker")), "e E T u s b B a A");
  const day = await client.next(
    ({ stream, data }) => stream === "ceth-usdc@ticker" && data.n === 3,
  );
  assert.equal(keysOf(day.data), "e E s p P w x b B a A c Q o h l v q O C F L n");
  assert.deepEqual(
    [day.data.p, day.data.P, day.data.b, day.data.a],
    ["0.05000000", "0.002", "2999.00000000", "3000.05000000"],
  );
  assert.equal(keysOf(await dataOf("ethusdt@ticker")), "e E s p P w c Q o h l v q O C F L n");
  assert.equal(keysOf(await dataOf("ethusdt@miniTicker")), "e E s c o h l v q");
  assert.equal(keysOf(await dataOf("ceth-usdc@depth5")), "lastUpdateId bids asks");
  assert.equal(keysOf(await dataOf("ethusdt@depth5")), "e E T s U u pu b a");
  assert.equal((await dataOf("ethusdt@kline_1h")).k.i, "1h");
  const mark = await dataOf("ethusdt@markPrice@1s");
  assert.equal(keysOf(mark), "e E s p ap P i r T");
});

/** A book as a client maintains it: each row of a frame replaces or removes the level whose price has the same text. */
class LocalBook {
  readonly bids = new Map<string, string>();
  readonly asks = new Map<string, string>();
  readonly #removed: string;

  /** Like python-binance, the book removes a level when the level's quantity is exactly the text `removed`. */
  constructor(removed: string) {
    this.#removed = removed;
  }

  take({ b, a }: Frame): void {
    for (const [side, rows] of [
      [this.bids, b],
      [this.asks, a],
    ] as const) {
      for (const [price, qty] of rows) {
        if (qty === this.#removed) side.delete(price);
        else side.set(price, qty);
      }
    }
  }

  rows(side: Map<string, string>, sign: number): string[][] {
    return [...side].sort(([x], [y]) => sign * (Number(x) - Number(y)));
  }
}

/** Returns the book that results from the frames of one stream; each frame must follow the previous one. */
function localBookFrom(frames: readonly Frame[], removed: string): LocalBook {
  const book = new LocalBook(removed);
  for (const [index, frame] of frames.entries()) {
    const before = frames[index - 1];
    if (before !== undefined) assert.equal(frame.U, before.u + 1);
    if (before?.pu !== undefined) assert.equal(frame.pu, before.u);
    book.take(frame);
  }
  return book;
}

for (const [stream, market, middle, path, removed] of [
  ["cc-usdc@depth@100ms", 0, 1500, "/api/v3/depth?symbol=CC-USDC&limit=1000", "0.00000000"],
  ["ethusdt@depth", 5, 300_100, "/fapi/v1/depth?symbol=ETHUSDT&limit=1000", "0.000"],
] as const) {
  test(`STR-17 CMP-20 ${stream} begins with the book and continues without a gap`, async () => {
    for (let at = 1; at <= 30; at++) front.venue.sell(seller, market, middle + at, 1_000);
    const client = await open(`/ws/${stream}`);
    const other = await open("/ws");
    const changesOf = ({ frames }: StreamClient) => frames.filter(({ e }) => e === "depthUpdate");
    const endMs = performance.now() + waitMsMax;
    for (let step = 0; step < 200 || changesOf(other).length < 3; step++) {
      assert.ok(
        performance.now() < endMs,
        `${changesOf(other).length} changes after ${step} steps`,
      );
      const price = middle + (step % 37) - 12;
      if (step % 3 === 0) front.venue.sell(seller, market, price, 1_000 + step);
      else front.venue.buy(buyer, market, price, 900 + step);
      if (step === 100) other.send({ method: "SUBSCRIBE", params: [stream], id: 1 });
      if (step % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
    }
    const { json } = await front.fetch(`/compat${path}`);
    for (const each of [client, other]) {
      await each.until(() => changesOf(each).at(-1)?.u === json.lastUpdateId);
      const frames = changesOf(each);
      assert.equal(frames[0].snapshot, true);
      assert.ok(frames.length > 2);
      const book = localBookFrom(frames, removed);
      assert.deepEqual(book.rows(book.bids, -1), json.bids);
      assert.deepEqual(book.rows(book.asks, 1), json.asks);
    }
  });
}

test("STR-12 STR-18 a slow reader is notified of missed data and gets a new snapshot of the book", async () => {
  const symbols = ["cbtc-usdc", "cbtcusdc", "CBTC-USDC", "CBTCUSDC"];
  const names = symbols.flatMap((symbol) => ["trade", "aggTrade"].map((f) => `${symbol}@${f}`));
  const client = await open(`/stream?streams=cbtc-usdc@depth/${names.join("/")}`);
  await client.next(({ data }) => data.snapshot === true);
  client.socket.pause();
  const tradesBefore = front.state.nextTradeId;
  let isFull = false;
  for (let round = 0; round < 3000 && !isFull; round++) {
    for (let at = 0; at < 60; at++) front.venue.sell(seller, 1, 6_000_000 + at, 10);
    front.venue.buy(buyer, 1, 6_100_000, 600);
    await new Promise((resolve) => setImmediate(resolve));
    if (round % 10 === 0) {
      const figures = await front.fetch("/metrics");
      isFull = /front_stream_connections_behind(\{[^}]*\})? 1\b/.test(figures.text);
    }
  }
  assert.ok(isFull, "The client must fall behind");
  const from = client.frames.length;
  client.socket.resume();
  const told = await client.next(({ data }) => data.e === "conflated", from);
  assert.equal(told.stream, "!venue");
  assert.ok(told.data.dropped > 0);
  assert.deepEqual(told.data.streams, ["cbtc-usdc@depth", ...names]);
  const at = client.frames.indexOf(told);
  await client.next(({ data }) => data.snapshot === true, at);
  front.venue.sell(seller, 1, 6_000_000, 10);
  front.venue.buy(buyer, 1, 6_100_000, 10);
  // A reader may fall behind more than once before it has read everything.
  const last = front.state.nextTradeId - 1;
  await client.next(({ stream, data }) => stream === names[0] && data.t === last, at);
  const seen = client.frames.filter(({ stream }) => stream === names[0]).length;
  assert.ok(seen < front.state.nextTradeId - tradesBefore, "Some trades must have been left out");
});
