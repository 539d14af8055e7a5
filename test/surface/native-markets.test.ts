// Proves public market data under /v1: listing, candles of every period compared with sums over the trades, ticker,
// book, trades, funding, icons, and the refusals of each.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { candlePeriods } from "../../schemas/http/native.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind, type Traded } from "../../src/core/generated/events.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { marketId } from "../support/machine/test-markets.ts";
import { FrontFixture } from "./front-fixture.ts";

const of = "/v1/markets/BTC-PERP";
const dayMs = 86_400_000;

let front: FrontFixture;
let trades: Traded[];

/** Makes several hundred trades over half a year, in bursts with long pauses. */
before(async () => {
  front = await FrontFixture.open();
  const { venue } = front;
  const random = new SeededRandom(7);
  const [maker, taker] = [venue.fund(10n ** 15n), venue.fund(10n ** 15n)];
  for (let step = 0; step < 700; step++) {
    const isQuiet = random.below(20) === 0;
    front.advance(isQuiet ? random.below(9 * dayMs) : random.below(200_000));
    const price = 6_000_000 + random.below(1_000);
    const qty = 1 + random.below(9);
    if (random.below(2) === 0) {
      venue.sell(maker, marketId.btcPerp, price, qty);
      venue.buy(taker, marketId.btcPerp, price, qty);
    } else {
      venue.buy(maker, marketId.btcPerp, price, qty);
      venue.sell(taker, marketId.btcPerp, price, qty);
    }
  }
  venue.buy(maker, marketId.btcPerp, 5_999_000, 30);
  venue.buy(maker, marketId.btcPerp, 5_998_000, 40);
  venue.sell(maker, marketId.btcPerp, 6_001_500, 20);
  trades = venue.events.filter((event): event is Traded => event.kind === EventKind.traded);
  assert.equal(trades.length, 700);
});
after(() => front.close());

/** Reads a path in a new minute, so that the limit on request weight is never reached. */
async function read(path: string, expected = 200) {
  front.advance(60_000);
  const answer = await front.fetch(path);
  assert.equal(answer.status, expected, answer.text);
  return answer;
}

test("NAT-4 the listing has the three perpetuals, with exactly seven fields each", async () => {
  const { json } = await read("/v1/markets");
  const terms = { quote: "USDT", max_leverage: 100, min_qty: "0.001" };
  const row = (base: string, tick: string) => ({
    symbol: `${base}-PERP`,
    base,
    icon_url: `/v1/icons/${base.toLowerCase()}.svg`,
    tick_size: tick,
    ...terms,
  });
  assert.deepEqual(json, [row("BTC", "0.01"), row("ETH", "0.01"), row("CC", "0.0001")]);
});

test("NAT-5 the icons of the listing are images that clients can cache", async () => {
  const { json: markets } = await read("/v1/markets");
  for (const { icon_url: url } of markets) {
    const { headers, text } = await read(url);
    assert.equal(headers.get("content-type"), "image/svg+xml");
    assert.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[\s\S]*<\/svg>\n$/);
    const etag = headers.get("etag") ?? "";
    assert.match(etag, /^"[\w-]{22}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await front.fetch(url, { headers: { "if-none-match": known } });
      assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag]);
    }
    const changed = await front.fetch(url, { headers: { "if-none-match": '"other"' } });
    assert.deepEqual([changed.status, changed.text], [200, text]);
  }
  for (const name of ["usdc.svg", "BTC.svg", "btc", "..%2fbtc.svg"]) {
    assert.equal((await read(`/v1/icons/${name}`, 404)).text, "not found");
  }
});

