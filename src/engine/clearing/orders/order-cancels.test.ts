// Cancels: by either id, of open orders and orders in flight, in every state of the account; and races that leave
// nothing to cancel.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc } from "../../../../test/support/machine/test-markets.ts";
import { type Draft, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { AccountFlag, Wallet } from "../../../core/accounts.ts";
import {
  type CancelOrder,
  CommandKind,
  type PlaceOrder,
} from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import {
  CancelCondition,
  derivedClientId,
  noOptions,
  OrderType,
  Side,
  TimeInForce,
} from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp, ethPerp } = marketId;

function limit(account: number, side: Side, price: number, clientId = ""): Draft<PlaceOrder> {
  return {
    kind: CommandKind.placeOrder,
    account,
    market: btcPerp,
    side,
    type: OrderType.limit,
    timeInForce: TimeInForce.gtc,
    price,
    qty: 10,
    ...noOptions,
    reusesClientId: false,
    clientId,
    attached: null,
  };
}

function cancelOf(account: number, orderId: number, clientId = ""): Draft<CancelOrder> {
  return { kind: CommandKind.cancelOrder, account, market: btcPerp, orderId, clientId };
}

function twoAccounts() {
  const venue = new TestVenue();
  return { venue, own: venue.fund(10_000n * oneUsdc), other: venue.fund(10_000n * oneUsdc) };
}

test("an open order is cancelled by its id, by its client id or by the derived id", () => {
  const { venue, own } = twoAccounts();
  const ids = [0, 1, 2].map((at) =>
    venue.buy(own, btcPerp, 10_000, 10, { clientId: at === 1 ? "b" : "" }),
  );
  const [byId = 0, byClientId = 0, byDerived = 0] = ids;
  assert.equal(venue.cancel(own, btcPerp, byId).subject, byId);
  assert.equal(venue.cancel(own, btcPerp, 0, "b").subject, byClientId);
  assert.equal(venue.cancel(own, btcPerp, 0, derivedClientId(byDerived)).subject, byDerived);
  assert.equal(venue.state.orders.openCount, 0);
  assert.equal(venue.state.balances.reserved(own, Wallet.perp, 0), 0n);
});

test("ORD-18 a cancel of an order that is unknown, foreign, closed or in another market is answered as unknown", () => {
  const { venue, own, other } = twoAccounts();
  const order = venue.buy(own, btcPerp, 10_000, 10, { clientId: "mine" });
  const before = stateHash(venue.state);
  const unknown = [
    venue.cancel(own, btcPerp, 99),
    venue.cancel(other, btcPerp, order),
    venue.cancel(other, btcPerp, 0, "mine"),
    venue.cancel(other, btcPerp, 0, derivedClientId(order)),
    venue.cancel(own, ethPerp, order),
    venue.cancel(own, btcPerp, 0, "other"),
    venue.cancel(own, btcPerp, 0, ""),
    venue.cancel(own, btcPerp, 0, derivedClientId(99)),
  ];
  for (const reply of unknown) assert.equal(reply.reason, RejectReason.unknownOrder);
  assert.equal(stateHash(venue.state), before);
  // An order with a client id is not found by the client id derived from its order id.
  assert.equal(
    venue.cancel(own, btcPerp, 0, derivedClientId(order)).reason,
    RejectReason.unknownOrder,
  );
  venue.cancel(own, btcPerp, order);
  assert.equal(venue.cancel(own, btcPerp, order).reason, RejectReason.unknownOrder);
  assert.equal(venue.cancel(own, btcPerp, 0, "mine").reason, RejectReason.unknownOrder);
});

test("ORD-19 frozen accounts can cancel their orders", () => {
  const { venue, own } = twoAccounts();
  const [first, second] = [
    venue.buy(own, btcPerp, 10_000, 10),
    venue.buy(own, btcPerp, 10_000, 10),
  ];
  venue.setFlags(own, AccountFlag.frozen);
  assert.equal(venue.cancel(own, btcPerp, first).reason, RejectReason.none);
  assert.equal(
    venue.send({ kind: CommandKind.cancelAllOrders, account: own, market: btcPerp }).subject,
    1,
  );
  assert.equal(venue.state.orders.slotOf(second), -1);
});

