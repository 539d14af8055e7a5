// Holds for losses at the mark. No order, close or amend takes an account below zero at the mark, even if requests race
// with the matcher.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { orderCommand, sayIndex, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { Side } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { apply } from "../../state/apply/apply.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../state/venue-state.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp } = marketId;
const { insufficientBalance, none } = RejectReason;
const btc = 1000;
const usd = 100;

/** A venue whose BTC-PERP is marked 60,000 by its index alone. */
function markedVenue() {
  const venue = new TestVenue();
  const maker = venue.fund(10_000_000n * oneUsdc);
  sayIndex(venue, btcPerp, 60_000 * usd);
  tick(venue);
  assert.equal(venue.state.mark[btcPerp], 60_000 * usd);
  return { venue, maker };
}

function tick(venue: TestVenue): void {
  venue.nowUs += 1_000_000;
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
}

function held({ state }: TestVenue, account: number): bigint {
  return state.balances.reserved(account, Wallet.perp, 0) / oneUsdc;
}

function assertReplays(venue: TestVenue): void {
  const again = new VenueState(testMarkets);
  for (const event of venue.events) apply(again, event);
  assert.equal(stateHash(again), stateHash(venue.state));
  const restored = restoreState(testMarkets, captureState(venue.state));
  assert.equal(stateHash(restored), stateHash(venue.state));
  assert.deepEqual([...restored.lossHeld.slice(0, 1010)], [...venue.state.lossHeld.slice(0, 1010)]);
}

test("ACC-20 ACC-35 an open order holds its loss at the mark in addition to its margin, until it trades or is closed", () => {
  const { venue, maker } = markedVenue();
  const account = venue.fund(20_000n * oneUsdc);
  const id = venue.buy(account, btcPerp, 66_000 * usd, 1 * btc);
  assert.equal(held(venue, account), 6600n + 6000n);
  assertReplays(venue);
  venue.sell(maker, btcPerp, 66_000 * usd, 0.5 * btc);
  assert.equal(held(venue, account), 3300n + 3000n);
  assertReplays(venue);
  venue.cancel(account, btcPerp, id);
  assert.equal(held(venue, account), 0n);
  assert.equal(venue.state.lossHeld[account], 0n);
  assertReplays(venue);
});

test("ACC-20 ORD-58 an order has no loss without a mark, or if its price is at the mark or better", () => {
  const { venue, maker } = markedVenue();
  venue.buy(maker, btcPerp, 60_000 * usd, 1 * btc);
  assert.equal(held(venue, maker), 6000n);
  const bare = new TestVenue();
  const account = bare.fund(24_000n * oneUsdc);
  bare.buy(account, btcPerp, 240_000 * usd, 1 * btc);
  assert.equal(held(bare, account), 24_000n);
});

test("ACC-20 ACC-35 an amend to a worse price needs the loss, and an amend to a better price releases it", () => {
  const { venue } = markedVenue();
  const account = venue.fund(12_600n * oneUsdc);
  const orderId = venue.buy(account, btcPerp, 60_000 * usd, 1 * btc);
  const amend = (price: number) => ({
    kind: CommandKind.amendOrder,
    account,
    market: btcPerp,
    orderId,
    clientId: "",
    price: price * usd,
    qty: btc,
  });
  assert.equal(venue.send(amend(66_001)).reason, insufficientBalance);
  assert.equal(venue.send(amend(66_000)).reason, none);
  assert.equal(held(venue, account), 12_600n);
  assert.equal(venue.send(amend(50_000)).reason, none);
  assert.equal(held(venue, account), 5000n);
  assertReplays(venue);
});

/** An account long one BTC at 60,000 with `left` USDC besides its margin. */
function longAccount(venue: TestVenue, maker: number, left: bigint): number {
  const account = venue.fund((left + 30n) * oneUsdc);
  venue.sell(maker, btcPerp, 60_000 * usd, 1 * btc);
  venue.buy(account, btcPerp, 60_000 * usd, 1 * btc);
  return account;
}

