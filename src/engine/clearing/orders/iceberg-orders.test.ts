// Clearing's part in iceberg orders: what the journal and the state know of the slice that an order shows, so that a
// replayed or restored venue has the same books as the one that traded.

import assert from "node:assert/strict";
import { test } from "node:test";
import { leg, listOf, pricedVenue } from "../../../../test/support/machine/test-lists.ts";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { CommandKind, type PlaceOrder } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { OrderListType } from "../../../core/order-lists.ts";
import { icebergPartsMax, OrderType, Side, StpMode, TimeInForce } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { apply } from "../../state/apply/apply.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../state/venue-state.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp, ccUsdc } = marketId;
const price = 1500;

function traders() {
  const venue = new TestVenue();
  const accounts = [0, 1, 2].map(() => venue.fund(100_000n * oneUsdc));
  for (const account of accounts) venue.credit(account, Wallet.spot, 1, 10n ** 14n);
  const [own = 0, other = 0, taker = 0] = accounts;
  return { venue, own, other, taker };
}

function sell(venue: TestVenue, account: number, qty: number, icebergQty = 0): number {
  return venue.sell(account, ccUsdc, price, qty, { icebergQty });
}

/** The resting order and the lots of each trade from event `from` on. */
function fills(venue: TestVenue, from = 0): [maker: number, lots: number][] {
  return venue.events
    .slice(from)
    .flatMap((event) => (event.kind === EventKind.traded ? [[event.makerOrderId, event.qty]] : []));
}

/** States that know what `venue` knows: one from its journal, and one from a snapshot. */
function followers(venue: TestVenue): VenueState[] {
  const replayed = new VenueState(testMarkets);
  for (const event of venue.events) apply(replayed, event);
  return [replayed, restoreState(testMarkets, captureState(venue.state))];
}

/** Asserts that a new leader with either state trades like `venue`: the same slices in the same order. */
function assertTradesAlike(venue: TestVenue, taker: number, lots: number, at = price): void {
  const heirs = followers(venue).map((state) => {
    const heir = new TestVenue({ state });
    heir.nowUs = venue.nowUs;
    return heir;
  });
  const from = venue.events.length;
  for (const one of [venue, ...heirs]) one.buy(taker, ccUsdc, at, lots);
  const told = fills(venue, from);
  assert.ok(told.length > 2, "the order must trade with several slices");
  for (const heir of heirs) {
    assert.deepEqual(fills(heir), told);
    assert.equal(stateHash(heir.state), stateHash(venue.state));
  }
}

test("SPT-96 SPT-98 an iceberg order holds its whole cost, and shows one slice", () => {
  const { venue, own, taker } = traders();
  const id = venue.buy(own, ccUsdc, price, 10_000, { icebergQty: 4000 });
  const { orders, balances } = venue.state;
  const slot = orders.slotOf(id);
  assert.equal(balances.reserved(own, Wallet.spot, 0), 1500n * 10_000n * 10n);
  assert.deepEqual([orders.remaining(slot), orders.shownLots(slot)], [10_000, 4000]);
  const accepted = venue.events.at(-1);
  assert(accepted?.kind === EventKind.icebergAccepted && accepted.icebergQty === 4000);
  venue.sell(taker, ccUsdc, price, 1000);
  assert.deepEqual([orders.remaining(slot), orders.shownLots(slot)], [9000, 3000]);
  venue.sell(taker, ccUsdc, price, 3000);
  assert.deepEqual([orders.remaining(slot), orders.shownLots(slot)], [6000, 4000]);
  assert.equal(balances.reserved(own, Wallet.spot, 0), 1500n * 6000n * 10n);
});

test("SPT-102 a venue from the journal or a snapshot continues with the same slices in the same order", () => {
  const { venue, own, other, taker } = traders();
  sell(venue, own, 9000, 2000);
  sell(venue, other, 5000, 1000);
  sell(venue, other, 3000);
  sell(venue, own, 4000, 3000);
  venue.buy(taker, ccUsdc, price, 3500);
  assertTradesAlike(venue, taker, 9000);
});

