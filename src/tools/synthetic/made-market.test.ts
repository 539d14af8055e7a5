// Proves that made markets follow from script and seed alone, that their books are sound, and that each ready script does
// what it promises.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PastBook, PastEvent, PastTrade } from "../replay/past-events.ts";
import { crowdOf } from "./crowd.ts";
import { type MadeMarketTerms, madeMarket, secondsOf } from "./made-market.ts";
import { readScript, readyScripts, scriptWith } from "./ready-scripts.ts";

const market = { tickDecimals: 1, lotDecimals: 3, leastValue: 50_000 };
const firstTicks = 600_000;
const fromUs = 1_748_908_800_000_000;
const secondUs = 1_000_000;

type Settings = Readonly<Record<string, number>>;

function made(name: string, settings: Settings = {}, terms: Partial<MadeMarketTerms> = {}) {
  const script = scriptWith(readScript(name), settings);
  const seconds = secondsOf(script);
  const all = { script, market, firstTicks, fromUs, seconds, seed: 3, levels: 20, ...terms };
  const crowd = crowdOf(script, all.seed);
  return [...madeMarket({ crowd, takeForced: () => 0, ...all })].flat();
}

const booksOf = (events: readonly PastEvent[]) =>
  events.filter((event): event is PastBook => event.kind === "book");
const tradesOf = (events: readonly PastEvent[]) =>
  events.filter((event): event is PastTrade => event.kind === "trade");
const secondOf = ({ atUs }: PastEvent) => Math.floor((atUs - fromUs) / secondUs);
const within = <Event extends PastEvent>(events: readonly Event[], from: number, to: number) =>
  events.filter((event) => secondOf(event) >= from && secondOf(event) < to);

/** Middles of all books with both sides, in ticks. */
function middlesOf(events: readonly PastEvent[]): number[] {
  return booksOf(events).flatMap(({ bids: [bid], asks: [ask] }) =>
    bid === undefined || ask === undefined ? [] : [(bid[0] + ask[0]) / 2],
  );
}

