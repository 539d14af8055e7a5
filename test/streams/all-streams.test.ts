// Proves for clients of Binance that the compat view has the streams beyond trades, depth and one-minute candles:
// candles of every interval, lists of all markets, windows of tickers and average prices. It also proves how addresses
// that name no stream are refused.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { MarketStatus } from "../../src/core/markets.ts";
import { FrontFixture } from "../surface/front-fixture.ts";
import { type Frame, StreamClient } from "./stream-client.ts";

let front: FrontFixture;
let seller = 0;
let buyer = 0;
const clients: StreamClient[] = [];

before(async () => {
  front = await FrontFixture.open({ isLive: true, connectionsPerAddressMax: 100 });
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

/** Makes one trade of 0.2 in ETH, on spot (market 2) or the perpetual (5), at the price given in ticks. */
function trade(market: 2 | 5, price: number): void {
  front.venue.sell(seller, market, price, 200);
  front.venue.buy(buyer, market, price, 200);
}

const restIntervals = [
  ...["1s", "1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "3d"],
  ...["1w", "1M"],
];

test("STR-36 candles of every interval equal those of REST, as do a pair's continuous candles", async () => {
  const spot = await open(
    `/stream?streams=${restIntervals.map((name) => `ceth-usdc@kline_${name}`).join("/")}`,
  );
  const futures = await open(
    `/market/stream?streams=${restIntervals.map((name) => `ethusdt_perpetual@continuousKline_${name}`).join("/")}`,
  );
  await front.untilRoomIn(60_000, 10_000);
  for (const market of [2, 5] as const) {
    for (const price of [300_000, 300_010, 299_990]) trade(market, price);
  }
  for (const name of restIntervals) {
    const isWhole = ({ k }: Frame) => k.i === name && (k.n === 3 || (name === "1s" && k.n > 0));
    const { data } = await spot.next(({ data: frame }) => isWhole(frame));
    // A slow machine may read many seconds after the trade, so find the candle by its open time.
    const query = `symbol=CETH-USDC&interval=${name}&limit=1000`;
    const { json } = await front.fetch(`/compat/api/v3/klines?${query}`);
    const row = json.find((each: Frame) => each[0] === data.k.t);
    assert.ok(row, `REST must have a ${name} candle that opens at ${data.k.t}`);
    const { t, T, o, h, l } = data.k;
    if (name !== "1s") {
      const { v, q, n, c } = data.k;
      assert.deepEqual([t, o, h, l, c, v, T, q, n], row.slice(0, 9), name);
      assert.equal(data.k.L - data.k.f, 2, name);
    } else assert.deepEqual([t, T], [row[0], row[6]]);
    const { data: pair } = await futures.next(({ data: frame }) => isWhole(frame));
    assert.deepEqual(
      [pair.e, pair.ps, pair.ct, pair.s, pair.k.s],
      ["continuous_kline", "ETHUSDT", "PERPETUAL", undefined, undefined],
    );
    assert.equal(pair.k.o, o.slice(0, -6), name);
    if (name !== "1s") assert.deepEqual([pair.k.t, pair.k.T], [t, T], name);
    else assert.equal(pair.k.T - pair.k.t, 999);
  }
  // A second that a slow machine closed too early is closed again with its late trades: its last frame counts.
  const seconds = (): Frame[] => {
    const closed = spot.frames.filter(({ data }) => data.k.i === "1s" && data.k.x);
    return [...new Map(closed.map(({ data: { k } }) => [k.t, k])).values()];
  };
  await spot.until(() => seconds().reduce((sum, { n }) => sum + n, 0) === 3);
  const total = seconds().reduce((sum, { v }) => sum + Number(v), 0);
  assert.ok(Math.abs(total - 0.6) < 1e-9, `${total}`);
});

test("STR-36 a candle that is subscribed in its middle includes its earlier trades", async () => {
  // All trades of this test must fall into one candle of half a day.
  await front.untilRoomIn(43_200_000, 60_000);
  for (const price of [300_000, 300_020]) trade(2, price);
  const heldOf = async (interval: string) => {
    const path = `/compat/api/v3/klines?symbol=CETH-USDC&interval=${interval}&limit=1`;
    return (await front.fetch(path)).json[0];
  };
  const names = ["12h", "1M"];
  const held = await Promise.all(names.map(heldOf));
  const client = await open("/ws/ceth-usdc@kline_12h/ceth-usdc@kline_1M");
  trade(2, 300_030);
  for (const [at, name] of names.entries()) {
    // A frame may have been sent before the trade.
    const isNewest = ({ k }: Frame) => k.i === name && k.n === held[at][8] + 1;
    const { k } = await client.next(isNewest);
    assert.deepEqual([k.t, k.o, k.h], [...held[at].slice(0, 2), "3000.30000000"], name);
    assert.ok(k.n > 2, "the earlier trades must count");
  }
});

test("STR-37 a list of all markets has those of its kind, spot or perpetual, by the start of the address", async () => {
  trade(5, 300_000);
  const names = ["!ticker@arr", "!miniTicker@arr@1000ms", "!markPrice@arr@1s"];
  const spot = await open(`/stream?streams=${names.join("/")}/!ticker_1h@arr/!bookTicker`);
  const futures = await open(`/market/stream?streams=${names.join("/")}/!bookTicker`);
  const bare = await open("/ws/!miniTicker@arr");
  const listOf = async (client: StreamClient, stream: string) =>
    (await client.next((frame) => frame.stream === stream)).data;
  const symbols = (list: Frame) => list.map(({ s }: Frame) => s);
  for (const name of names.slice(0, 2)) {
    assert.deepEqual(symbols(await listOf(spot, name)), ["CETH-USDC"], name);
    assert.deepEqual(symbols(await listOf(futures, name)), ["ETHUSDT"], name);
  }
  const [row] = await listOf(spot, "!ticker@arr");
  assert.deepEqual([row.e, row.c], ["24hrTicker", "3000.30000000"]);
  const [mini] = await bare.next(Array.isArray);
  assert.deepEqual([mini.e, mini.s], ["24hrMiniTicker", "CETH-USDC"]);
  for (const client of [spot, futures]) {
    const [mark] = await listOf(client, "!markPrice@arr@1s");
    assert.deepEqual([mark.e, mark.s], ["markPriceUpdate", "ETHUSDT"]);
  }
  assert.deepEqual(symbols(await listOf(spot, "!ticker_1h@arr")), ["CETH-USDC"]);
  front.venue.buy(buyer, 2, 290_000, 100);
  front.venue.buy(buyer, 5, 290_000, 100);
  const isBook = ({ stream, data }: Frame) => stream === "!bookTicker" && Number(data.b) === 2900;
  assert.deepEqual(Object.keys((await spot.next(isBook)).data), ["u", "s", "b", "B", "a", "A"]);
  assert.equal((await futures.next(isBook)).data.s, "ETHUSDT");
  const books = [...spot.frames, ...futures.frames].filter(isBook).map(({ data }) => data.s);
  assert.deepEqual(books, ["CETH-USDC", "ETHUSDT"], "Each market of this kind must be sent once");
});

test("STR-37 STR-48 a delisted market leaves the lists, and a market without a trade shows the middle of its book", async () => {
  front.venue.sell(seller, 0, 1520, 1000);
  front.venue.buy(buyer, 0, 1480, 1000);
  const client = await open("/ws/!miniTicker@arr/cc-usdc@avgPrice/cc-usdc@ticker_4h");
  const hasCoin = (frame: Frame) => Array.isArray(frame) && frame.some(({ s }) => s === "CC-USDC");
  const list = await client.next(hasCoin);
  assert.equal(list.find(({ s }: Frame) => s === "CC-USDC").c, "0.15000000");
  assert.equal((await client.next(({ e }) => e === "avgPrice")).w, "0.15000000");
  assert.equal((await client.next(({ e }) => e === "4hTicker")).c, "0.15000000");
  front.venue.done({ kind: CommandKind.setMarketStatus, market: 0, status: MarketStatus.delisted });
  // Lists from before may have been on their way.
  const without = (frame: Frame) => Array.isArray(frame) && !hasCoin(frame);
  const left = await client.next(without, client.frames.length);
  const next = await client.next(Array.isArray, client.frames.indexOf(left) + 1);
  assert.equal(hasCoin(next), false);
});

test("STR-37 STR-48 CMP-11 CMP-33 a market without any price has no ticker frames, and never a price of zero", async () => {
  trade(2, 300_010);
  const silent = ["ticker", "miniTicker", "ticker_1h", "avgPrice"].map(
    (name) => `cbtc-usdc@${name}`,
  );
  const client = await open(`/ws/${silent.join("/")}/ceth-usdc@ticker`);
  const futures = await open("/market/ws/btcusdt@ticker/btcusdt@miniTicker/ethusdt@ticker");
  await client.until(() => client.frames.length >= 3);
  assert.deepEqual([...new Set(client.frames.map(({ s }) => s))], ["CETH-USDC"]);
  await futures.until(() => futures.frames.length >= 3);
  assert.deepEqual([...new Set(futures.frames.map(({ s }) => s))], ["ETHUSDT"]);
});

test("STR-37 STR-47 windows of tickers and the average price have Binance's fields", async () => {
  const client = await open("/ws/ceth-usdc@ticker_1h/ceth-usdc@avgPrice/ceth-usdc@ticker_1d");
  const hour = await client.next(({ e }) => e === "1hTicker");
  assert.equal(Object.keys(hour).join(" "), "e E s p P o h l c w v q O C F L n");
  assert.equal(hour.O % 60_000, 0);
  assert.ok(hour.C - hour.O >= 3_600_000 && hour.C - hour.O < 3_660_000);
  const { json } = await front.fetch("/compat/api/v3/ticker?symbol=CETH-USDC&windowSize=1h");
  assert.deepEqual(
    [hour.o, hour.h, hour.l, hour.c, hour.v, hour.q, hour.n],
    [
      json.openPrice,
      json.highPrice,
      json.lowPrice,
      json.lastPrice,
      json.volume,
      json.quoteVolume,
    ].concat(json.count),
  );
  assert.equal((await client.next(({ e }) => e === "1dTicker")).n, hour.n);
  const average = await client.next(({ e }) => e === "avgPrice");
  assert.equal(Object.keys(average).join(" "), "e E s i w T");
  const rest = await front.fetch("/compat/api/v3/avgPrice?symbol=CETH-USDC");
  assert.deepEqual([average.i, average.w, average.T], ["5m", rest.json.price, rest.json.closeTime]);
});

test("STR-14 STR-17 a depth stream at 0 ms is the diff stream", async () => {
  const client = await open("/ws/ceth-usdc@depth@0ms");
  assert.equal((await client.next(() => true)).snapshot, true);
});

test("STR-38 an unknown stream name is ignored beside a known one, and closes the connection if it is alone", async () => {
  for (const path of ["/stream", "/public/stream", "/market/stream"]) {
    const client = await open(`${path}?streams=ethusdt@depth5/nope@trade/ethusdt@rpiDepth@500ms`);
    await client.next(({ stream }) => stream === "ethusdt@depth5");
    client.send({ method: "LIST_SUBSCRIPTIONS", id: 1 });
    assert.deepEqual((await client.next(({ id }) => id === 1)).result, ["ethusdt@depth5"]);
  }
  const bare = await open("/ws/nope@trade/ethusdt@depth5");
  await bare.next(({ e }) => e === "depthUpdate");
  for (const path of ["/ws/nope@trade", "/stream?streams=nope@trade/other@trade"]) {
    const { code, reason } = await (await open(path)).end();
    assert.deepEqual([code, reason], [1008, "unknown stream: nope@trade"], path);
  }
  const requested = await open("/ws");
  requested.send({ method: "SUBSCRIBE", params: ["ethusdt@trade", "nope@trade"], id: 2 });
  const refused = await requested.next(({ id }) => id === 2);
  assert.match(refused.error.msg, /unknown stream: nope@trade/);
});

test("STR-36 STR-37 the root has none of these streams", async () => {
  const names = ["cc-usdc@kline_5m", "cc-usdc@kline_1M", "!ticker@arr", "cc-usdc@avgPrice"];
  for (const name of [...names, "cc-usdc@ticker_1h", "!bookTicker"]) {
    const url = `${front.base.replace("http", "ws")}/ws/${name}`;
    const client = await StreamClient.open(url);
    clients.push(client);
    assert.equal((await client.end()).code, 1008, name);
  }
});

for (const root of ["", "/public", "/market", "/private"]) {
  test(`STR-15 ${root}/ws and ${root}/stream of futures accept every stream and request`, async () => {
    const wrapped = await open(`${root}/stream?streams=ethusdt@markPrice/ethusdt@depth20@100ms`);
    const bare = await open(`${root}/ws`);
    bare.send({
      method: "SUBSCRIBE",
      params: ["ethusdt@markPrice@1s", "ethusdt@bookTicker"],
      id: 1,
    });
    assert.equal((await bare.next(({ id }) => id === 1)).result, null);
    await wrapped.next(
      ({ stream, data }) => stream === "ethusdt@markPrice" && data.s === "ETHUSDT",
    );
    await wrapped.next(({ stream }) => stream === "ethusdt@depth20@100ms");
    await bare.next(({ e }) => e === "markPriceUpdate");
  });
}
