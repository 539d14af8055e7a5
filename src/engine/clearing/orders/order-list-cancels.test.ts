// Cancels that concern whole order lists: of a lost connection, of a triggered maker group, mass cancels, countdowns and
// halts. A list ends as one object, also if its working order is filled while the cancel is on its way, and also after a
// crash at any point.

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
import { CommandKind } from "../../../core/generated/commands.ts";
import { MarketStatus } from "../../../core/markets.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { OrderListType } from "../../../core/order-lists.ts";
import { CloseReason, OrderType, Side } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { stateHash } from "../../state-hash.ts";

const { ccUsdc, btcPerp } = marketId;

/** A venue with an open connection of the account that places lists. */
function connectedVenue() {
  const scene = pricedVenue();
  const { venue, own: account } = scene;
  const connection = venue.done({ kind: CommandKind.openConnection, account, keyId: 5 });
  const { endConnection: kind } = CommandKind;
  const end = (keepsOrders: boolean) =>
    ({ kind, account, connectionId: connection, keepsOrders }) as const;
  return { ...scene, connection, lost: end(false), withdrawn: end(true) };
}

function saleOf(account: number, qty: number) {
  return orderCommand({ account, market: ccUsdc, side: Side.sell, price: 1500, qty });
}

/** A maker group of the market that the first fill triggers. */
function groupOf(account: number) {
  return {
    kind: CommandKind.setMakerGroup,
    ...{ account, group: 1, markets: 1 << ccUsdc, windowUs: 1_000_000 },
    ...{ qtyLimit: 0, valueLimit: 0n, countLimit: 1 },
  } as const;
}

/** How all orders of a list ended, if each ended for the reason. */
function allOf(listId: number, count: number, reason: CloseReason): [number, CloseReason][] {
  return Array.from({ length: count }, (_, place) => [listId + place, reason]);
}

/** The venue's closes since `from`, by order id. */
function endsSince(venue: TestVenue, from: number): [number, CloseReason][] {
  return closesSince(venue, from).sort(([one], [other]) => one - other);
}

test("SPT-93 all orders of a list are bound to its connection, also pending ones, and end with it in one transaction", () => {
  for (const draftOf of [ocoOf, otocoOf]) {
    const { venue, own, connection, lost } = connectedVenue();
    const listId = venue.done({ ...draftOf(own), connection });
    const ids = draftOf === ocoOf ? [listId, listId + 1] : [listId, listId + 1, listId + 2];
    const bound = venue.state.connections.bound();
    assert.deepEqual(
      bound,
      ids.map((orderId) => ({ orderId, connectionId: connection })),
    );
    const from = venue.events.length;
    assert.equal(venue.done(lost), ids.length, "the orders to cancel");
    assert.deepEqual(endsSince(venue, from), allOf(listId, ids.length, CloseReason.disconnected));
    assert.equal(transactionsSince(venue, from), 2, "the end of the connection, and of the list");
    assert.equal(venue.state.orderLists.count, 0);
    assert.deepEqual(venue.state.connections.bound(), []);
  }
});

test("SPT-93 a list that is with its matcher when its connection is lost ends whole as soon as it rests", () => {
  const { venue, own, connection, lost } = connectedVenue();
  const placed = venue.take({ ...otocoOf(own), connection });
  venue.take(lost);
  venue.machine.settle();
  const { reason, subject: listId } = venue.replyTo(placed);
  assert.equal(reason, RejectReason.none);
  assert.deepEqual(endsSince(venue, 0), allOf(listId, 3, CloseReason.disconnected));
  assert.equal(venue.state.orders.countOf(own, ccUsdc), 0);
});

test("SPT-93 a list that arrives after the loss is refused and changes nothing; one that is let go stays", () => {
  const { venue, own, connection, withdrawn } = connectedVenue();
  const placed = venue.take({ ...ocoOf(own), connection });
  venue.take(withdrawn);
  venue.machine.settle();
  const listId = venue.replyTo(placed).subject;
  assert.deepEqual(venue.state.connections.bound(), []);
  assert.equal(venue.state.orderLists.byId(listId)?.account, own);
  const { seq } = venue.state;
  const late = venue.send({ ...otocoOf(own), connection });
  assert.equal(late.reason, RejectReason.connectionEnded);
  assert.equal(venue.state.seq, seq);
});

test("SPT-93 orders that became active while the cancel of their working order was on its way are cancelled too", () => {
  const { venue, own, other, connection, lost, reserved } = connectedVenue();
  const listId = venue.done({ ...otocoOf(own), connection });
  const from = venue.events.length;
  venue.take(saleOf(other, lots));
  venue.take(lost);
  // The fill comes first, so that the cancel of the working order finds nothing and both orders of the pair go on.
  venue.machine.answerNext(0, MatchLane.orders);
  venue.machine.settle();
  assert.deepEqual(endsSince(venue, from), allOf(listId + 1, 2, CloseReason.disconnected));
  assert.equal(venue.state.orderLists.count, 0);
  assert.equal(reserved(), 0n);
});