test("ACC-21 ACC-36 two closing orders in flight together lose at most what the account has", () => {
  const { venue, maker } = markedVenue();
  const account = longAccount(venue, maker, 6000n);
  const close = orderCommand({
    account,
    market: btcPerp,
    side: Side.sell,
    price: 52_000 * usd,
    qty: 0.5 * btc,
    isReduceOnly: true,
  });
  const first = venue.take(close);
  const second = venue.take(close);
  venue.machine.settle();
  assert.equal(venue.replyTo(first).reason, none);
  assert.equal(venue.replyTo(second).reason, insufficientBalance);
  assertReplays(venue);
});

test("ACC-21 a MARKET close trades as far as the account's money suffices, and then expires", () => {
  const { venue, maker } = markedVenue();
  const account = longAccount(venue, maker, 6000n);
  venue.setLeverage(account, btcPerp, 100);
  venue.done({
    kind: CommandKind.transfer,
    key: null,
    account,
    from: Wallet.perp,
    to: Wallet.spot,
    asset: 0,
    amount: 5000n * oneUsdc,
  });
  venue.buy(maker, btcPerp, 59_500 * usd, 0.4 * btc);
  venue.buy(maker, btcPerp, 58_000 * usd, 5 * btc);
  tick(venue);
  assert.equal(venue.state.mark[btcPerp], 60_000 * usd);
  venue.sell(account, btcPerp, 0, 1 * btc, { type: 1, isReduceOnly: true });
  assert.equal(venue.state.positions.qty(account, btcPerp), 0.6 * btc);
  assert(venue.state.balances.total(account, Wallet.perp, 0) > 0n);
  assertReplays(venue);
});

test("ACC-21 the profit of a position counts for closing it", () => {
  const { venue, maker } = markedVenue();
  const account = venue.fund(3030n * oneUsdc);
  venue.setLeverage(account, btcPerp, 20);
  venue.sell(maker, btcPerp, 60_000 * usd, 1 * btc);
  venue.buy(account, btcPerp, 60_000 * usd, 1 * btc);
  sayIndex(venue, btcPerp, 70_000 * usd);
  venue.buy(maker, btcPerp, 70_000 * usd, 0.1 * btc);
  venue.sell(maker, btcPerp, 70_001 * usd, 0.1 * btc);
  tick(venue);
  assert.equal(venue.state.mark[btcPerp], 70_000 * usd, "a profit of 10,000, and 3,000 deposited");
  const close = { account, market: btcPerp, side: Side.sell, isReduceOnly: true };
  const worst = 57_000 * usd;
  const worse = venue.place({ ...close, price: worst - 1, qty: 1 * btc });
  assert.equal(worse.reason, insufficientBalance);
  assert.equal(venue.place({ ...close, price: worst, qty: 0.9 * btc }).reason, none);
});

test("ORD-38 a leverage change changes what an amend in flight holds, and is refused if that is too much", () => {
  const { venue } = markedVenue();
  const account = venue.fund(13_000n * oneUsdc);
  const orderId = venue.buy(account, btcPerp, 60_000 * usd, 1 * btc);
  const more = venue.command({
    kind: CommandKind.amendOrder,
    account,
    market: btcPerp,
    orderId,
    clientId: "",
    price: 0,
    qty: 2 * btc,
  });
  venue.machine.take(more);
  assert.equal(held(venue, account), 12_000n);
  const set = (leverage: number) =>
    venue.take({ kind: CommandKind.setLeverage, account, market: btcPerp, leverage });
  assert.equal(venue.replyTo(set(9)).reason, insufficientBalance);
  assert.equal(venue.replyTo(set(20)).reason, none);
  assert.equal(held(venue, account), 6000n);
  venue.machine.settle();
  assert.equal(venue.replyTo(more).reason, none);
  assert.equal(held(venue, account), 6000n);
  assertReplays(venue);
});
