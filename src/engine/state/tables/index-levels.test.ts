// The index measured from the spot book: which depth counts, how far the index moves at once, price jumps, staleness,
// and the risk terms for all this.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { AccountFlag, AccountType, Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { Side } from "../../../core/orders.ts";
import { RiskTerm, riskTermRows } from "../../../core/perpetuals/risk-terms.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { Ladder } from "../../clearing/matchers/ladder.ts";
import { withinBand } from "../../risk/mark-price.ts";
import { stateHash } from "../../state-hash.ts";
import { apply } from "../apply/apply.ts";
import { captureState, restoreState } from "../snapshot/venue-snapshot.ts";
import { VenueState } from "../venue-state.ts";
import { measuredIndex, outsideIndex, unmeasuredIndex } from "./index-levels.ts";

const { btcPerp, cbtcUsdc } = marketId;
const btc = 10_000;
const rules = { windowMs: 30_000, movePpm: 5000, jumpBps: 1000, intervalUs: 1_000_000 };

function tick(venue: TestVenue, seconds = 1): void {
  venue.nowUs += seconds * 1_000_000;
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
}

function maker(venue: TestVenue, type: AccountType): number {
  const account = venue.fund(10_000_000n * oneUsdc, type);
  venue.credit(account, Wallet.spot, 2, 10n ** 10n);
  return account;
}

/** Quotes `lots` on both sides of CBTC around a price in ticks. */
function quote(venue: TestVenue, account: number, ticks: number, lots: number): void {
  venue.buy(account, cbtcUsdc, ticks - 100, lots);
  venue.sell(account, cbtcUsdc, ticks + 100, lots);
}

const exact = { units: 1, parts: 1 };

test("RSK-23 the price of a side is the average cost of filling a value there, rounded away from the middle", () => {
  const asks = new Ladder(Side.sell, exact);
  const bids = new Ladder(Side.buy, exact);
  for (const [price, lots] of [
    [103, 4],
    [100, 10],
    [103, 6],
  ] as const) {
    asks.add(price, lots);
    bids.add(200 - price, lots);
  }
  assert.equal(asks.impactPrice(1000n), 100_000, "the best price must fill the whole value");
  assert.equal(asks.impactPrice(1001n), 100_273, "the next lot must cost 103: 1,103 for 11 lots");
  assert.equal(bids.impactPrice(1001n), 99_727);
  assert.equal(asks.impactPrice(2030n), 101_500, "the whole depth must be filled");
  assert.equal(asks.impactPrice(2031n), 0, "a value above the whole depth must have no price");
});

test("RSK-23 the average is the same in whatever order 50,000 prices were added, and when it is computed again", () => {
  const count = 50_000;
  const ladders = [1, 7919, 31_337].map((stride) => {
    const asks = new Ladder(Side.sell, exact);
    for (let at = 0; at < count; at++) asks.add(1000 + ((at * stride) % count), 1);
    return asks;
  });
  // Returns the value of the best `levels` prices from 1,000 up, with one lot at each price.
  const whole = (levels: number) => (levels * (2000 + levels - 1)) / 2;
  for (const asks of ladders) {
    for (const levels of [10, 3000, 10, count]) {
      const average = Math.ceil((whole(levels) * 1000) / levels);
      assert.equal(asks.impactPrice(BigInt(whole(levels))), average);
    }
    assert.equal(asks.impactPrice(BigInt(whole(count) + 1)), 0);
  }
});

test("RSK-23 RSK-55 only orders of designated makers count as depth: house accounts and accounts that the operator named", () => {
  const venue = new TestVenue();
  const anybody = maker(venue, AccountType.standard);
  quote(venue, anybody, 9_000_000, 10 * btc);
  tick(venue);
  assert.equal(venue.state.index[btcPerp], 0);
  const mask = AccountFlag.designatedMaker;
  venue.setFlags(anybody, mask, mask);
  tick(venue);
  assert.equal(venue.state.index[btcPerp], 9_000_000);
  venue.setFlags(anybody, 0, mask);
  quote(venue, maker(venue, AccountType.house), 9_000_000, 1600);
  tick(venue);
  assert.equal(
    venue.state.indexes.of(btcPerp).isFresh,
    true,
    "the house quotes 14,400 USDC on each side",
  );
});

test("RSK-24 RSK-56 the index moves by the interval's share of the window, at most by its limit, and reaches the measured price", () => {
  const start = outsideIndex(60_000_000);
  assert.equal(
    measuredIndex(start, 60_300_000, rules).level,
    60_010_000,
    "the step must be a thirtieth of the distance",
  );
  assert.equal(
    measuredIndex(start, 59_699_999, rules).level,
    59_989_999,
    "the step must be rounded away from the old level",
  );
  const far = { ...start, believed: 90_000_000 };
  assert.equal(
    measuredIndex(far, 90_000_000, rules).level,
    60_300_000,
    "the step must be limited to 0.5 % of the level",
  );
  let state = start;
  for (let second = 0; second < 600; second++) state = measuredIndex(state, 60_000_123, rules);
  assert.equal(state.level, 60_000_123);
  const free = { ...rules, windowMs: 0, movePpm: 0 };
  assert.equal(
    measuredIndex(far, 90_000_000, free).level,
    90_000_000,
    "without window and limit the index must move at once",
  );
});