test("SPT-93 SPT-88 after a crash at any point of a loss, the start cancels the list whole before any command", () => {
  const { venue, own, connection, lost } = connectedVenue();
  const listId = venue.done({ ...otocoOf(own), connection });
  const states: ReturnType<typeof captureState>[] = [captureState(venue.state)];
  const crashing = new TestVenue({
    state: restoreState(testMarkets, captureState(venue.state)),
    onEvent: ({ isTransactionEnd }) => {
      if (isTransactionEnd) states.push(captureState(crashing.state));
    },
  });
  crashing.done(lost);
  assert.equal(states.length, 3);
  for (const state of states) {
    const later = new TestVenue({ state: restoreState(testMarkets, state) });
    const open = later.state.orderLists.count;
    later.machine.begin();
    assert.equal(later.machine.canAccept(), true);
    const closed = open === 0 ? 0 : 3;
    assert.deepEqual(endsSince(later, 0), allOf(listId, closed, CloseReason.disconnected));
    assert.equal(stateHash(later.state), stateHash(restored(later)));
  }
});

function restored(venue: TestVenue) {
  return restoreState(testMarkets, captureState(venue.state));
}

test("SPT-94 the trigger of a maker group cancels lists whole, and refuses new lists until the reset", () => {
  const { venue, own, other } = pricedVenue();
  const beside = venue.buy(own, btcPerp, 9000, 1);
  venue.done(groupOf(own));
  const first = venue.done(otocoOf(own));
  const second = venue.done(otocoOf(own));
  const from = venue.events.length;
  venue.send(saleOf(other, 1000));
  const expected = [first, second].flatMap((id) => allOf(id, 3, CloseReason.makerGroup));
  assert.deepEqual(endsSince(venue, from), expected);
  assert.equal(venue.state.orderLists.count, 0);
  assert.equal(venue.send(otocoOf(own)).reason, RejectReason.groupTriggered);
  assert.equal(venue.send(ocoOf(own)).reason, RejectReason.groupTriggered);
  assert.ok(venue.state.orders.slotOf(beside) >= 0);
  venue.done({ kind: CommandKind.resetMakerGroup, account: own, group: 1 });
  venue.done(ocoOf(own));
});

test("SPT-94 a working order whose fill triggers the group starts no pending orders", () => {
  const { venue, own, other, reserved } = pricedVenue();
  venue.done(groupOf(own));
  const listId = venue.done(otocoOf(own));
  const from = venue.events.length;
  venue.done(saleOf(other, lots));
  assert.deepEqual(endsSince(venue, from), allOf(listId + 1, 2, CloseReason.makerGroup));
  assert.equal(reserved(), 0n);
  // A crash after the trigger, before its cancels: they come before the first command.
  const dying = pricedVenue();
  dying.venue.done(groupOf(dying.own));
  const states: ReturnType<typeof captureState>[] = [];
  const crashing = new TestVenue({
    state: restored(dying.venue),
    onEvent: ({ isTransactionEnd }) => {
      if (isTransactionEnd) states.push(captureState(crashing.state));
    },
  });
  crashing.done(otocoOf(dying.own));
  crashing.done(saleOf(dying.other, lots));
  for (const state of states.slice(1)) {
    const later = new TestVenue({ state: restoreState(testMarkets, state) });
    later.machine.begin();
    tick(later);
    const isTriggered = (later.state.makerGroups.get(dying.own, 1)?.triggeredUs ?? 0) > 0;
    assert.equal(later.state.orderLists.count, isTriggered ? 0 : 1);
  }
});

test("SPT-95 a mass cancel that covers one order of a list cancels the list, and counts all of its orders", () => {
  const { venue, own } = pricedVenue();
  const all = { account: own, markets: 1 << ccUsdc, side: null, minPrice: 0, maxPrice: 0 };
  const cancel = { kind: CommandKind.cancelOrders, ...all, group: 0 } as const;
  const cases = [
    // The working order buys at 1,500; the pair sells at 1,600, or at the market below 1,400.
    { ...cancel, side: Side.buy },
    { ...cancel, side: Side.sell },
    { ...cancel, minPrice: 1500, maxPrice: 1500 },
    { ...cancel, minPrice: 1600 },
  ];
  for (const command of cases) {
    for (const isInFlight of [false, true]) {
      const kept = venue.buy(own, btcPerp, 9000, 1);
      const from = venue.events.length;
      const placed = venue.take(otocoOf(own));
      if (!isInFlight) venue.machine.settle();
      const mass = venue.take(command);
      venue.machine.settle();
      const listId = venue.replyTo(placed).subject;
      assert.equal(venue.replyTo(mass).subject, 3);
      assert.deepEqual(endsSince(venue, from), allOf(listId, 3, CloseReason.cancelled));
      venue.cancel(own, btcPerp, kept);
    }
  }
  venue.done(otocoOf(own));
  assert.equal(venue.send({ ...cancel, maxPrice: 1499 }).subject, 0, "no order is in the band");
  assert.equal(venue.state.orderLists.count, 1);
});

