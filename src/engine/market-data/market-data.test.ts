// Market data compared with the simplest implementation: a map of levels, a list of trades.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { candlesKept, tapeLength } from "../../core/limits.ts";
import { Side } from "../../core/orders.ts";
import { type Candle, Candles } from "./candles.ts";
import { DepthBook, DepthMemory } from "./depth-book.ts";
import { TradeTape } from "./trade-tape.ts";

function levelsOf(book: DepthBook, side: Side, limit: number): [number, number][] {
  const levels: [number, number][] = [];
  book.visit(side, limit, (price, qty) => levels.push([price, qty]));
  return levels;
}

interface DepthStep {
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly isRemoval: boolean;
}

type LevelMaps = readonly [Map<number, number>, Map<number, number>];

/** Applies the step to the book and to the maps, unless the level has fewer lots than the step removes. */
function takeStep(book: DepthBook, maps: LevelMaps, step: DepthStep): void {
  const { side, price, qty, isRemoval } = step;
  const had = maps[side].get(price) ?? 0;
  if (isRemoval && had < qty) return;
  if (isRemoval) book.remove(side, price, qty);
  else book.add(side, price, qty);
  maps[side].set(price, isRemoval ? had - qty : had + qty);
}

test("depth equals a map of levels sorted best first, after any additions and removals", () => {
  const step = fc.record({
    side: fc.constantFrom(Side.buy, Side.sell),
    price: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(1023, 1024, 1_000_000_000)),
    qty: fc.integer({ min: 1, max: 9 }),
    isRemoval: fc.boolean(),
  });
  const limits = fc.integer({ min: 1, max: 6 });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), limits, (steps, limit) => {
      const book = new DepthBook(new DepthMemory(200));
      const maps: LevelMaps = [new Map(), new Map()];
      for (const each of steps) takeStep(book, maps, each);
      for (const side of [Side.buy, Side.sell]) {
        const sign = side === Side.buy ? -1 : 1;
        const levels = [...maps[side]].filter(([, qty]) => qty > 0);
        levels.sort(([a], [b]) => sign * (a - b));
        assert.equal(book.levels(side), levels.length);
        assert.equal(book.best(side), levels[0]?.[0] ?? 0);
        assert.deepEqual(levelsOf(book, side, limit), levels.slice(0, limit));
      }
    }),
  );
});

test("100,000 distant levels per side can be added, read best first, and removed", () => {
  const count = 100_000;
  const book = new DepthBook(new DepthMemory(2 * count));
  const priceOf = (at: number) => 1 + ((at * 7919) % count) * 9000;
  for (let at = 0; at < count; at++) {
    book.add(Side.buy, priceOf(at), 1);
    book.add(Side.sell, priceOf(at), 2);
  }
  const best = (side: Side) => levelsOf(book, side, 3).map(([price]) => price);
  assert.deepEqual(best(Side.sell), [1, 9001, 18_001]);
  assert.deepEqual(best(Side.buy), [899_991_001, 899_982_001, 899_973_001]);
  for (let at = 0; at < count; at++) book.remove(Side.buy, priceOf(at), 1);
  assert.deepEqual([book.levels(Side.buy), book.levels(Side.sell)], [0, count]);
});

test("removing more than a level has fails an assertion", () => {
  const book = new DepthBook(new DepthMemory(200));
  book.add(Side.buy, 5, 3);
  assert.throws(() => book.remove(Side.buy, 5, 4));
  assert.throws(() => book.remove(Side.buy, 4, 1));
  assert.throws(() => book.add(Side.sell, 5, 0));
});

test("the trade tape keeps the newest trades, oldest first", () => {
  const tape = new TradeTape();
  assert.equal(tape.newest(), undefined);
  assert.deepEqual(tape.latest(5), []);
  for (let tradeId = 1; tradeId <= tapeLength + 7; tradeId++) {
    tape.add({ tradeId, tsUs: tradeId, takerOrderId: 1, price: 1, qty: 1, takerSide: Side.buy });
  }
  assert.equal(tape.newest()?.tradeId, tapeLength + 7);
  assert.deepEqual(
    tape.latest(2).map(({ tradeId }) => tradeId),
    [tapeLength + 6, tapeLength + 7],
  );
  const all = tape.latest(5000);
  assert.equal(all.length, tapeLength);
  assert.equal(all[0]?.tradeId, 8);
  assert.throws(() =>
    tape.add({ tradeId: 3, tsUs: 9, takerOrderId: 1, price: 1, qty: 1, takerSide: Side.buy }),
  );
});

const intervalMs = 60_000;

/** Candles from scratch: group by bucket, then fold each group. */
function candlesOf(
  trades: readonly { tsUs: number; price: number; qty: number; takerSide: Side }[],
) {
  const groups = new Map<number, typeof trades>();
  for (const trade of trades) {
    const key = Math.floor(trade.tsUs / 1000 / intervalMs) * intervalMs;
    groups.set(key, [...(groups.get(key) ?? []), trade]);
  }
  return [...groups].map(([openTimeMs, group]): Candle => {
    const prices = group.map(({ price }) => price);
    const buys = group.filter(({ takerSide }) => takerSide === Side.buy);
    const volume = (list: typeof trades) => list.reduce((sum, { qty }) => sum + qty, 0);
    const quote = (list: typeof trades) =>
      list.reduce((sum, { qty, price }) => sum + BigInt(qty * price), 0n);
    return {
      openTimeMs,
      open: prices[0] ?? 0,
      high: Math.max(...prices),
      low: Math.min(...prices),
      close: prices.at(-1) ?? 0,
      volume: volume(group),
      quote: quote(group),
      count: group.length,
      takerBuyVolume: volume(buys),
      takerBuyQuote: quote(buys),
    };
  });
}

test("KLN-3 candles equal buckets computed from the trades, and there is no candle for an empty bucket", () => {
  const trade = fc.record({
    gapUs: fc.integer({ min: 1, max: 150_000_000 }),
    price: fc.integer({ min: 1, max: 100 }),
    qty: fc.integer({ min: 1, max: 100 }),
    takerSide: fc.constantFrom(Side.buy, Side.sell),
  });
  fc.assert(
    fc.property(fc.array(trade, { maxLength: 60 }), fc.nat(60), (list, cut) => {
      let tsUs = 1_790_000_000_000_000;
      const trades = list.map(({ gapUs, ...rest }) => {
        tsUs += gapUs;
        return { ...rest, tsUs, quote: BigInt(rest.qty * rest.price) };
      });
      const expected = candlesOf(trades);
      const candles = new Candles(intervalMs);
      candles.seed(candlesOf(trades.slice(0, cut)));
      for (const each of trades.slice(cut)) candles.add(each);
      assert.deepEqual(candles.since(0), expected);
      const after = expected[1]?.openTimeMs ?? 0;
      assert.deepEqual(
        candles.since(after),
        expected.filter(({ openTimeMs }) => openTimeMs > after),
      );
    }),
  );
});

test("only the newest candles are kept, and an older trade or late stored candles fail an assertion", () => {
  const candles = new Candles(intervalMs);
  const at = (bucket: number) => ({
    tsUs: bucket * intervalMs * 1000,
    price: 1,
    qty: 1,
    quote: 1n,
    takerSide: Side.sell,
  });
  for (let bucket = 1; bucket <= candlesKept + 3; bucket++) candles.add(at(bucket));
  assert.equal(candles.since(0).length, candlesKept);
  assert.equal(candles.since(0)[0]?.openTimeMs, 4 * intervalMs);
  assert.throws(() => candles.add(at(2)));
  assert.throws(() => candles.seed([]));
});
