// Idempotency keys, and orders that set leverage: a decided request is not decided again, and a refused one leaves no
// trace.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { AccountFlag, Wallet } from "../../../core/accounts.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { requestKeyMemoryMs } from "../../../core/limits.ts";
import { wholeUnits } from "../../../core/money/amounts.ts";
import { type OrderAttachments, Side, TimeInForce } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp, ccUsdc } = marketId;

function attached(more: Partial<OrderAttachments> & { low?: bigint } = {}): OrderAttachments {
  const { low, ...rest } = more;
  const key = low === undefined ? null : { high: 3n, low, payload: 0n };
  return { key, leverage: 0, ...rest };
}

function limit(account: number, more: Partial<PlaceOrder> = {}) {
  return orderCommand({
    account,
    market: btcPerp,
    side: Side.buy,
    price: 10_000,
    qty: 10,
    ...more,
  });
}

test("NAT-30 a repeated key answers with the first order, whatever the request contains and whatever became of that order", () => {
  const venue = new TestVenue();
  const account = venue.fund(10_000n * oneUsdc);
  const other = venue.fund(10_000n * oneUsdc);
  const first = venue.send(limit(account, { attached: attached({ low: 1n }) }));
  assert.deepEqual([first.reason, first.isRepeated], [RejectReason.none, false]);
  const before = stateHash(venue.state);
  const again = venue.send(
    limit(account, { qty: 0, market: ccUsdc, attached: attached({ low: 1n }) }),
  );
  assert.deepEqual([again.reason, again.isRepeated], [RejectReason.none, true]);
  assert.equal(again.subject, first.subject);
  assert.equal(stateHash(venue.state), before);
  const others = venue.send(limit(other, { attached: attached({ low: 1n }) }));
  assert.equal(others.isRepeated, false, "keys belong to their account");
  venue.cancel(account, btcPerp, first.subject);
  venue.setFlags(account, AccountFlag.frozen);
  const frozen = venue.send(limit(account, { attached: attached({ low: 1n }) }));
  assert.deepEqual([frozen.reason, frozen.subject], [RejectReason.none, first.subject]);
  const second = venue.send(limit(account, { attached: attached({ low: 2n }) }));
  assert.equal(second.reason, RejectReason.accountFrozen);
});

test("NAT-30 a refused request leaves its key unused", () => {
  const venue = new TestVenue();
  const account = venue.fund(10_000n * oneUsdc);
  const before = stateHash(venue.state);
  const refused = venue.send(limit(account, { qty: 0, attached: attached({ low: 1n }) }));
  assert.equal(refused.reason, RejectReason.qtyNotPositive);
  assert.equal(stateHash(venue.state), before);
  const taken = venue.send(limit(account, { attached: attached({ low: 1n }) }));
  assert.deepEqual([taken.reason, taken.isRepeated], [RejectReason.none, false]);
});

test("NAT-32 a key is refused while its order is with its matcher, and unused again if that order is refused", () => {
  const venue = new TestVenue();
  const account = venue.fund(10_000n * oneUsdc);
  const maker = venue.fund(10_000n * oneUsdc);
  venue.sell(maker, btcPerp, 10_000, 10);
  const postOnly = { timeInForce: TimeInForce.gtx, attached: attached({ low: 1n }) };
  const first = venue.take(limit(account, postOnly));
  const second = venue.take(limit(account, postOnly));
  assert.equal(venue.replyTo(second).reason, RejectReason.requestInFlight);
  venue.machine.settle();
  assert.equal(venue.replyTo(first).reason, RejectReason.wouldTake);
  const third = venue.send(limit(account, { attached: attached({ low: 1n }) }));
  assert.deepEqual([third.reason, third.isRepeated], [RejectReason.none, false]);
});