test("SPT-95 a mass cancel also cancels the orders that a fill made active while it was on its way", () => {
  const { venue, own, other } = pricedVenue();
  const listId = venue.done(otocoOf(own));
  const from = venue.events.length;
  venue.take(saleOf(other, lots));
  const mass = venue.take({
    kind: CommandKind.cancelAllOrders,
    ...{ account: own, market: ccUsdc },
  });
  venue.machine.answerNext(0, MatchLane.orders);
  venue.machine.settle();
  assert.equal(venue.replyTo(mass).subject, 2);
  assert.deepEqual(endsSince(venue, from), allOf(listId + 1, 2, CloseReason.cancelled));
});

test("SPT-95 a mass cancel goes on with the orders that a fill made active, also if a command came in between", () => {
  const { venue, own, other } = pricedVenue();
  venue.sell(other, ccUsdc, 1500, lots);
  const pending = leg(Side.sell, OrderType.limit, 1600);
  venue.take(listOf(own, OrderListType.oto, [leg(Side.buy, OrderType.limit, 1500), pending]));
  const all = { kind: CommandKind.cancelAllOrders, account: own, market: ccUsdc } as const;
  const first = venue.take(all);
  venue.machine.answerNext(0, MatchLane.orders);
  const cancel = { account: other, market: ccUsdc, orderId: 1000, clientId: "" };
  venue.take({ kind: CommandKind.cancelOrder, ...cancel });
  venue.machine.answerNext(0, MatchLane.orders);
  const second = venue.take(all);
  venue.machine.settle();
  assert.deepEqual([venue.replyTo(first).subject, venue.replyTo(second).subject], [1, 0]);
  assert.equal(venue.state.orderLists.count, 0);
});

test("SPT-89 a countdown that runs out ends a list whole", () => {
  const { venue, own } = pricedVenue();
  const listId = venue.done(otocoOf(own));
  const cancelAtUs = venue.nowUs + 500_000;
  venue.done({ kind: CommandKind.setCountdown, account: own, market: ccUsdc, cancelAtUs });
  const from = venue.events.length;
  tick(venue);
  assert.deepEqual(endsSince(venue, from), allOf(listId, 3, CloseReason.countdown));
});

test("SPT-89 a market that stops trading ends lists whole, one that is with its matcher included", () => {
  const { venue, own, owned } = pricedVenue();
  venue.credit(own, 1, 1, owned);
  const listId = venue.done(otocoOf(own));
  const from = venue.events.length;
  const placed = venue.take(ocoOf(own));
  const { halted: status } = MarketStatus;
  venue.take({ kind: CommandKind.setMarketStatus, market: ccUsdc, status });
  venue.machine.settle();
  const late = venue.replyTo(placed).subject;
  const { marketClosed } = CloseReason;
  const expected = [...allOf(listId, 3, marketClosed), ...allOf(late, 2, marketClosed)];
  assert.deepEqual(endsSince(venue, from), expected);
  assert.equal(venue.state.orderLists.count, 0);
});

test("SPT-89 a cancel of a list whose stop loss is triggering ends the order that goes on", () => {
  const { venue, own, other, maker, reserved } = pricedVenue();
  const stop = leg(Side.sell, OrderType.stop, 1395, 1400);
  const list = listOf(own, OrderListType.oco, [stop, leg(Side.sell, OrderType.limitMaker, 1600)]);
  const listId = venue.done(list);
  venue.sell(other, ccUsdc, 1390, 1000);
  venue.take(
    orderCommand({ account: maker, market: ccUsdc, side: Side.buy, price: 1390, qty: 1000 }),
  );
  venue.machine.answerNext(0, MatchLane.orders);
  // The limit's cancel is on its way, because the stop loss has triggered.
  const mass = venue.take({
    kind: CommandKind.cancelAllOrders,
    ...{ account: own, market: ccUsdc },
  });
  venue.machine.settle();
  assert.equal(venue.replyTo(mass).reason, RejectReason.none);
  assert.equal(venue.state.orders.countOf(own, ccUsdc), 0);
  assert.equal(reserved(), 0n);
  assert.deepEqual(
    endsSince(venue, 0).map(([id]) => id),
    [listId, listId + 1],
  );
});
