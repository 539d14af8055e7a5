// Margin of perpetual orders: opening lots are margined to the minor unit, closing lots are not, and an order that
// outlives its position starts to hold margin.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  defaultLeverage,
  marketId,
  oneUsdc,
} from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { noOptions, Side } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { available, positionMargin } from "../../risk/margin.ts";

const { btcPerp, ethPerp } = marketId;
/** Minor units of one lot at one tick. */
const unit = 10n;

/** A venue where `account` is long `lots` at 10,000 ticks, with `spare` besides the margin. */
function longVenue(lots: number, spare: bigint) {
  const venue = new TestVenue();
  const other = venue.fund(2n ** 50n);
  const value = 10_000n * BigInt(lots) * unit;
  const fee = (value * 5n) / 10_000n;
  const account = venue.fund(value / defaultLeverage + fee + spare);
  venue.sell(other, btcPerp, 10_000, lots);
  venue.buy(account, btcPerp, 10_000, lots);
  assert.equal(available(venue.state, account), spare);
  return { venue, account, other };
}

function held({ state }: TestVenue, account: number): bigint {
  return state.balances.reserved(account, Wallet.perp, 0);
}

test("ACC-8 ACC-9 an order needs its value ÷ leverage rounded up, and is refused with one unit less", () => {
  const venue = new TestVenue();
  // 3 lots at 3,333 ticks are 99,990 units; a seventh is 14,284.28…: 14,285.
  const account = venue.fund(14_284n);
  venue.setLeverage(account, btcPerp, 7);
  const order = { account, market: btcPerp, side: Side.buy, price: 3333, qty: 3 };
  assert.equal(venue.place(order).reason, RejectReason.insufficientBalance);
  venue.credit(account, Wallet.perp, 0, 1n);
  assert.equal(venue.place(order).reason, RejectReason.none);
  assert.equal(held(venue, account), 14_285n);
  assert.equal(available(venue.state, account), 0n);
});

test("ACC-10 the default leverage is ten, and each market has its own leverage", () => {
  const venue = new TestVenue();
  const account = venue.fund(1000n * oneUsdc);
  venue.setLeverage(account, ethPerp, 100);
  venue.buy(account, btcPerp, 10_000, 100);
  assert.equal(held(venue, account), (10_000n * 100n * unit) / 10n);
  venue.buy(account, ethPerp, 10_000, 100);
  assert.equal(
    held(venue, account),
    (10_000n * 100n * unit) / 10n + (10_000n * 100n * unit) / 100n,
  );
});

test("ACC-11 an order that only closes needs no margin, and lots beyond the position do", () => {
  const { venue, account } = longVenue(10, 0n);
  venue.sell(account, btcPerp, 11_000, 6);
  assert.equal(held(venue, account), 0n);
  const rest = { account, market: btcPerp, side: Side.sell, price: 11_000, qty: 5 };
  assert.equal(venue.place(rest).reason, RejectReason.insufficientBalance);
  assert.equal(venue.place({ ...rest, qty: 4 }).reason, RejectReason.none);
  assert.equal(
    venue.place({ ...rest, side: Side.buy, qty: 1 }).reason,
    RejectReason.insufficientBalance,
  );
});

test("ACC-11 lots that an order in flight already closes are not available to a second closing order", () => {
  const { venue, account } = longVenue(10, 0n);
  const sell = {
    kind: 1,
    account,
    market: btcPerp,
    side: Side.sell,
    type: 0,
    timeInForce: 0,
    ...noOptions,
    reusesClientId: false,
    attached: null,
  } as const;
  venue.take({ ...sell, price: 11_000, qty: 10, clientId: "" });
  const second = venue.take({ ...sell, price: 11_000, qty: 1, clientId: "" });
  assert.equal(venue.replyTo(second).reason, RejectReason.insufficientBalance);
  venue.machine.settle();
});

test("a closing order needs margin after its position is gone", () => {
  const { venue, account, other } = longVenue(10, 50_000n * unit);
  venue.sell(account, btcPerp, 20_000, 10);
  assert.equal(held(venue, account), 0n);
  venue.buy(other, btcPerp, 9000, 10);
  venue.sell(account, btcPerp, 9000, 10);
  assert.equal(venue.state.positions.qty(account, btcPerp), 0);
  // The remaining order would now open a short of 10 lots at 20,000.
  assert.equal(held(venue, account), (20_000n * 10n * unit) / defaultLeverage);
});