test("RSK-25 a jump is accepted when it is measured for the third time in a row, and ignored if it is not repeated", () => {
  const start = outsideIndex(60_000_000);
  const once = measuredIndex(start, 70_000_000, rules);
  assert.deepEqual([once.believed, once.leap, once.witnesses], [60_000_000, 70_000_000, 1]);
  const twice = measuredIndex(once, 71_000_000, rules);
  assert.equal(twice.level, 60_000_000);
  assert.equal(measuredIndex(twice, 71_000_000, rules).believed, 71_000_000);
  assert.equal(measuredIndex(twice, 60_000_000, rules).witnesses, 0);
  assert.equal(unmeasuredIndex(twice).witnesses, 0);
  assert.equal(
    measuredIndex(twice, 90_000_000, rules).witnesses,
    1,
    "a different jump must start its own count",
  );
});

test("RSK-26 the last good index is kept and marked stale, and replay and snapshots restore this state", () => {
  const venue = new TestVenue();
  const house = maker(venue, AccountType.house);
  quote(venue, house, 6_000_000, btc);
  tick(venue);
  venue.done({ kind: CommandKind.cancelAllOrders, account: house, market: cbtcUsdc });
  tick(venue);
  const { indexes } = venue.state;
  assert.equal(venue.state.index[btcPerp], 6_000_000);
  assert.equal(indexes.isStale(btcPerp, 60_000, venue.nowUs + 59_000_000), false);
  assert.equal(indexes.isStale(btcPerp, 60_000, venue.nowUs + 60_001_000), true);
  const before = venue.events.length;
  tick(venue, 30);
  assert.equal(venue.events.length, before, "an unchanged state must write no events");
  const replayed = new VenueState(testMarkets);
  for (const event of venue.events) apply(replayed, event);
  assert.equal(stateHash(replayed), stateHash(venue.state));
  const restored = restoreState(testMarkets, captureState(venue.state));
  assert.equal(stateHash(restored), stateHash(venue.state));
  assert.notEqual(indexes.staleUs[btcPerp], 0);
});

test("RSK-26 RSK-57 a reduce-only market accepts resting quotes of designated makers, and no other orders that open positions", () => {
  const venue = new TestVenue();
  const house = maker(venue, AccountType.house);
  const trader = venue.fund(100_000n * oneUsdc);
  quote(venue, house, 6_000_000, btc);
  tick(venue);
  venue.sell(house, btcPerp, 6_000_000, 100);
  venue.buy(trader, btcPerp, 6_000_000, 100);
  const resting = venue.buy(trader, btcPerp, 5_900_000, 100);
  venue.done({ kind: CommandKind.cancelAllOrders, account: house, market: cbtcUsdc });
  tick(venue);
  tick(venue, 61);
  const { marketReduceOnly, none } = RejectReason;
  const order = { market: btcPerp, qty: 100 };
  const place = (account: number, side: Side, price: number) =>
    venue.place({ ...order, account, side, price }).reason;
  assert.equal(place(trader, Side.buy, 6_000_000), marketReduceOnly);
  assert.equal(place(house, Side.buy, 6_000_000), none, "a resting quote must be accepted");
  assert.equal(
    place(trader, Side.sell, 6_000_000),
    none,
    "an order that closes must be able to trade with it",
  );
  assert.equal(
    place(house, Side.sell, 5_900_000),
    marketReduceOnly,
    "a quote that would trade must be refused",
  );
  const amend = { kind: CommandKind.amendOrder, account: trader, market: btcPerp } as const;
  const options = { orderId: resting, clientId: "", price: 5_950_000, qty: 100 };
  const more = { side: null, growsNot: false };
  assert.equal(venue.send({ ...amend, ...options, ...more }).reason, marketReduceOnly);
});

test("RSK-28 RSK-59 neither a distant trade of one lot nor a book of customers' orders moves the mark", () => {
  const venue = new TestVenue();
  quote(venue, maker(venue, AccountType.house), 6_000_000, btc);
  const [one, other] = [venue.fund(10_000_000n * oneUsdc), venue.fund(10_000_000n * oneUsdc)];
  tick(venue);
  venue.sell(one, btcPerp, 15_000_000, 1);
  venue.buy(other, btcPerp, 15_000_000, 1);
  venue.buy(one, btcPerp, 8_900_000, 1000);
  venue.sell(other, btcPerp, 9_000_000, 1000);
  tick(venue);
  assert.equal(venue.state.mark[btcPerp], 6_000_000);
  const house = venue.fund(10_000_000n * oneUsdc, AccountType.house);
  venue.done({ kind: CommandKind.cancelAllOrders, account: one, market: btcPerp });
  venue.done({ kind: CommandKind.cancelAllOrders, account: other, market: btcPerp });
  venue.buy(house, btcPerp, 6_002_000, 100);
  venue.sell(house, btcPerp, 6_006_000, 100);
  tick(venue);
  assert.equal(
    venue.state.mark[btcPerp],
    6_004_000,
    "the last trade must count at most at the best ask",
  );
});

