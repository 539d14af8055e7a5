// A market whose tick × lot is finer than a minor unit of the quote: both sides of a fill are booked with the same
// rounded value, so no money appears or vanishes, however small the fills.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { assertConserved } from "../../../test/model/conservation.ts";
import { naiveWorth } from "../../../test/model/naive-worth.ts";
import { marketId, oneUsdc, testMarkets } from "../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../test/support/machine/test-venue.ts";
import { AccountType, SystemAccount, Wallet } from "../../core/accounts.ts";
import { EventKind } from "../../core/generated/events.ts";
import { OrderType, Side, TimeInForce } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { apply } from "../state/apply/apply.ts";
import { VenueState } from "../state/venue-state.ts";
import { stateHash } from "../state-hash.ts";

const { ccPerp } = marketId;
const coin = testMarkets.market(ccPerp);

function cash(venue: TestVenue, account: number): bigint {
  return venue.state.balances.total(account, Wallet.perp, 0);
}

test("ACC-33 ACC-46 a fill is worth the nearest minor unit, equally for both sides, as computed by hand", () => {
  const venue = new TestVenue();
  const [long, short] = [venue.fund(oneUsdc), venue.fund(oneUsdc)];
  // 0.003 CC at 0.1235 is 370.5 units, rounded half away from zero to 371.
  venue.sell(short, ccPerp, 1235, 3);
  venue.buy(long, ccPerp, 1235, 3);
  const { positions } = venue.state;
  assert.equal(positions.entryValue(long, ccPerp), 371n);
  assert.equal(positions.entryValue(short, ccPerp), -371n);
  // The position is closed lot by lot at 0.1234. A lot is worth 123.4 units, rounded to 123. Each lot takes its share
  // of the entry value, rounded toward zero.
  for (const count of [1, 2, 3]) {
    venue.sell(long, ccPerp, 1234, 1);
    venue.buy(short, ccPerp, 1234, 1);
    assert.equal(positions.qty(long, ccPerp), 3 - count);
    assert.equal(positions.entryValue(long, ccPerp), -positions.entryValue(short, ccPerp));
  }
  assert.equal(cash(venue, long), oneUsdc - 371n + 369n);
  assert.equal(cash(venue, short), oneUsdc + 371n - 369n);
  assertConserved(venue.state);
});

test("ACC-33 a fill that is worth nothing moves a position but no money", () => {
  const venue = new TestVenue();
  const [long, short] = [venue.fund(oneUsdc), venue.fund(oneUsdc)];
  venue.sell(short, ccPerp, 4, 1);
  venue.buy(long, ccPerp, 4, 1);
  assert.equal(venue.state.positions.qty(long, ccPerp), 1);
  assert.equal(venue.state.positions.entryValue(long, ccPerp), 0n);
  venue.sell(long, ccPerp, 5, 1);
  venue.buy(short, ccPerp, 5, 1);
  assert.deepEqual([cash(venue, long), cash(venue, short)], [oneUsdc + 1n, oneUsdc - 1n]);
  assertConserved(venue.state);
});

/** One order: account, side, ticks, lots, and whether it is IOC. */
const order = fc.record({
  who: fc.nat({ max: 3 }),
  isBuy: fc.boolean(),
  ticks: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1200, max: 1240 })),
  lots: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 100_000 })),
  isNow: fc.boolean(),
});

test("ACC-14 ACC-33 ACC-48 with a tick × lot finer than a minor unit every fill books one value on both sides, and all sums are conserved", () => {
  let traded = 0;
  fc.assert(
    fc.property(fc.array(order, { minLength: 20, maxLength: 60, size: "max" }), (orders) => {
      const venue = new TestVenue();
      const types = [AccountType.standard, AccountType.standard, AccountType.house];
      const accounts = [...types, AccountType.standard].map((type) =>
        venue.fund(1000n * oneUsdc, type),
      );
      for (const { who, isBuy, ticks: price, lots: qty, isNow } of orders) {
        const before = accounts.map((account) => worthOf(venue, account));
        const seen = venue.events.length;
        const { reason } = venue.place({
          ...{ account: accounts[who] ?? 0, market: ccPerp, price, qty },
          side: isBuy ? Side.buy : Side.sell,
          type: OrderType.limit,
          timeInForce: isNow ? TimeInForce.ioc : TimeInForce.gtc,
        });
        const known: readonly RejectReason[] = [RejectReason.none, RejectReason.priceOutsideBand];
        assert(known.includes(reason), `${reason}`);
        traded += judgeTrades(venue, { accounts, before, seen });
        assertConserved(venue.state);
      }
      const again = new VenueState(testMarkets);
      for (const event of venue.events) apply(again, event);
      assert.equal(stateHash(again), stateHash(venue.state));
    }),
    { numRuns: 25, seed: 46 },
  );
  assert(traded > 100, `${traded} trades`);
});

/**
 * Returns cash minus entry value. A fill changes this figure by its full value and fee, whether it opens or closes a
 * position and whatever profit it realises.
 */
function worthOf({ state }: TestVenue, account: number): bigint {
  const own = state.balances.total(account, Wallet.perp, 0);
  return own - state.positions.entryValue(account, ccPerp);
}

/**
 * Asserts that cash minus entry value has changed for each side by the value of its fills and its fees, computed
 * naively, and by nothing else. Returns the number of trades.
 */
function judgeTrades(
  venue: TestVenue,
  { accounts, before, seen }: { accounts: readonly number[]; before: bigint[]; seen: number },
): number {
  const due = new Map(accounts.map((account, index) => [account, before[index] ?? 0n]));
  let count = 0;
  for (const event of venue.events.slice(seen)) {
    if (event.kind !== EventKind.traded) continue;
    const value = naiveWorth(coin, BigInt(event.price) * BigInt(event.qty));
    const isTakerBuyer = event.takerSide === Side.buy;
    const move = (account: number, isBuyer: boolean, fee: bigint) =>
      due.set(account, (due.get(account) ?? 0n) + (isBuyer ? -value : value) - fee);
    move(event.account, isTakerBuyer, event.takerFee);
    move(event.makerAccount, !isTakerBuyer, event.makerFee);
    count++;
  }
  for (const account of accounts) assert.equal(worthOf(venue, account), due.get(account));
  assert(venue.state.balances.total(SystemAccount.fees, Wallet.perp, 0) >= 0n);
  return count;
}