function percent(from: number | undefined, to: number | undefined): number {
  assert.ok(from !== undefined && to !== undefined);
  return (100 * (to - from)) / from;
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean lots of a book. */
const depthOf = (events: readonly PastEvent[]) =>
  mean(
    booksOf(events).map(({ bids, asks }) =>
      [...bids, ...asks].reduce((sum, [, qty]) => sum + qty, 0),
    ),
  );
const spreadOf = ({ bids: [bid], asks: [ask] }: PastBook) => (ask?.[0] ?? 0) - (bid?.[0] ?? 0);
/** The mean move from one moment to the next, as a share of the price. */
function roughness(events: readonly PastEvent[]): number {
  const middles = middlesOf(events);
  return mean(middles.slice(1).map((one, at) => Math.abs(percent(middles[at], one))));
}

for (const { name } of readyScripts)
  test(`REW-70 ${name}: the same seed makes the same events, another one others, and books are sound`, () => {
    const events = made(name);
    assert.deepEqual(made(name), events);
    assert.notDeepEqual(made(name, {}, { seed: 4 }), events);
    let lastUs = 0;
    for (const event of events) {
      assert.ok(event.atUs >= lastUs, "in the order of time");
      lastUs = event.atUs;
      const levels = event.kind === "book" ? [...event.bids, ...event.asks] : [];
      const figures = event.kind === "book" ? levels.flat() : [event.price, event.qty];
      assert.ok(
        figures.every((one) => Number.isSafeInteger(one) && one > 0),
        figures.join(),
      );
      if (event.kind === "trade") continue;
      const [[bid], [ask]] = [event.bids, event.asks];
      assert.ok(bid === undefined || ask === undefined || bid[0] < ask[0], "not crossed");
    }
    assert.ok(tradesOf(events).length > 0, "there are trades");
  });

test("REW-70 each trade is with what the moment of depth before it and the trades since have left", () => {
  let left = new Map<number, number>();
  let checked = 0;
  for (const event of made("calm"))
    if (event.kind === "book") left = new Map(event.asks);
    else if (event.isBuy) {
      const there = left.get(event.price) ?? 0;
      assert.ok(event.qty <= there, `${event.qty} of ${there} at ${event.price}`);
      left.set(event.price, there - event.qty);
      checked++;
    }
  assert.ok(checked > 50, `${checked} trades`);
});

test("REW-72 calm: the price stays within one percent of the first one", () => {
  for (const middle of middlesOf(made("calm")))
    assert.ok(Math.abs(percent(firstTicks, middle)) < 1);
});

test("REW-72 trending: the price drifts by its trend, up or down", () => {
  // 30 bps in each of 10 minutes, give or take the random walk.
  for (const trend_bps of [30, -30]) {
    const moved = percent(firstTicks, middlesOf(made("trending", { trend_bps })).at(-1));
    assert.ok(Math.sign(moved) === Math.sign(trend_bps), `${moved}`);
    assert.ok(Math.abs(moved) > 1.5 && Math.abs(moved) < 5, `${moved}`);
  }
});

test("REW-72 volatile: the price moves far more than in a calm market", () => {
  assert.ok(roughness(made("volatile")) > 4 * roughness(made("calm")));
});

for (const [fall_percent, fall_s] of [
  [10, 20],
  [40, 5],
] as const)
  test(`REW-72 flash-crash: the price falls ${fall_percent} % in ${fall_s} s through a thin book, and recovers`, () => {
    const events = made("flash-crash", { fall_percent, fall_s });
    const [before, fall] = [within(events, 0, 60), within(events, 60, 60 + fall_s)];
    const begin = middlesOf(before).at(-1);
    // All makers quote anew when the fall is over, so that the middle is at the value.
    const bottom = percent(begin, Math.min(...middlesOf(within(events, 60, 61 + fall_s))));
    assert.ok(Math.abs(bottom + fall_percent) < 0.5, `fell by ${bottom} %`);
    assert.ok(depthOf(fall) < depthOf(before) / 4, `${depthOf(fall)} of ${depthOf(before)}`);
    assert.ok(
      tradesOf(fall).some(({ isBuy }) => !isBuy),
      "sold on the way",
    );
    const recovered = middlesOf(within(events, 60 + fall_s, 180 + fall_s)).at(-1);
    const missing = percent(firstTicks, recovered);
    assert.ok(Math.abs(missing + 0.2 * fall_percent) < 0.5, `${missing} %`);
  });

test("REW-72 thin-night: a tenth of the depth, a wider spread and fewer trades than in a calm market", () => {
  const [night, calm] = [made("thin-night"), made("calm")];
  assert.ok(depthOf(night) < depthOf(calm) / 10, `${depthOf(night)} of ${depthOf(calm)}`);
  assert.ok(mean(booksOf(night).map(spreadOf)) > 3 * mean(booksOf(calm).map(spreadOf)));
  assert.ok(tradesOf(night).length < tradesOf(calm).length / 3);
});

test("REW-72 gap-open: the book is empty for a while, and opens at another price without trades on the way", () => {
  const events = made("gap-open", { gap_percent: 5, closed_s: 10 });
  const [before, closed] = [within(events, 0, 120), within(events, 120, 130)];
  assert.ok(booksOf(closed).length > 0);
  for (const { bids, asks } of booksOf(closed)) assert.deepEqual([bids, asks], [[], []]);
  assert.equal(tradesOf(closed).length, 0);
  const gap = percent(middlesOf(before).at(-1), middlesOf(within(events, 130, 131))[0]);
  assert.ok(gap > 4.5 && gap < 5.5, `${gap} %`);
});

test("REW-72 wide-book: the spread is never less than it says", () => {
  const books = booksOf(made("wide-book", { spread_bps: 120 }));
  assert.ok(books.length > 100);
  for (const book of books) {
    const spread = spreadOf(book);
    assert.ok(spread >= 0.0119 * (book.bids[0]?.[0] ?? 0), `${spread}`);
  }
});

test("REW-72 one-sided: first there are no asks, then no bids", () => {
  const books = booksOf(made("one-sided"));
  const [bids, asks] = [within(books, 60, 120), within(books, 180, 240)];
  assert.ok(bids.length > 10 && asks.length > 10);
  assert.ok(bids.every((book) => book.asks.length === 0));
  assert.ok(bids.some((book) => book.bids.length > 0));
  assert.ok(asks.every((book) => book.bids.length === 0));
  assert.ok(asks.some((book) => book.asks.length > 0));
});

test("REW-75 liquidation-cascade: each account of the crowd buys once while the price rises", () => {
  const buys = tradesOf(made("liquidation-cascade")).filter(({ by }) => by !== undefined);
  const bought = new Set(buys.map(({ by }) => by));
  assert.deepEqual(
    [...bought],
    Array.from({ length: 60 }, (_, account) => account),
  );
  assert.ok(buys.every((buy) => buy.isBuy && secondOf(buy) < 90));
  const script = scriptWith(readScript("liquidation-cascade"), {});
  const leverages = crowdOf(script, 3).map(({ leverage }) => leverage);
  assert.ok(Math.min(...leverages) >= 20 && Math.max(...leverages) <= 50);
  assert.notDeepEqual(crowdOf(script, 4), crowdOf(script, 3));
});

test("REW-76 what is sold in liquidations pushes the value down, by the script's share", () => {
  // 500,000 in the quote asset at the begin, at 15 bps for each 100,000.
  const unit = 10 ** (market.tickDecimals + market.lotDecimals);
  let left = -500_000 * unit;
  const takeForced = () => {
    const value = left;
    left = 0;
    return value;
  };
  const pushed = middlesOf(made("liquidation-cascade", {}, { takeForced })).at(5);
  const alone = middlesOf(made("liquidation-cascade")).at(5);
  assert.ok(Math.abs(percent(alone, pushed) + 0.75) < 0.1, `${percent(alone, pushed)} %`);
});

test("REW-73 a shorter time ends the script early, and a longer one prolongs its last phase", () => {
  const events = made("one-sided", {}, { seconds: 90 });
  assert.ok(events.every((event) => secondOf(event) < 90));
  assert.deepEqual(events, within(made("one-sided"), 0, 90));
  const longer = made("one-sided", {}, { seconds: 400 });
  const added = booksOf(within(longer, 300, 400));
  assert.ok(added.length > 50 && middlesOf(added).length > 50);
});