test("SPT-102 slices that one order fills get their priority in the order in which it filled them", () => {
  const { venue, own, other, taker } = traders();
  const [first, second] = [sell(venue, own, 9000, 3000), sell(venue, other, 9000, 1000)];
  venue.buy(taker, ccUsdc, price, 8500);
  assert.deepEqual(fills(venue), [
    ...[
      [first, 3000],
      [second, 1000],
      [first, 3000],
      [second, 1000],
    ],
    [first, 500],
  ]);
  venue.buy(taker, ccUsdc, price, 3500);
  assert.deepEqual(fills(venue).slice(5), [
    [first, 2500],
    [second, 1000],
  ]);
  assertTradesAlike(venue, taker, 4000);
});

test("SPT-100 SPT-102 an amend takes hidden lots first, in the state as in the book", () => {
  const { venue, own, other, taker } = traders();
  const id = sell(venue, own, 9000, 3000);
  sell(venue, other, 9000, 1000);
  venue.buy(taker, ccUsdc, price, 1000);
  const amend = {
    kind: CommandKind.amendOrder,
    account: own,
    market: ccUsdc,
    orderId: id,
  } as const;
  venue.done({ ...amend, clientId: "", price: 0, qty: 4500 });
  const { orders } = venue.state;
  const slot = orders.slotOf(id);
  assert.deepEqual([orders.remaining(slot), orders.shownLots(slot)], [3500, 2000]);
  venue.done({ ...amend, clientId: "", price: 0, qty: 2500 });
  assert.deepEqual([orders.remaining(slot), orders.shownLots(slot)], [1500, 1500]);
  venue.done({ ...amend, clientId: "", price: 0, qty: 9000 });
  assert.deepEqual([orders.remaining(slot), orders.shownLots(slot)], [8000, 3000]);
  assertTradesAlike(venue, taker, 7000);
});

test("SPT-101 SPT-102 self-trade prevention sees the whole order and takes hidden lots first", () => {
  const { venue, own, other, taker } = traders();
  const id = sell(venue, own, 9000, 3000);
  sell(venue, other, 4000, 1000);
  venue.buy(own, ccUsdc, price, 5000, { stpMode: StpMode.decrement });
  const { orders } = venue.state;
  assert.deepEqual(
    [orders.remaining(orders.slotOf(id)), orders.shownLots(orders.slotOf(id))],
    [4000, 3000],
  );
  assertTradesAlike(venue, taker, 6000);
  const whole = sell(venue, own, 9000, 3000);
  venue.buy(own, ccUsdc, price, 3000, { stpMode: StpMode.expireMaker });
  assert.equal(orders.slotOf(whole), -1);
});

test("SPT-96 a stop-limit order shows slices once it has triggered", () => {
  const { venue, own, other, taker } = traders();
  const stop = { type: OrderType.stop, triggerPrice: 1400, icebergQty: 1000 };
  const id = venue.sell(own, ccUsdc, price, 4000, stop);
  const { orders } = venue.state;
  assert(orders.isOffBook(orders.slotOf(id)));
  sell(venue, other, 5000, 2000);
  venue.buy(taker, ccUsdc, 1400, 1000);
  venue.sell(other, ccUsdc, 1400, 1000);
  assert(orders.isOnBook(orders.slotOf(id)));
  assert.equal(orders.shownLots(orders.slotOf(id)), 1000);
  assertTradesAlike(venue, taker, 6000);
});

test("SPT-97 an iceberg order that cannot be is refused and changes nothing", () => {
  const { venue, own } = traders();
  const before = stateHash(venue.state);
  const iceberg = { account: own, market: ccUsdc, side: Side.sell, price, qty: 10_000 } as const;
  const { unsupportedCombination, icebergNotBelowQty, tooManyIcebergParts } = RejectReason;
  const cases: [Partial<PlaceOrder>, RejectReason][] = [
    [{ icebergQty: 10_000 }, icebergNotBelowQty],
    [{ icebergQty: 10_001 }, icebergNotBelowQty],
    [{ icebergQty: -1 }, icebergNotBelowQty],
    [{ icebergQty: Math.floor(10_000 / icebergPartsMax) - 1 }, tooManyIcebergParts],
    [{ icebergQty: 5000, timeInForce: TimeInForce.ioc }, unsupportedCombination],
    [{ icebergQty: 5000, timeInForce: TimeInForce.fok }, unsupportedCombination],
    [{ icebergQty: 5000, type: OrderType.market, price: 0 }, unsupportedCombination],
    [{ icebergQty: 5000, market: btcPerp }, unsupportedCombination],
  ];
  for (const [terms, reason] of cases) {
    assert.equal(venue.send(orderCommand({ ...iceberg, ...terms })).reason, reason);
  }
  assert.equal(stateHash(venue.state), before);
  venue.done(orderCommand({ ...iceberg, icebergQty: 10_000 / icebergPartsMax }));
});