interface Bucket {
  readonly bucket_ms: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

const periodMs = { m: 60_000, h: 3_600_000, d: dayMs } as const;

/** Returns the start of the candle that contains a time: Monday for weeks, otherwise a multiple of the period. */
function startOf(period: string, atMs: number): number {
  if (period !== "1w") {
    const width = Number.parseInt(period, 10) * periodMs[period.at(-1) as "m" | "h" | "d"];
    return atMs - (atMs % width);
  }
  const midnight = atMs - (atMs % dayMs);
  return midnight - ((new Date(midnight).getUTCDay() + 6) % 7) * dayMs;
}

function bucketsOf(period: string): Bucket[] {
  const starts = new Map<number, Traded[]>();
  for (const trade of trades) {
    const start = startOf(period, Math.floor(trade.tsUs / 1000));
    starts.set(start, [...(starts.get(start) ?? []), trade]);
  }
  const price = (ticks: number) => (ticks / 100).toFixed(2);
  return [...starts].map(([bucket_ms, inside]) => {
    const prices = inside.map((trade) => trade.price);
    return {
      bucket_ms,
      open: price(prices[0] ?? 0),
      high: price(Math.max(...prices)),
      low: price(Math.min(...prices)),
      close: price(prices.at(-1) ?? 0),
      volume: (inside.reduce((sum, { qty }) => sum + qty, 0) / 1000).toFixed(3),
    };
  });
}

test("NAT-6 NAT-61 NAT-7 candles of all thirteen periods equal sums over the trades, and the limit selects the newest", async () => {
  assert.equal(candlePeriods.length, 13);
  for (const period of candlePeriods) {
    const expected = bucketsOf(period);
    assert(expected.length > 10, period);
    for (const name of ["period", "interval"]) {
      const { json } = await read(`${of}/candles?${name}=${period}&limit=2000`);
      assert.deepEqual(json, expected, `${name} ${period}`);
    }
    for (const limit of [1, 2, 9]) {
      const { json } = await read(`${of}/candles?period=${period}&limit=${limit}`);
      assert.deepEqual(json, expected.slice(-limit), `${period} ${limit}`);
    }
  }
});

test("NAT-7 the limit of candles is 500 by default and is clamped to 1 … 2000", async () => {
  const minutes = bucketsOf("1m");
  assert(minutes.length > 500);
  const send = async (more: string) => (await read(`${of}/candles?period=1m${more}`)).json;
  assert.deepEqual(await send(""), minutes.slice(-500));
  for (const limit of ["0", "-1", "-999999999999999", "1"]) {
    assert.deepEqual(await send(`&limit=${limit}`), minutes.slice(-1), limit);
  }
  for (const limit of ["2001", "999999999999999"]) {
    assert.deepEqual(await send(`&limit=${limit}`), minutes, limit);
  }
});

test("NAT-6 the newest candle follows each trade, and period takes precedence over its alias", async () => {
  const [before] = (await read(`${of}/candles?period=1d&limit=1`)).json;
  const [buyer, seller] = [front.venue.fund(10n ** 12n), front.venue.fund(10n ** 12n)];
  front.advance(dayMs);
  front.venue.sell(seller, marketId.btcPerp, 6_001_234, 5);
  front.venue.buy(buyer, marketId.btcPerp, 6_001_234, 5);
  trades.push(front.venue.events.findLast((event) => event.kind === EventKind.traded) as Traded);
  const { json } = await read(`${of}/candles?period=1d&interval=1m&limit=1`);
  assert.deepEqual(json, bucketsOf("1d").slice(-1));
  const [newest] = json;
  assert((newest?.bucket_ms ?? 0) > (before?.bucket_ms ?? 0));
});

test("NAT-8 the ticker shows prices, the last 24 hours and funding, and null for missing values", async () => {
  const { json } = await read(`${of}/ticker`);
  const nowMs = front.nowUs() / 1000;
  const day = trades.filter(({ tsUs }) => tsUs / 1000 >= nowMs - dayMs - 60_000);
  const volume = day.reduce((sum, { qty }) => sum + qty, 0);
  assert.deepEqual(Object.keys(json), [
    "symbol",
    "last_price",
    "mark_price",
    "index_price",
    "high_24h",
    "low_24h",
    "volume_24h",
    "quote_volume_24h",
    "change_24h",
    "open_interest",
    "funding_rate",
    "next_funding_at",
  ]);
  assert.equal(json.symbol, "BTC-PERP");
  assert.equal(json.last_price, "60012.34");
  assert.equal(json.index_price, null);
  assert.equal(json.volume_24h, (volume / 1000).toFixed(3));
  assert.match(json.change_24h, /^-?\d+\.\d{3}$/);
  assert.match(json.open_interest, /^\d+\.\d{3}$/);
  const nextMs = Date.parse(json.next_funding_at);
  assert(nextMs > nowMs && nextMs - nowMs <= 28_800_000 && nextMs % 28_800_000 === 0);
  const untouched = (await read("/v1/markets/ETH-PERP/ticker")).json;
  const { next_funding_at: _, ...figures } = untouched;
  assert.deepEqual(figures, {
    symbol: "ETH-PERP",
    last_price: null,
    mark_price: null,
    index_price: null,
    high_24h: null,
    low_24h: null,
    volume_24h: "0.000",
    quote_volume_24h: "0.000000",
    change_24h: "0.000",
    open_interest: "0.000",
    funding_rate: "0.00000000",
  });
});

test("NAT-9 the order book shows levels best first, as many as requested, with its seq", async () => {
  const { json } = await read(`${of}/orderbook`);
  assert.deepEqual(Object.keys(json), ["symbol", "seq", "bids", "asks"]);
  assert.deepEqual(json.bids.slice(0, 1), [["59990.00", "0.030"]]);
  assert.deepEqual(json.asks, [["60015.00", "0.020"]]);
  assert(json.seq > 0 && json.seq <= front.state.seq);
  const one = (await read(`${of}/orderbook?depth=0`)).json;
  assert.deepEqual([one.bids.length, one.asks.length], [1, 1]);
});

test("NAT-10 NAT-71 recent trades come newest first with the side of the taker", async () => {
  const { json } = await read(`${of}/recent-trades?limit=3`);
  const newest = trades.slice(-3).reverse();
  assert.deepEqual(
    json.trades.map(({ id: _, ...rest }: { id: string }) => rest),
    newest.map(({ price, qty, takerSide, tsUs }) => ({
      price: (price / 100).toFixed(2),
      qty: (qty / 1000).toFixed(3),
      side: takerSide === 0 ? "BUY" : "SELL",
      time: new Date(Math.floor(tsUs / 1000)).toISOString(),
    })),
  );
  const ids = json.trades.map(({ id }: { id: string }) => id);
  assert(ids.every((id: string) => /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id)));
  assert.equal(new Set(ids).size, 3);
  assert.equal((await read(`${of}/recent-trades`)).json.trades.length, 100);
});

