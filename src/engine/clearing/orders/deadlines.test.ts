// Deadlines: GTD orders expire, countdowns cancel, halted markets lose their orders; each also across a restart.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { MarketStatus } from "../../../core/markets.ts";
import { CloseReason, OrderType, TimeInForce } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";

const { btcPerp, ethPerp } = marketId;

function funded() {
  const venue = new TestVenue();
  return { venue, own: venue.fund(1_000_000n * oneUsdc) };
}

function tick(venue: TestVenue, afterUs: number): void {
  venue.nowUs += afterUs;
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
}

function reasons(venue: TestVenue): number[] {
  return venue.events.flatMap((e) => (e.kind === EventKind.orderClosed ? [e.reason] : []));
}

function restarted(venue: TestVenue): TestVenue {
  const later = new TestVenue({ state: restoreState(testMarkets, captureState(venue.state)) });
  later.nowUs = venue.nowUs;
  return later;
}

test("ORD-33 a GTD order stays open until its time, conditional or on the book, also after a restart", () => {
  const { venue, own } = funded();
  const gtd = { timeInForce: TimeInForce.gtd, goodTillUs: venue.nowUs + 10_000_000 };
  venue.buy(own, btcPerp, 10_000, 5, gtd);
  venue.buy(own, btcPerp, 10_200, 5, { ...gtd, type: OrderType.stop, triggerPrice: 10_100 });
  venue.buy(own, btcPerp, 10_000, 5);
  tick(venue, 5_000_000);
  assert.deepEqual(reasons(venue), []);
  const later = restarted(venue);
  tick(later, 5_000_000);
  assert.deepEqual(reasons(later), [CloseReason.goodTillDate, CloseReason.goodTillDate]);
  assert.equal(later.state.orders.openCount, 1);
});

test("ORD-34 a countdown cancels the account's orders in its market unless it is set again in time", () => {
  const { venue, own } = funded();
  const set = (cancelAtUs: number) =>
    venue.done({ kind: CommandKind.setCountdown, account: own, market: btcPerp, cancelAtUs });
  venue.buy(own, btcPerp, 10_000, 5);
  venue.buy(own, btcPerp, 10_200, 5, { type: OrderType.stop, triggerPrice: 10_100 });
  venue.buy(own, ethPerp, 10_000, 5);
  set(venue.nowUs + 2_000_000);
  set(venue.nowUs + 4_000_000);
  tick(venue, 3_000_000);
  assert.deepEqual(reasons(venue), []);
  const later = restarted(venue);
  tick(later, 2_000_000);
  assert.deepEqual(reasons(later), [CloseReason.countdown, CloseReason.countdown]);
  assert.equal(later.state.countdowns.count, 0);
  assert.equal(later.events.at(-1)?.kind, EventKind.countdownSet);
  const off = { kind: CommandKind.setCountdown, account: own, market: btcPerp } as const;
  later.done({ ...off, cancelAtUs: later.nowUs + 9_000_000 });
  later.done({ ...off, cancelAtUs: 0 });
  assert.equal(later.state.countdowns.count, 0);
  assert.equal(
    later.send({ ...off, market: 99, cancelAtUs: 1 }).reason,
    RejectReason.unknownMarket,
  );
  assert.equal(
    later.send({ ...off, account: 7, cancelAtUs: 1 }).reason,
    RejectReason.unknownAccount,
  );
  assert.equal(later.send({ ...off, cancelAtUs: -1 }).reason, RejectReason.goodTillOutOfRange);
});

test("ORD-35 an order that was in flight when its market was halted is cancelled as soon as it rests", () => {
  const { venue, own } = funded();
  const order = orderCommand({ account: own, market: btcPerp, side: 0, price: 10_000, qty: 5 });
  venue.take(order);
  venue.take({ kind: CommandKind.setMarketStatus, market: btcPerp, status: MarketStatus.halted });
  venue.machine.settle();
  assert.equal(venue.state.orders.openCount, 0);
  assert.deepEqual(reasons(venue), [CloseReason.marketClosed]);
});

test("ORD-35 halting a market cancels all its orders, including an order that is still with its matcher", () => {
  const { venue, own } = funded();
  for (let count = 0; count < 150; count++) venue.buy(own, btcPerp, 10_000, 5);
  venue.buy(own, btcPerp, 10_200, 5, { type: OrderType.stop, triggerPrice: 10_100 });
  venue.buy(own, ethPerp, 10_000, 5);
  const order = { account: own, market: btcPerp, side: 0, price: 10_000, qty: 5 } as const;
  const { account, market } = order;
  const pending = venue.take(orderCommand(order));
  venue.take({ kind: CommandKind.setMarketStatus, market, status: MarketStatus.halted });
  venue.machine.settle();
  assert.equal(venue.replyTo(pending).reason, RejectReason.none);
  assert.equal(venue.state.orders.countOf(account, market), 0);
  assert.equal(venue.state.orders.countOf(account, ethPerp), 1);
  assert(reasons(venue).every((reason) => reason === CloseReason.marketClosed));
  assert.equal(venue.place(order).reason, RejectReason.marketNotTrading);
});
