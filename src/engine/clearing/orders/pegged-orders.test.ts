// Orders that take their price from the book when they go there: at their trigger, or once the working order of their list
// is filled. Their matcher reads the price of a level, clearing decides on it, and the journal has it.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  closesSince,
  leg,
  listOf,
  lots,
  pricedVenue,
  tick,
} from "../../../../test/support/machine/test-lists.ts";
import { marketId, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { matcherCreditsMax } from "../../../core/limits.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { OrderListType } from "../../../core/order-lists.ts";
import {
  CloseReason,
  OrderType,
  Peg,
  pegOffsetMax,
  Side,
  TimeInForce,
} from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { apply } from "../../state/apply/apply.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../state/venue-state.ts";
import { stateHash } from "../../state-hash.ts";

const { ccUsdc, btcPerp } = marketId;
const { stop, stopMarket, takeProfit, limit, limitMaker, market } = OrderType;
const { baseUnitsPerLot } = testMarkets.market(ccUsdc);

/** A stop-limit sell of the account's 10,000 lots that triggers at 1,400 and takes its price then. */
const sellStop = { type: stop, triggerPrice: 1400, peg: Peg.primary };

/** A book with a bid at 1,380 and an ask at 1,390, unless they are left out, and a last price of 1,500. */
function pegVenue({ bid = 1380, ask = 1390 } = {}) {
  const made = pricedVenue();
  const { venue, other, maker } = made;
  venue.buy(other, ccUsdc, bid, 1000);
  if (ask > 0) venue.sell(other, ccUsdc, ask, 1000);
  /** Trades at the bid, which triggers what waits for that. */
  const fall = () => venue.sell(maker, ccUsdc, bid, 800);
  const pricesOf = (orderId: number) =>
    venue.events.flatMap((event) =>
      event.kind === EventKind.orderTriggered && event.orderId === orderId ? [event.price] : [],
    );
  return { ...made, fall, pricesOf };
}

/** States that know what `venue` knows: one from its journal, and one from a snapshot. */
function followers(venue: TestVenue): VenueState[] {
  const replayed = new VenueState(testMarkets);
  for (const event of venue.events) apply(replayed, event);
  return [replayed, restoreState(testMarkets, captureState(venue.state))];
}

test("SPT-112 a stop-limit order takes the best price of its side or of the other side when it triggers", () => {
  for (const [peg, price, expected] of [
    [Peg.primary, 0, 1390],
    [Peg.market, 0, 1380],
    [Peg.primary, 1395, 1395],
    [Peg.primary, 1370, 1390],
    [Peg.market, 1370, 1380],
    [Peg.market, 1385, 1385],
  ] as const) {
    const { venue, own, fall, pricesOf } = pegVenue();
    const id = venue.sell(own, ccUsdc, price, lots, { ...sellStop, peg });
    assert.deepEqual(pricesOf(id), []);
    fall();
    assert.deepEqual(pricesOf(id), [expected], `${peg} ${price}`);
  }
});

test("SPT-112 with an offset it takes the price of a level behind the best one", () => {
  for (const [side, peg, pegOffset, price, expected] of [
    [Side.sell, Peg.primary, 1, 0, 1392],
    [Side.sell, Peg.primary, 3, 0, 1396],
    [Side.sell, Peg.primary, 4, 0, undefined],
    [Side.sell, Peg.primary, 2, 1395, 1395],
    [Side.sell, Peg.primary, 4, 1395, undefined],
    [Side.sell, Peg.market, 2, 0, 1376],
    [Side.sell, Peg.market, 2, 1379, 1379],
    [Side.buy, Peg.primary, 2, 0, 1376],
    [Side.buy, Peg.market, 1, 0, 1392],
    [Side.buy, Peg.market, 3, 1391, 1391],
    [Side.buy, Peg.primary, pegOffsetMax, 0, undefined],
  ] as const) {
    const { venue, own, other, fall, pricesOf, reserved } = pegVenue();
    for (const level of [1, 2, 3]) {
      // A level is a price with orders: not each price is one, and some have several orders.
      venue.buy(other, ccUsdc, 1380 - 2 * level, 1000);
      venue.buy(other, ccUsdc, 1380 - 2 * level, 1000);
      venue.sell(other, ccUsdc, 1390 + 2 * level, 1000);
    }
    venue.credit(own, Wallet.spot, 0, 10n ** 12n);
    const type = side === Side.sell ? stop : takeProfit;
    const terms = { ...sellStop, type, peg, pegOffset };
    const id = venue.place({
      account: own,
      market: ccUsdc,
      side,
      price,
      qty: 1000,
      ...terms,
    }).subject;
    const from = venue.events.length;
    fall();
    const why = JSON.stringify([side, peg, pegOffset, price]);
    if (expected === undefined) {
      assert.deepEqual(closesSince(venue, from), [[id, CloseReason.triggerRefused]], why);
      assert.deepEqual([pricesOf(id), reserved()], [[], 0n], why);
    } else assert.deepEqual(pricesOf(id), [expected], why);
  }
});

test("SPT-112 a pegged order never follows the book", () => {
  const { venue, own, other, fall, pricesOf } = pegVenue();
  const id = venue.sell(own, ccUsdc, 0, lots, sellStop);
  fall();
  venue.sell(other, ccUsdc, 1385, 1000);
  const { orders } = venue.state;
  assert.deepEqual([pricesOf(id), orders.price[orders.slotOf(id)]], [[1390], 1390]);
});

test("SPT-113 until its trigger a pegged order holds its limit or, without one, what a market order would", () => {
  for (const [price, expected] of [
    [0, 1680],
    [1610, 1610],
  ] as const) {
    const { venue, maker: own, other } = pegVenue({ bid: 1580, ask: 1590 });
    const reserved = () => venue.state.balances.reserved(own, Wallet.spot, 0);
    const before = reserved();
    const order = { type: stop, triggerPrice: 1600, peg: Peg.primary };
    venue.buy(own, ccUsdc, price, 1000, order);
    assert.equal(reserved() - before, BigInt(expected) * 1000n * 10n);
    venue.sell(other, ccUsdc, 1600, 1000);
    venue.buy(venue.fund(10n ** 12n), ccUsdc, 1600, 2000);
    assert.equal(reserved() - before, 1580n * 1000n * 10n);
  }
});

test("SPT-114 a pegged order whose book has no such price when it triggers expires", () => {
  const { venue, own, fall, pricesOf, reserved } = pegVenue({ ask: 0 });
  const id = venue.sell(own, ccUsdc, 0, lots, sellStop);
  assert.equal(reserved(), BigInt(lots) * baseUnitsPerLot);
  const from = venue.events.length;
  fall();
  assert.deepEqual(pricesOf(id), []);
  assert.deepEqual(closesSince(venue, from), [[id, CloseReason.triggerRefused]]);
  assert.equal(reserved(), 0n);
});

test("SPT-114 a pegged order whose price its account cannot pay when it triggers expires", () => {
  const { venue, other, pricesOf } = pegVenue({ bid: 1580, ask: 0 });
  const own = venue.fund(1680n * 1000n * 10n);
  const order = { type: stop, triggerPrice: 1600, peg: Peg.market };
  const id = venue.buy(own, ccUsdc, 0, 1000, order);
  assert.equal(venue.state.balances.reserved(own, Wallet.spot, 0), 1680n * 1000n * 10n);
  venue.sell(other, ccUsdc, 1600, 1000);
  venue.sell(other, ccUsdc, 1700, 1000);
  const from = venue.events.length;
  venue.buy(venue.fund(10n ** 12n), ccUsdc, 1600, 1000);
  assert.deepEqual(pricesOf(id), []);
  assert.deepEqual(closesSince(venue, from), [[id, CloseReason.triggerRefused]]);
  assert.equal(venue.state.balances.reserved(own, Wallet.spot, 0), 0n);
});

test("SPT-113 the pending orders of a list are priced when they become active or trigger", () => {
  const buy = leg(Side.buy, limit, 1500);
  const pegged = (type: OrderType, triggerPrice = 0, peg: Peg = Peg.primary) => ({
    ...leg(Side.sell, type, 0, triggerPrice),
    peg,
  });
  const { oto, otoco, opo } = OrderListType;
  for (const [type, pending] of [
    [oto, [pegged(limit)]],
    [oto, [pegged(limit, 0, Peg.market)]],
    [otoco, [pegged(stop, 1400), pegged(limitMaker)]],
    [opo, [{ ...pegged(limitMaker), qty: 0 }]],
  ] as const) {
    const { venue, own, other, fall, pricesOf } = pegVenue({ bid: 1350, ask: 1640 });
    venue.credit(own, Wallet.spot, 0, 10n ** 12n);
    const id = venue.done(listOf(own, type, [buy, ...pending]));
    for (const heir of followers(venue)) assert.equal(stateHash(heir), stateHash(venue.state));
    venue.sell(other, ccUsdc, 1500, lots);
    const last = id + pending.length;
    const isMarket = pending[0].peg === Peg.market;
    assert.deepEqual(pricesOf(last), [isMarket ? 1350 : 1640]);
    if (type !== otoco) continue;
    fall();
    // Its partner has left the book, whose only ask was somebody else's.
    assert.deepEqual(pricesOf(id + 1), [1640]);
    assert.ok(venue.state.orders.slotOf(last) < 0);
  }
});

test("SPT-112 a venue from the journal or a snapshot prices a pegged order alike", () => {
  const { venue, own, maker } = pegVenue();
  venue.sell(own, ccUsdc, 0, 4000, { ...sellStop, icebergQty: 1000 });
  venue.sell(own, ccUsdc, 1399, 3000, { ...sellStop, peg: Peg.market });
  venue.sell(maker, ccUsdc, 1392, 1000);
  const behind = venue.sell(own, ccUsdc, 0, 2000, { ...sellStop, pegOffset: 1 });
  const heirs = followers(venue).map((state) => {
    const heir = new TestVenue({ state });
    heir.nowUs = venue.nowUs;
    return heir;
  });
  for (const one of [venue, ...heirs]) {
    tick(one);
    one.sell(maker, ccUsdc, 1380, 800);
  }
  for (const heir of heirs) assert.equal(stateHash(heir.state), stateHash(venue.state));
  const { orders } = venue.state;
  assert.equal(orders.price[orders.slotOf(behind)], 1392);
});

/** A venue whose pegged order `id` has just triggered: its matcher has not read the price of its level yet. */
function readingVenue() {
  const made = pegVenue();
  const { venue, own, maker } = made;
  const id = venue.sell(own, ccUsdc, 0, 4000, { ...sellStop, pegOffset: 1 });
  venue.sell(maker, ccUsdc, 1395, 1000);
  const terms = { account: maker, market: ccUsdc, side: Side.sell, price: 1380, qty: 800 };
  venue.take(orderCommand(terms));
  venue.machine.answerNext(0, MatchLane.orders);
  assert.equal(venue.machine.waiting(0, MatchLane.orders), 1);
  return { ...made, id };
}

test("SPT-112 an order that is cancelled while its level is read is gone, and its slot is free for another order", () => {
  const { venue, own, id, pricesOf, reserved } = readingVenue();
  const cancel = { account: own, market: ccUsdc, orderId: id, clientId: "" };
  venue.take({ kind: CommandKind.cancelOrder, ...cancel });
  const terms = { account: own, market: ccUsdc, side: Side.sell, price: 1700, qty: 3000 };
  const next = venue.take(orderCommand(terms));
  venue.machine.settle();
  const { orders } = venue.state;
  assert.deepEqual([pricesOf(id), orders.slotOf(id)], [[], -1]);
  assert.equal(orders.price[orders.slotOf(venue.replyTo(next).subject)], 1700);
  assert.equal(reserved(), 3000n * baseUnitsPerLot);
});

test("SPT-112 a command that comes while a level is read does not delay the order", () => {
  const { venue, own, id, pricesOf } = readingVenue();
  const cancel = { account: own, market: ccUsdc, orderId: id + 1000, clientId: "" };
  venue.take({ kind: CommandKind.cancelOrder, ...cancel });
  venue.machine.settle();
  assert.deepEqual(pricesOf(id), [1395]);
});

test("SPT-112 a venue that ends while a level is read prices the order after its start", () => {
  const { venue, id } = readingVenue();
  for (const state of followers(venue)) {
    const heir = new TestVenue({ state });
    heir.nowUs = venue.nowUs;
    tick(heir);
    assert.equal(state.orders.price[state.orders.slotOf(id)], 1395);
  }
});

test("SPT-112 all orders that one trade triggers get a price, also if there are more than credits", () => {
  const { venue, other, maker, fall, pricesOf } = pegVenue();
  const ids = [other, maker].flatMap((account) =>
    Array.from({ length: matcherCreditsMax }, (_, at) =>
      venue.sell(account, ccUsdc, 0, 1000, { ...sellStop, pegOffset: at % 2 }),
    ),
  );
  venue.sell(other, ccUsdc, 1395, 1000);
  fall();
  const prices = ids.map((id) => pricesOf(id)[0]);
  assert.deepEqual(new Set(prices), new Set([1390, 1395]));
});

test("SPT-82 a peg of an order that goes to its book at once, or cannot have one, is refused", () => {
  const { venue, own } = pegVenue();
  const { seq } = venue.state;
  const { unsupportedCombination } = RejectReason;
  const order = { account: own, side: Side.sell, price: 1600, qty: 100, market: ccUsdc };
  for (const terms of [
    { type: limit, peg: Peg.primary },
    { type: market, peg: Peg.market, price: 0 },
    { ...sellStop, type: stopMarket, price: 0 },
    { ...sellStop, timeInForce: TimeInForce.ioc },
    { ...sellStop, market: btcPerp },
    { ...sellStop, peg: 3 as Peg },
    { ...sellStop, pegOffset: pegOffsetMax + 1 },
  ]) {
    const { reason } = venue.place({ ...order, ...terms });
    assert.equal(reason, unsupportedCombination, JSON.stringify(terms));
  }
  const buy = leg(Side.buy, limit, 1500);
  const post = { ...leg(Side.sell, limitMaker, 0), peg: Peg.market };
  for (const legs of [
    [{ ...buy, peg: Peg.primary }, leg(Side.sell, limit, 1600)],
    [buy, post],
  ]) {
    const { reason } = venue.send(listOf(own, OrderListType.oto, legs));
    assert.equal(reason, unsupportedCombination);
  }
  assert.equal(venue.state.seq, seq);
});