test("RSK-29 the mark stays within its band around the index", () => {
  assert.equal(withinBand(6_300_000, 6_000_000, 200), 6_120_000);
  assert.equal(withinBand(5_000_000, 6_000_000, 200), 5_880_000);
  assert.equal(withinBand(6_100_000, 6_000_000, 200), 6_100_000);
  assert.equal(withinBand(6_300_000, 6_000_000, 0), 6_300_000);
  assert.equal(
    withinBand(16, 15, 200),
    15,
    "if no tick is within the band, the mark must be the index",
  );
  assert.equal(withinBand(5, 0, 200), 5);
});

test("RSK-31 an event sets a risk term within its bounds, 0 switches the term off, and other values are refused", () => {
  const venue = new TestVenue();
  const set = (market: number, value: number, term: RiskTerm = RiskTerm.indexDepth) =>
    venue.send({ kind: CommandKind.setRiskTerm, market, term, value }).reason;
  const { amountNotPositive, unknownMarket, none } = RejectReason;
  for (const { term, least, most, usual } of riskTermRows) {
    assert(usual >= least && usual <= most);
    assert.equal(set(btcPerp, most + 1, term), amountNotPositive);
    assert.equal(venue.state.riskTerms.of(btcPerp, term), usual);
  }
  assert.equal(set(btcPerp, -1), amountNotPositive);
  assert.equal(set(btcPerp, 0.5), amountNotPositive);
  assert.equal(set(cbtcUsdc, 5), unknownMarket);
  assert.equal(set(99, 5), unknownMarket);
  assert.equal(venue.events.filter(({ kind }) => kind === EventKind.riskTermSet).length, 0);
  assert.equal(set(btcPerp, 0), none);
  assert.equal(venue.state.riskTerms.of(btcPerp, RiskTerm.indexDepth), 0);
  assert.equal(set(btcPerp, 77), none);
  const replayed = new VenueState(testMarkets);
  for (const event of venue.events) apply(replayed, event);
  assert.equal(replayed.riskTerms.of(btcPerp, RiskTerm.indexDepth), 77);
  assert.equal(stateHash(replayed), stateHash(venue.state));
});

test("RSK-24 the index in ticks is rounded to the nearest tick, and is at least one", () => {
  const { indexes } = new VenueState(testMarkets);
  const ticksOf = (level: number) => {
    indexes.level[btcPerp] = level;
    return indexes.ticks(btcPerp);
  };
  assert.deepEqual([0, 1, 999, 1499, 1500, 2499].map(ticksOf), [0, 1, 1, 1, 2, 2]);
});

test("RSK-31 a snapshot stores changed risk terms by their codes", () => {
  const venue = new TestVenue();
  const { staleMs, marginFloorBps } = RiskTerm;
  for (const [term, value] of [
    [marginFloorBps, 0],
    [staleMs, 5000],
  ] as const) {
    venue.done({ kind: CommandKind.setRiskTerm, market: btcPerp, term, value });
  }
  const snapshot = captureState(venue.state);
  assert.deepEqual(snapshot.riskTerms, [
    { market: btcPerp, term: staleMs, value: 5000 },
    { market: btcPerp, term: marginFloorBps, value: 0 },
  ]);
  const restored = restoreState(testMarkets, snapshot);
  assert.equal(restored.riskTerms.of(btcPerp, marginFloorBps), 0);
  assert.equal(restored.riskTerms.of(btcPerp, staleMs), 5000);
  assert.equal(stateHash(restored), stateHash(venue.state));
});

test("RSK-33 before its first index a perpetual accepts only resting quotes of designated makers, so no position opens", () => {
  const venue = new TestVenue({ opensWithoutIndex: false });
  const house = maker(venue, AccountType.house);
  const trader = venue.fund(100_000n * oneUsdc);
  const { marketWithoutIndex, none } = RejectReason;
  const order = { market: btcPerp, price: 6_000_000, qty: 100 };
  tick(venue);
  assert.equal(venue.place({ ...order, account: house, side: Side.sell }).reason, none);
  const early = venue.place({ ...order, account: trader, side: Side.buy });
  assert.equal(early.reason, marketWithoutIndex);
  const resting = { ...order, account: trader, side: Side.buy, price: 5_000_000 };
  assert.equal(venue.place(resting).reason, marketWithoutIndex);
  quote(venue, house, 6_000_000, btc);
  tick(venue);
  assert.equal(venue.place({ ...order, account: trader, side: Side.buy }).reason, none);
  assert.equal(venue.state.positions.qty(trader, btcPerp), 100);
});