test("a position covers the oldest orders, newer orders need margin, and after a cancel the position covers later orders", () => {
  const { venue, account } = longVenue(10, 50_000n * unit);
  const oldest = venue.sell(account, btcPerp, 12_000, 4);
  venue.sell(account, btcPerp, 13_000, 8);
  const youngest = venue.sell(account, btcPerp, 14_000, 3);
  const margin = (price: bigint, lots: bigint) => (price * lots * unit) / defaultLeverage;
  assert.equal(held(venue, account), margin(13_000n, 2n) + margin(14_000n, 3n));
  venue.cancel(account, btcPerp, oldest);
  assert.equal(held(venue, account), margin(14_000n, 1n));
  venue.cancel(account, btcPerp, youngest);
  assert.equal(held(venue, account), 0n);
});

test("a growing position releases the margin of orders against it, and a shrinking one needs it again", () => {
  const { venue, account, other } = longVenue(10, 90_000n * unit);
  venue.sell(account, btcPerp, 15_000, 15);
  const margin = (lots: bigint) => (15_000n * lots * unit) / defaultLeverage;
  assert.equal(held(venue, account), margin(5n));
  venue.sell(other, btcPerp, 10_000, 3);
  venue.buy(account, btcPerp, 10_000, 3);
  assert.equal(held(venue, account), margin(2n));
  venue.buy(other, btcPerp, 10_000, 13);
  venue.sell(account, btcPerp, 10_000, 13);
  assert.equal(held(venue, account), margin(15n));
});

test("a sell order's margin is computed at the best bid if that is above its limit", () => {
  const venue = new TestVenue();
  const account = venue.fund(1000n * oneUsdc);
  const other = venue.fund(1000n * oneUsdc);
  venue.buy(other, btcPerp, 12_000, 1);
  venue.sell(account, btcPerp, 10_000, 3);
  assert.equal(held(venue, account), (12_000n * 2n * unit) / defaultLeverage);
  assert.equal(positionMargin(venue.state, account, btcPerp), (12_000n * unit) / defaultLeverage);
});

test("ORD-8 a MARKET buy trades as far as its account has margin, and is refused if that does not suffice for the best price", () => {
  const venue = new TestVenue();
  const maker = venue.fund(1000n * oneUsdc);
  venue.sell(maker, btcPerp, 10_000, 1);
  venue.sell(maker, btcPerp, 10_500, 1);
  const margin = (10_500n * 2n * unit) / defaultLeverage;
  const least = (10_000n * 2n * unit) / defaultLeverage;
  const bought = (funds: bigint) => {
    const account = venue.fund(funds);
    const order = { account, market: btcPerp, side: Side.buy, qty: 2 };
    const { reason } = venue.place(order);
    return { reason, lots: venue.state.positions.qty(account, btcPerp) };
  };
  assert.deepEqual(bought(least - 1n), { reason: RejectReason.insufficientBalance, lots: 0 });
  assert.deepEqual(bought(margin), { reason: RejectReason.none, lots: 2 });
  venue.sell(maker, btcPerp, 10_000, 1);
  venue.sell(maker, btcPerp, 10_500, 1);
  assert.deepEqual(bought(margin - 1n), { reason: RejectReason.none, lots: 1 });
});

test("a closing order is accepted although losses have used up what was available", () => {
  const { venue, account, other } = longVenue(10, 0n);
  // A loss from elsewhere, booked directly: cash is now below the position's margin.
  venue.state.balances.add(account, Wallet.perp, 0, -50n);
  venue.state.balances.add(other, Wallet.perp, 0, 50n);
  assert(available(venue.state, account) < 0n);
  const close = { account, market: btcPerp, side: Side.sell, price: 10_000, qty: 10 };
  assert.equal(venue.place({ ...close, qty: 11 }).reason, RejectReason.insufficientBalance);
  assert.equal(venue.place(close).reason, RejectReason.none);
});