/** Clearing's copy of the order, or undefined if it is not open. */
function shownOf(venue: TestVenue, orderId: number) {
  const { orders } = venue.state;
  const slot = orders.slotOf(orderId);
  return slot < 0 ? undefined : [orders.remaining(slot), orders.shownLots(slot)];
}

test("SPT-111 both orders of an OCO may show slices of their own, and the first fill of one ends the other", () => {
  const { venue, own, other } = pricedVenue();
  const stop = { ...leg(Side.sell, OrderType.stop, 1390, 1400), icebergQty: 2000 };
  const goal = { ...leg(Side.sell, OrderType.limitMaker, 1600), icebergQty: 3000 };
  const oco = listOf(own, OrderListType.oco, [stop, goal]);
  const id = venue.done(oco);
  for (const state of followers(venue)) assert.equal(stateHash(state), stateHash(venue.state));
  assert.deepEqual(shownOf(venue, id + 1), [10_000, 3000]);
  venue.buy(other, ccUsdc, 1600, 4000);
  assert.deepEqual([shownOf(venue, id), shownOf(venue, id + 1)], [undefined, [6000, 2000]]);
  assert.deepEqual(fills(venue, 0).slice(-2), [
    [id + 1, 3000],
    [id + 1, 1000],
  ]);
  const next = pricedVenue();
  const second = next.venue.done({ ...oco, account: next.own });
  next.trade(1400);
  assert.deepEqual(shownOf(next.venue, second), [10_000, 2000]);
});

test("SPT-111 SPT-115 a working order and its pending orders may show slices; what an OPO has bought decides its last slice", () => {
  const { venue, own, other } = pricedVenue();
  venue.credit(own, Wallet.spot, 0, 100_000n * oneUsdc);
  const buy = { ...leg(Side.buy, OrderType.limit, 1500), icebergQty: 4000 };
  const goal = { ...leg(Side.sell, OrderType.limit, 1600), icebergQty: 2500 };
  const id = venue.done(listOf(own, OrderListType.oto, [buy, goal]));
  assert.deepEqual(shownOf(venue, id), [10_000, 4000]);
  venue.sell(other, ccUsdc, 1500, 10_000);
  assert.deepEqual(shownOf(venue, id + 1), [10_000, 2500]);
  const paid = venue.done(listOf(own, OrderListType.opo, [buy, { ...goal, qty: 0 }]));
  for (const state of followers(venue)) assert.equal(stateHash(state), stateHash(venue.state));
  venue.sell(other, ccUsdc, 1500, 10_000);
  assert.deepEqual(shownOf(venue, paid + 1), [10_000, 2500]);
  assertTradesAlike(venue, other, 9000, 1600);
});

test("SPT-111 SPT-115 a slice that an order of a list cannot have refuses the whole list", () => {
  const { venue, own } = pricedVenue();
  const { seq } = venue.state;
  const buy = leg(Side.buy, OrderType.limit, 1500);
  const goal = leg(Side.sell, OrderType.limit, 1600);
  const { oto, opo } = OrderListType;
  for (const [type, legs, expected] of [
    [oto, [buy, { ...goal, icebergQty: 10_000 }], RejectReason.icebergNotBelowQty],
    [oto, [{ ...buy, icebergQty: 999 }, goal], RejectReason.tooManyIcebergParts],
    [opo, [buy, { ...goal, qty: 0, icebergQty: 10_001 }], RejectReason.icebergNotBelowQty],
    [opo, [buy, { ...goal, qty: 0, icebergQty: 999 }], RejectReason.tooManyIcebergParts],
    [
      oto,
      [buy, { ...goal, icebergQty: 3000, timeInForce: TimeInForce.ioc }],
      RejectReason.unsupportedCombination,
    ],
    [
      oto,
      [buy, { ...leg(Side.sell, OrderType.stopMarket, 0, 1400), icebergQty: 3000 }],
      RejectReason.unsupportedCombination,
    ],
  ] as const) {
    assert.equal(venue.send(listOf(own, type, legs)).reason, expected);
  }
  assert.equal(venue.state.seq, seq);
});
