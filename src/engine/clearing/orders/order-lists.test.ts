// Order lists in clearing: what a list holds, how its orders end each other, and that no transaction leaves a list half
// there, also after a restart at any point.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  closesSince,
  leg,
  listOf,
  lots,
  ocoOf,
  otocoOf,
  pricedVenue,
  tick,
  transactionsSince,
} from "../../../../test/support/machine/test-lists.ts";
import { marketId, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { conditionalPerMarketPerAccountMax } from "../../../core/limits.ts";
import {
  derivedListClientId,
  type ListLeg,
  OrderListType,
  orderListsPerMarketPerAccountMax,
} from "../../../core/order-lists.ts";
import { CloseReason, OrderType, Peg, Side, TimeInForce } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { stateHash } from "../../state-hash.ts";

const { ccUsdc } = marketId;

/** Starts another venue from this one's state, as after a crash, and lets its first tick pass. */
function restarted(venue: TestVenue): TestVenue {
  const copy = restoreState(testMarkets, captureState(venue.state));
  assert.equal(stateHash(copy), stateHash(venue.state), "a snapshot keeps the lists");
  const later = new TestVenue({ state: copy });
  tick(later);
  return later;
}

test("SPT-86 an OCO is one transaction, has consecutive ids, and reserves once what either order can cost", () => {
  const { venue, own, owned, reserved } = pricedVenue();
  const from = venue.events.length;
  const listId = venue.done(ocoOf(own));
  assert.equal(transactionsSince(venue, from), 1);
  assert.deepEqual(
    venue.events.slice(from).map(({ kind }) => kind),
    [EventKind.orderListAccepted, EventKind.specialAccepted, EventKind.specialAccepted],
  );
  assert.equal(reserved(), owned, "the account owns no more than one order sells");
  const { orders, orderLists } = venue.state;
  assert.equal(orders.isOffBook(orders.slotOf(listId)), true, "the stop loss waits");
  assert.equal(orders.isOnBook(orders.slotOf(listId + 1)), true, "the limit is on its book");
  assert.equal(orderLists.of(listId + 1)?.listId, listId);
});

test("SPT-84 an OCO is refused whole if its prices do not enclose the last price, or one order would take", () => {
  const { venue, own, maker, reserved } = pricedVenue();
  const wrong = [
    [leg(Side.sell, OrderType.stopMarket, 0, 1500), leg(Side.sell, OrderType.limitMaker, 1600)],
    [leg(Side.sell, OrderType.stopMarket, 0, 1400), leg(Side.sell, OrderType.limitMaker, 1500)],
    [leg(Side.buy, OrderType.stopMarket, 0, 1400), leg(Side.buy, OrderType.limitMaker, 1600)],
  ];
  // A pegged order without a limit is compared by its trigger.
  const goal = (trigger: number) => ({
    ...leg(Side.sell, OrderType.takeProfit, 0, trigger),
    peg: Peg.primary,
  });
  const floor = leg(Side.sell, OrderType.stopMarket, 0, 1400);
  for (const legs of [...wrong, [floor, goal(1450)]]) {
    const { reason } = venue.send(listOf(own, OrderListType.oco, legs));
    assert.equal(reason, RejectReason.listPricesWrong);
  }
  const from = venue.events.length;
  venue.buy(maker, ccUsdc, 1700, 1000);
  assert.equal(venue.send(ocoOf(own)).reason, RejectReason.wouldTake);
  assert.equal(venue.events.length, from + 1, "a refused list leaves no trace");
  assert.equal(reserved(), 0n);
  assert.equal(venue.state.orders.countOf(own, ccUsdc), 0);
});

test("SPT-83 a list of orders that do not belong together is refused", () => {
  const { venue, own } = pricedVenue();
  const stop = leg(Side.sell, OrderType.stopMarket, 0, 1400);
  const goal = leg(Side.sell, OrderType.limitMaker, 1600);
  const cases: [OrderListType, ListLeg[]][] = [
    [OrderListType.oco, [stop, { ...goal, side: Side.buy }]],
    [OrderListType.oco, [stop, { ...goal, qty: 5 }]],
    [OrderListType.oco, [goal, goal]],
    [OrderListType.oco, [stop]],
    [OrderListType.oto, [stop, goal]],
    [OrderListType.otoco, [goal, goal, stop]],
  ];
  for (const [type, legs] of cases) {
    const { reason } = venue.send(listOf(own, type, legs));
    assert.equal(reason, RejectReason.unsupportedCombination);
  }
});

test("SPT-85 the client id of an open list is taken; of its orders, each one must be new", () => {
  const { venue, own, owned } = pricedVenue();
  venue.credit(own, Wallet.spot, 1, owned);
  const listId = venue.done(ocoOf(own, ["mine", "stop", "limit"]));
  const again = (ids: string[]) => venue.send(ocoOf(own, ids)).reason;
  assert.equal(again(["mine"]), RejectReason.duplicateClientId);
  assert.equal(again(["", "stop"]), RejectReason.duplicateClientId);
  assert.equal(again(["", "a", "a"]), RejectReason.duplicateClientId);
  assert.equal(venue.cancel(own, ccUsdc, 0, "limit").reason, RejectReason.none);
  assert.equal(venue.state.orderLists.byId(listId), undefined);
  assert.equal(again(["mine"]), RejectReason.none, "the list is over");
});

test("SPT-85 lists in flight to their matcher count toward the limits on lists and on conditional orders", () => {
  const { venue, own, owned } = pricedVenue();
  venue.credit(own, Wallet.spot, 1, 100n * owned);
  const reasons = (draft: Parameters<TestVenue["take"]>[0], count: number) => {
    const taken = Array.from({ length: count }, () => venue.take(draft));
    venue.machine.settle();
    return taken.map((command) => venue.replyTo(command).reason);
  };
  const lists = reasons(ocoOf(own), orderListsPerMarketPerAccountMax + 1);
  assert.equal(lists.pop(), RejectReason.tooManyOrderLists);
  assert.deepEqual(new Set(lists), new Set([RejectReason.none]));
  venue.done({ kind: CommandKind.cancelAllOrders, account: own, market: ccUsdc });
  const stop = { account: own, market: ccUsdc, side: Side.sell, qty: 1000, triggerPrice: 1400 };
  for (let count = 2; count < conditionalPerMarketPerAccountMax; count++) {
    venue.done(orderCommand({ ...stop, price: 0, type: OrderType.stopMarket }));
  }
  const pairs = reasons(ocoOf(own), 3);
  assert.deepEqual(pairs, [
    RejectReason.none,
    RejectReason.none,
    RejectReason.tooManyConditionalOrders,
  ]);
});

test("SPT-85 a single conditional order counts together with those of lists in flight", () => {
  const { venue, own, owned } = pricedVenue();
  venue.credit(own, Wallet.spot, 1, 100n * owned);
  const terms = { account: own, market: ccUsdc, side: Side.sell, qty: 1000, triggerPrice: 1400 };
  const stop = orderCommand({ ...terms, price: 0, type: OrderType.stopMarket });
  for (let count = 1; count < conditionalPerMarketPerAccountMax; count++) venue.done(stop);
  const [list, one] = [venue.take(ocoOf(own)), venue.take(stop)];
  venue.machine.settle();
  assert.equal(venue.replyTo(one).reason, RejectReason.tooManyConditionalOrders);
  assert.equal(venue.replyTo(list).reason, RejectReason.none);
});

test("SPT-85 a client id in the form of derived ones is refused, so that no list gets the id of another", () => {
  const { venue, own } = pricedVenue();
  const coming = derivedListClientId(venue.state.nextOrderId + 2);
  assert.equal(venue.send(ocoOf(own, [coming])).reason, RejectReason.clientIdReserved);
  const listId = venue.done(ocoOf(own, [coming.slice(1)]));
  assert.equal(venue.state.orderLists.byClientId(own, coming.slice(1))?.listId, listId);
});

test("SPT-87 a trade of one order of an OCO, even of a part, ends the other in its transaction", () => {
  const { venue, own, maker, owned, reserved } = pricedVenue();
  const listId = venue.done(ocoOf(own));
  const from = venue.events.length;
  venue.buy(maker, ccUsdc, 1600, 4000);
  assert.equal(transactionsSince(venue, from), 1);
  assert.deepEqual(closesSince(venue, from), [[listId, CloseReason.ocoPartner]]);
  assert.equal(reserved(), (owned * 6n) / 10n);
  const later = restarted(venue);
  assert.equal(later.state.orderLists.count, 1);
  assert.equal(venue.cancel(own, ccUsdc, listId + 1).reason, RejectReason.none);
  assert.equal(venue.state.orderLists.count, 0);
  assert.equal(reserved(), 0n);
});

test("SPT-87 a stop loss that triggers ends the limit first, and then sells", () => {
  const { venue, own, trade, maker, owned } = pricedVenue();
  const listId = venue.done(ocoOf(own));
  venue.buy(maker, ccUsdc, 1390, lots);
  const from = venue.events.length;
  trade(1395);
  const closes = closesSince(venue, from);
  assert.deepEqual(closes, [[listId + 1, CloseReason.ocoPartner]]);
  const fired = venue.events.findLast(({ kind }) => kind === EventKind.orderTriggered);
  assert(fired?.kind === EventKind.orderTriggered && fired.orderId === listId);
  assert.equal(venue.state.balances.total(own, Wallet.spot, 1), 0n, `all ${owned} sold`);
  assert.equal(venue.state.orderLists.count, 0);
});

test("SPT-88 an OCO that was triggering when the venue was killed goes on with its trigger", () => {
  const { venue, own, trade } = pricedVenue();
  const listId = venue.done(ocoOf(own));
  // All transactions up to the one that ended the limit, but not that of the trigger: the crash point in between.
  const states: ReturnType<typeof captureState>[] = [];
  const before = captureState(venue.state);
  const crashing = new TestVenue({
    state: restoreState(testMarkets, before),
    onEvent: (event) => {
      if (event.isTransactionEnd) states.push(captureState(crashing.state));
    },
  });
  crashing.nowUs = venue.nowUs;
  const [other, maker] = [own + 1, own + 2];
  crashing.buy(maker, ccUsdc, 1390, lots);
  crashing.sell(other, ccUsdc, 1395, 1000);
  crashing.buy(maker, ccUsdc, 1395, 1000);
  assert.equal(crashing.state.orderLists.count, 0);
  trade(1500);
  for (const state of states) {
    const later = new TestVenue({ state: restoreState(testMarkets, state) });
    tick(later);
    const { orders } = later.state;
    const [stop, limit] = [orders.slotOf(listId), orders.slotOf(listId + 1)];
    const isWhole = stop >= 0 && limit >= 0;
    assert(isWhole || (stop < 0 && limit < 0), "both orders, or the trigger has gone on");
  }
});

test("SPT-89 a cancel of one order, of the list or of all orders ends the whole list", () => {
  const { venue, own, reserved } = pricedVenue();
  for (const place of [0, 1]) {
    const listId = venue.done(ocoOf(own));
    const from = venue.events.length;
    assert.equal(venue.cancel(own, ccUsdc, listId + place).reason, RejectReason.none);
    const { cancelled } = CloseReason;
    assert.deepEqual(closesSince(venue, from), [
      [listId, cancelled],
      [listId + 1, cancelled],
    ]);
    assert.equal(transactionsSince(venue, from), 1);
    assert.equal(reserved(), 0n);
  }
  venue.done(ocoOf(own));
  const sum = venue.done({ kind: CommandKind.cancelAllOrders, account: own, market: ccUsdc });
  assert.equal(sum, 2);
  assert.equal(venue.state.orderLists.count, 0);
});

test("SPT-89 a cancel of all orders also ends a list that is still with its matcher", () => {
  const { venue, own, reserved } = pricedVenue();
  const placed = venue.take(ocoOf(own, ["", "stop"]));
  const single = venue.take({
    kind: CommandKind.cancelOrder,
    ...{ account: own, market: ccUsdc, orderId: 0, clientId: "stop" },
  });
  const all = venue.take({ kind: CommandKind.cancelAllOrders, account: own, market: ccUsdc });
  venue.machine.settle();
  assert.equal(venue.replyTo(placed).reason, RejectReason.none);
  assert.equal(venue.replyTo(single).reason, RejectReason.none);
  assert.equal(venue.replyTo(all).reason, RejectReason.none);
  assert.equal(venue.state.orderLists.count, 0);
  assert.equal(venue.state.orders.countOf(own, ccUsdc), 0);
  assert.equal(reserved(), 0n);
});

test("SPT-90 the pending orders of an OTOCO hold nothing and become active together when the working order is filled", () => {
  const { venue, own, other, owned, reserved } = pricedVenue();
  const before = reserved();
  const listId = venue.done(otocoOf(own));
  assert.equal(reserved(), before, "pending orders hold nothing");
  const { orders } = venue.state;
  assert.equal(orders.isOffBook(orders.slotOf(listId + 2)), true);
  venue.sell(other, ccUsdc, 1500, 4000);
  assert.equal(orders.isOffBook(orders.slotOf(listId + 2)), true, "a part is not enough");
  const from = venue.events.length;
  venue.sell(other, ccUsdc, 1500, 6000);
  assert.equal(transactionsSince(venue, from), 2, "the fill, and then both orders of the pair");
  assert.equal(orders.isOnBook(orders.slotOf(listId + 2)), true);
  assert.equal(reserved(), owned);
  const later = restarted(venue);
  assert.equal(later.state.orders.isOnBook(later.state.orders.slotOf(listId + 2)), true);
});

test("SPT-90 pending orders of a working order that ends without a fill expire with it", () => {
  const { venue, own, reserved } = pricedVenue();
  const working = { ...leg(Side.buy, OrderType.limit, 1400), timeInForce: TimeInForce.ioc };
  const pending = leg(Side.sell, OrderType.limit, 1600);
  const listId = venue.done(listOf(own, OrderListType.oto, [working, pending]));
  assert.deepEqual(closesSince(venue, 0).slice(-2), [
    [listId + 1, CloseReason.workingEnded],
    [listId, CloseReason.unfilled],
  ]);
  assert.equal(reserved(), 0n);
});

test("SPT-90 a pending order that the balance does not cover expires when its turn comes", () => {
  const { venue, own, other, owned } = pricedVenue();
  venue.sell(own, ccUsdc, 1650, lots);
  assert.equal(venue.state.balances.free(own, Wallet.spot, 1), 0n, `${owned} in another order`);
  const working = { ...leg(Side.buy, OrderType.limit, 1500), qty: 1000 };
  const pending = leg(Side.sell, OrderType.limit, 1600);
  const listId = venue.done(listOf(own, OrderListType.oto, [working, pending]));
  venue.sell(other, ccUsdc, 1500, 1000);
  assert.deepEqual(closesSince(venue, 0).at(-1), [listId + 1, CloseReason.triggerRefused]);
  assert.equal(venue.state.orderLists.count, 0);
});