test("NAT-30 a key survives a snapshot and replay, and is removed after a day", () => {
  const venue = new TestVenue();
  const account = venue.fund(10_000n * oneUsdc);
  const first = venue.done(limit(account, { attached: attached({ low: 1n }) }));
  const state = restoreState(testMarkets, captureState(venue.state));
  const twin = new TestVenue({ state });
  const again = twin.send(limit(account, { attached: attached({ low: 1n }) }));
  assert.deepEqual([again.isRepeated, again.subject], [true, first]);
  twin.nowUs += requestKeyMemoryMs * 1000;
  const later = twin.send(limit(account, { attached: attached({ low: 1n }) }));
  assert.deepEqual([later.reason, later.isRepeated], [RejectReason.none, false]);
});

test("NAT-33 a leverage attached to an order is set in the order's transaction, and only if the order is accepted", () => {
  const venue = new TestVenue();
  const account = venue.fund(10_000n * oneUsdc);
  const { positions, balances } = venue.state;
  const from = venue.events.length;
  const id = venue.done(limit(account, { attached: attached({ leverage: 20, low: 1n }) }));
  const transaction = venue.events.slice(from);
  assert.deepEqual(
    transaction.map(({ kind, isTransactionEnd }) => [kind, isTransactionEnd]),
    [
      [EventKind.leverageSet, false],
      [EventKind.orderAccepted, false],
      [EventKind.requestKeyed, true],
    ],
  );
  assert.equal(positions.leverage(account, btcPerp), 20);
  const value = 10_000n * 10n * wholeUnits(testMarkets.market(btcPerp).tickLot);
  assert.equal(balances.reserved(account, Wallet.perp, 0), value / 20n);
  venue.done(limit(account, { attached: attached({ leverage: 10 }) }));
  assert.equal(balances.reserved(account, Wallet.perp, 0), (2n * value) / 10n, "older orders too");
  const before = stateHash(venue.state);
  for (const leverage of [101, -1, 1.5]) {
    const refused = venue.send(limit(account, { attached: attached({ leverage }) }));
    assert.equal(refused.reason, RejectReason.leverageOutOfRange);
  }
  const poor = venue.send(limit(account, { qty: 2_000_000, attached: attached({ leverage: 1 }) }));
  assert.equal(poor.reason, RejectReason.insufficientBalance);
  const wouldTake = venue.fund(10_000n * oneUsdc);
  assert.equal(stateHash(venue.state) === before, false, "an account opened");
  const taker = venue.send(
    orderCommand({
      ...{ account: wouldTake, market: btcPerp, side: Side.sell, price: 10_000, qty: 1 },
      ...{ timeInForce: TimeInForce.gtx, attached: attached({ leverage: 5 }) },
    }),
  );
  assert.equal(taker.reason, RejectReason.wouldTake);
  assert.equal(positions.leverage(wouldTake, btcPerp), 10);
  assert.equal(balances.reserved(wouldTake, Wallet.perp, 0), 0n);
  assert.notEqual(id, 0);
});

test("NAT-33 an order with a lower leverage also reserves the additional margin of position and orders while it is in flight", () => {
  const venue = new TestVenue();
  const value = (lots: bigint) => 10_000n * lots * wholeUnits(testMarkets.market(btcPerp).tickLot);
  // Enough for the 10 open lots at leverage 1 and one more lot, but not for two more.
  const account = venue.fund(value(11n));
  venue.done(limit(account));
  const two = venue.send(limit(account, { qty: 2, attached: attached({ leverage: 1 }) }));
  assert.equal(two.reason, RejectReason.insufficientBalance);
  const one = venue.take(limit(account, { qty: 1, attached: attached({ leverage: 1 }) }));
  const meanwhile = venue.take(limit(account, { qty: 1 }));
  assert.equal(venue.replyTo(meanwhile).reason, RejectReason.insufficientBalance);
  venue.machine.settle();
  assert.equal(venue.replyTo(one).reason, RejectReason.none);
  assert.equal(venue.state.balances.reserved(account, Wallet.perp, 0), value(11n));
});