test("NAT-11 funding shows the next rate, the settled rates newest first, and the terms", async () => {
  const before = (await read("/v1/markets/CC-PERP/funding-rate")).json;
  assert.deepEqual([before.rate, before.history], [null, []]);
  front.venue.done({ kind: CommandKind.settleFunding });
  front.advance(1000);
  front.venue.done({ kind: CommandKind.settleFunding });
  const { json } = await read(`${of}/funding-rate`);
  assert.deepEqual(Object.keys(json), [
    "symbol",
    "rate",
    "predicted_rate",
    "interval_hours",
    "next_funding_at",
    "history",
  ]);
  assert.deepEqual([json.symbol, json.interval_hours], ["BTC-PERP", 8]);
  assert(json.history.length >= 2);
  assert.equal(json.rate, json.history[0].rate);
  const times = json.history.map(({ time }: { time: string }) => time);
  assert.deepEqual(times, [...times].sort().reverse());
});

test("NAT-12 an invalid symbol, period, limit or query gets 400 with its name", async () => {
  const refused = async (path: string, message: string) => {
    const { text, headers } = await read(path, 400);
    assert.deepEqual([text, headers.get("content-type")], [message, "text/plain; charset=utf-8"]);
  };
  const reads = ["candles?period=1m", "ticker", "orderbook", "recent-trades", "funding-rate"];
  for (const symbol of ["XRP-PERP", "btc-perp", "CC-USDC", "%27%20or%201%3D1", "__proto__"]) {
    for (const what of reads) await refused(`/v1/markets/${symbol}/${what}`, "unknown symbol");
  }
  await refused(`${of}/candles`, `period must be one of ${candlePeriods.join(", ")}`);
  for (const period of ["8h", "1M", "1s", "1", "", "constructor"]) {
    const message = period === "" ? "period must be one of" : "invalid query parameter: period";
    const { text } = await read(`${of}/candles?period=${period}`, 400);
    assert(text.startsWith(message), text);
  }
  await refused(`${of}/candles?interval=2m`, "invalid query parameter: interval");
  for (const limit of ["x", "1.5", "1e3", "0x10", "9".repeat(16), "%20"]) {
    await refused(`${of}/candles?period=1m&limit=${limit}`, "invalid query parameter: limit");
    await refused(`${of}/orderbook?depth=${limit}`, "invalid query parameter: depth");
    await refused(`${of}/recent-trades?limit=${limit}`, "invalid query parameter: limit");
  }
  await refused(`${of}/candles?period=1m&period=1h`, "invalid query parameter: period");
});