test("an order that is still with its matcher is cancelled after it has reached the book", () => {
  const { venue, own } = twoAccounts();
  const place = venue.take(limit(own, Side.buy, 10_000, "mine"));
  const cancel = venue.take(cancelOf(own, 0, "mine"));
  assert.equal(venue.machine.waiting(0, MatchLane.orders), 2);
  assert.equal(venue.machine.waiting(0, MatchLane.cancels), 0);
  venue.machine.settle();
  assert.equal(venue.replyTo(cancel).reason, RejectReason.none);
  assert.equal(venue.replyTo(cancel).subject, venue.replyTo(place).subject);
  assert.equal(venue.state.orders.openCount, 0);
});

test("an order that filled or was refused before its cancel arrived is answered as unknown", () => {
  const { venue, own, other } = twoAccounts();
  venue.sell(other, btcPerp, 10_000, 10);
  venue.take(limit(own, Side.buy, 10_000, "filled"));
  const late = venue.take(cancelOf(own, 0, "filled"));
  venue.machine.settle();
  assert.equal(venue.replyTo(late).reason, RejectReason.unknownOrder);
  venue.sell(other, btcPerp, 10_000, 10);
  const refused = venue.take({
    ...limit(own, Side.buy, 10_000, "post"),
    timeInForce: TimeInForce.gtx,
  });
  const behind = venue.take(cancelOf(own, 0, "post"));
  venue.machine.settle();
  assert.equal(venue.replyTo(refused).reason, RejectReason.wouldTake);
  assert.equal(venue.replyTo(behind).reason, RejectReason.unknownOrder);
});

test("a cancel on its own lane may be answered before an order that was sent earlier", () => {
  const { venue, own, other } = twoAccounts();
  const resting = venue.sell(own, btcPerp, 10_000, 10);
  const taker = venue.take(limit(other, Side.buy, 10_000));
  const cancel = venue.take(cancelOf(own, resting));
  venue.machine.answerNext(0, MatchLane.cancels);
  assert.equal(venue.replyTo(cancel).reason, RejectReason.none);
  venue.machine.settle();
  assert.equal(venue.state.nextTradeId, 1, "nothing was left to trade with");
  assert(venue.state.orders.slotOf(venue.replyTo(taker).subject) >= 0);
});

test("a cancel that arrives after its slot was reused does not affect the new order", () => {
  const { venue, own, other } = twoAccounts();
  const first = venue.sell(own, btcPerp, 10_000, 10);
  const slot = venue.state.orders.slotOf(first);
  const cancel = venue.take(cancelOf(own, first));
  venue.take(limit(other, Side.buy, 10_000));
  venue.machine.answerNext(0, MatchLane.orders);
  assert.equal(venue.state.orders.slotOf(first), -1, "filled while its cancel waited");
  const second = venue.take(limit(own, Side.sell, 11_000));
  const third = venue.take(limit(other, Side.buy, 9000));
  venue.machine.answerNext(0, MatchLane.orders);
  venue.machine.answerNext(0, MatchLane.orders);
  const slots = [second, third].map((one) => venue.state.orders.slotOf(venue.replyTo(one).subject));
  assert(slots.includes(slot), "the slot is in use again");
  venue.machine.settle();
  assert.equal(venue.replyTo(cancel).reason, RejectReason.unknownOrder);
  assert.equal(venue.state.orders.openCount, 2);
});

test("ORD-51 a cancel that is restricted to an order status cancels the order only in this status", () => {
  const { venue, own, other } = twoAccounts();
  const { untouched, partlyFilled } = CancelCondition;
  const order = venue.sell(own, btcPerp, 10_000, 10);
  const only = (onlyIf: CancelCondition) => venue.send({ ...cancelOf(own, order), onlyIf }).reason;
  const before = stateHash(venue.state);
  assert.equal(only(partlyFilled), RejectReason.cancelRestricted);
  assert.equal(stateHash(venue.state), before);
  venue.buy(other, btcPerp, 10_000, 3);
  assert.equal(only(untouched), RejectReason.cancelRestricted);
  assert.equal(only(partlyFilled), RejectReason.none);
  assert.equal(only(partlyFilled), RejectReason.unknownOrder);
  const fresh = venue.sell(own, btcPerp, 10_000, 10);
  const gone = venue.send({ ...cancelOf(own, fresh), onlyIf: untouched });
  assert.deepEqual([gone.reason, gone.subject], [RejectReason.none, fresh]);
});

test("ORD-51 ORD-57 a cancel restricted to orders without fills does not cancel an order that fills before the cancel arrives", () => {
  const { venue, own, other } = twoAccounts();
  const onlyIf = CancelCondition.untouched;
  const order = venue.sell(own, btcPerp, 10_000, 10);
  venue.take({ ...limit(other, Side.buy, 10_000), qty: 4 });
  const late = venue.take({ ...cancelOf(own, order), onlyIf });
  // The matcher trades first. Its fills were not journaled yet when clearing took the cancel.
  venue.machine.answerNext(0, MatchLane.orders);
  venue.machine.settle();
  assert.equal(venue.replyTo(late).reason, RejectReason.cancelRestricted);
  const slot = venue.state.orders.slotOf(order);
  assert.deepEqual([venue.state.orders.filledQty[slot], venue.state.orders.openCount], [4, 1]);

  const early = venue.sell(own, btcPerp, 11_000, 10);
  const taker = venue.take({ ...limit(other, Side.buy, 11_000), qty: 20 });
  const first = venue.take({ ...cancelOf(own, early), onlyIf });
  venue.machine.answerNext(0, MatchLane.cancels);
  venue.machine.settle();
  assert.equal(venue.replyTo(first).reason, RejectReason.none, "the cancel came first");
  assert(venue.replyTo(taker).subject > 0);
});

test("ORD-51 ORD-57 a cancel restricted to orders without fills cancels an order in flight only if it does not trade on arrival", () => {
  const { venue, own, other } = twoAccounts();
  const onlyIf = CancelCondition.untouched;
  venue.take(limit(own, Side.sell, 10_000, "rests"));
  const gone = venue.take({ ...cancelOf(own, 0, "rests"), onlyIf });
  venue.machine.settle();
  assert.equal(venue.replyTo(gone).reason, RejectReason.none);
  venue.sell(other, btcPerp, 10_000, 4);
  venue.take(limit(own, Side.buy, 10_000, "trades"));
  const kept = venue.take({ ...cancelOf(own, 0, "trades"), onlyIf });
  const early = { ...cancelOf(own, 0, "trades"), onlyIf: CancelCondition.partlyFilled };
  const refused = venue.take(early);
  venue.machine.settle();
  assert.equal(venue.replyTo(kept).reason, RejectReason.cancelRestricted);
  assert.equal(venue.replyTo(refused).reason, RejectReason.cancelRestricted);
  assert.equal(venue.send(early).reason, RejectReason.none, "by now it has traded");
});

test("ORD-51 ORD-57 a cancel restricted to orders without fills is refused while an amend of the order is in flight", () => {
  const { venue, own } = twoAccounts();
  const order = venue.sell(own, btcPerp, 10_000, 10);
  const amend = { account: own, market: btcPerp, orderId: order, clientId: "" };
  venue.take({ kind: CommandKind.amendOrder, ...amend, price: 0, qty: 12 });
  const cancel = venue.take({ ...cancelOf(own, order), onlyIf: CancelCondition.untouched });
  venue.machine.settle();
  assert.equal(venue.replyTo(cancel).reason, RejectReason.cancelRestricted);
});

test("of two cancels of one order the first cancels it, and the second is answered as unknown", () => {
  const { venue, own } = twoAccounts();
  const order = venue.buy(own, btcPerp, 10_000, 10);
  const cancels = [venue.take(cancelOf(own, order)), venue.take(cancelOf(own, order))];
  venue.machine.settle();
  assert.deepEqual(
    cancels.map((one) => venue.replyTo(one).reason),
    [RejectReason.none, RejectReason.unknownOrder],
  );
  const closes = venue.events.filter(({ kind }) => kind === EventKind.orderClosed);
  assert.equal(closes.length, 1);
});
