// OPO and OPOCO lists in clearing: the pending orders sell what the working order buys, hold it from the fill on, and
// become active with as many lots as it pays for, also after a crash.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  closesSince,
  leg,
  listOf,
  lots,
  opocoOf,
  opoOf,
  pricedVenue,
  tick,
  transactionsSince,
} from "../../../../test/support/machine/test-lists.ts";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { EventKind, type Traded } from "../../../core/generated/events.ts";
import { wholeUnits } from "../../../core/money/amounts.ts";
import { type ListLeg, OrderListType } from "../../../core/order-lists.ts";
import { CloseReason, OrderType, Side, TimeInForce } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { stateHash } from "../../state-hash.ts";

const { ccUsdc } = marketId;
const { baseUnitsPerLot: unitsPerLot, minNotional, tickLot } = testMarkets.market(ccUsdc);
/** Fewest lots that have the least value at 1,500 ticks. */
const lotsMin = Math.ceil(Number(minNotional / wholeUnits(tickLot)) / 1500);

/** A venue with a last price, and an account that owns only USDC. */
function venueWithBuyer() {
  const { venue, other, maker, trade } = pricedVenue();
  const own = venue.fund(1_000_000n * oneUsdc);
  const coins = () => ({
    total: venue.state.balances.total(own, Wallet.spot, 1),
    reserved: venue.state.balances.reserved(own, Wallet.spot, 1),
  });
  return { venue, own, other, maker, trade, coins };
}

/** Lots that a buy of `bought` lots pays for, less the fee of a maker. */
function paidLots(bought: number): number {
  const units = BigInt(bought) * unitsPerLot;
  const fee = (units * BigInt(testMarkets.market(ccUsdc).makerFeeBps) + 9_999n) / 10_000n;
  return Number((units - fee) / unitsPerLot);
}

function lotsOf(venue: TestVenue, orderId: number): number {
  const { orders } = venue.state;
  return orders.qty[orders.slotOf(orderId)] ?? 0;
}

test("SPT-104 the working order of an OPO or OPOCO buys, and the pending ones sell without a quantity", () => {
  const { venue, own } = venueWithBuyer();
  const buy = leg(Side.buy, OrderType.limit, 1500);
  const sell = { ...leg(Side.sell, OrderType.limitMaker, 1600), qty: 0 };
  const stop = { ...leg(Side.sell, OrderType.stopMarket, 0, 1400), qty: 0 };
  const cases: [OrderListType, ListLeg[]][] = [
    [OrderListType.opo, [{ ...buy, side: Side.sell }, sell]],
    [OrderListType.opo, [buy, { ...sell, side: Side.buy }]],
    [OrderListType.opo, [buy, { ...sell, qty: lots }]],
    [OrderListType.opo, [buy, stop, sell]],
    [OrderListType.opoco, [buy, sell]],
    [OrderListType.opoco, [buy, stop, { ...sell, qty: lots }]],
    [OrderListType.oto, [buy, sell]],
  ];
  const from = venue.events.length;
  for (const [type, legs] of cases) {
    const { reason } = venue.send(listOf(own, type, legs));
    assert.notEqual(reason, RejectReason.none);
  }
  assert.equal(venue.events.length, from, "a refused list leaves no trace");
  venue.done(opoOf(own));
  venue.done(opocoOf(own));
});

test("SPT-109 a pending order that is too small with all that the working order can buy is refused at once", () => {
  const { venue, own } = venueWithBuyer();
  const buy = { ...leg(Side.buy, OrderType.limit, 1500), qty: lotsMin };
  const sell = { ...leg(Side.sell, OrderType.limit, 1400), qty: 0 };
  const { reason } = venue.send(listOf(own, OrderListType.opo, [buy, sell]));
  assert.equal(reason, RejectReason.notionalTooSmall);
});

test("SPT-105 SPT-106 what the working order buys is held from the fill on, and sold in whole lots less the fee", () => {
  const { venue, own, other, coins } = venueWithBuyer();
  const listId = venue.done(opoOf(own));
  assert.deepEqual(coins(), { total: 0n, reserved: 0n }, "the account needs no coins");
  assert.equal(lotsOf(venue, listId + 1), 0);
  venue.sell(other, ccUsdc, 1500, 4000);
  const part = coins();
  assert.equal(part.reserved, part.total, "the received coins cannot be used for anything else");
  assert.ok(part.total > 0n);
  const from = venue.events.length;
  venue.sell(other, ccUsdc, 1500, 6000);
  assert.equal(transactionsSince(venue, from), 2, "the fill, and then the pending order");
  const { orders } = venue.state;
  assert.equal(orders.isOnBook(orders.slotOf(listId + 1)), true);
  const { total, reserved } = coins();
  const sold = lotsOf(venue, listId + 1);
  assert.equal(sold, Number(total / unitsPerLot), "all whole lots that were received");
  assert.equal(reserved, BigInt(sold) * unitsPerLot, "the rest of a lot is free");
  assert.ok(sold < lots && total < BigInt(lots) * unitsPerLot, "the fee was taken from the coins");
});

test("SPT-106 free coins of the account pay the fee, so that all lots are sold", () => {
  const { venue, own, other, coins } = venueWithBuyer();
  venue.credit(own, Wallet.spot, 1, BigInt(lots) * unitsPerLot);
  const listId = venue.done(opoOf(own));
  venue.sell(other, ccUsdc, 1500, lots);
  assert.equal(lotsOf(venue, listId + 1), lots);
  assert.equal(coins().reserved, BigInt(lots) * unitsPerLot);
});

test("SPT-105 a working order that takes pays for its pending order as well", () => {
  const { venue, own, other, coins } = venueWithBuyer();
  venue.sell(other, ccUsdc, 1490, lots);
  const listId = venue.done(opoOf(own));
  const sold = lotsOf(venue, listId + 1);
  assert.equal(sold, Number(coins().total / unitsPerLot));
  assert.equal(coins().reserved, BigInt(sold) * unitsPerLot);
});

test("SPT-106 a pending MARKET order sells at once what the working order has bought", () => {
  const { venue, own, other, maker, coins } = venueWithBuyer();
  const listId = venue.done(opoOf(own, OrderType.market));
  venue.sell(other, ccUsdc, 1500, 4000);
  venue.buy(maker, ccUsdc, 1400, lots);
  venue.sell(other, ccUsdc, 1500, 6000);
  assert.equal(venue.state.orders.slotOf(listId + 1), -1);
  assert.ok(coins().total < unitsPerLot, "only a part of a lot is left");
  assert.equal(coins().reserved, 0n);
  const last = venue.events.findLast((event): event is Traded => event.kind === EventKind.traded);
  assert.equal(last?.takerOrderId, listId + 1);
});

test("SPT-106 both orders of an OPOCO become active together, with one quantity and one hold", () => {
  const { venue, own, other, trade, maker, coins } = venueWithBuyer();
  const listId = venue.done(opocoOf(own));
  const from = venue.events.length;
  venue.sell(other, ccUsdc, 1500, lots);
  assert.equal(transactionsSince(venue, from), 2, "the fill, and then both orders of the pair");
  const sold = lotsOf(venue, listId + 1);
  assert.equal(sold, paidLots(lots));
  assert.equal(lotsOf(venue, listId + 2), sold);
  assert.equal(coins().reserved, BigInt(sold) * unitsPerLot, "one hold for both");
  venue.buy(maker, ccUsdc, 1390, lots);
  trade(1395);
  assert.equal(venue.state.orderLists.count, 0);
  assert.equal(coins().total, coins().total % unitsPerLot, "the stop loss sold all lots");
});

test("SPT-105 what a list holds is free again when it is cancelled, or when its working order ends otherwise", () => {
  const { venue, own, other, coins } = venueWithBuyer();
  const listId = venue.done(opocoOf(own));
  venue.sell(other, ccUsdc, 1500, 4000);
  assert.ok(coins().reserved > 0n);
  const from = venue.events.length;
  assert.equal(venue.cancel(own, ccUsdc, listId + 1).reason, RejectReason.none);
  assert.equal(transactionsSince(venue, from), 1);
  assert.equal(coins().reserved, 0n);
  venue.sell(other, ccUsdc, 1500, 4000);
  const { first, second } = opoOf(own);
  const working = { ...(first as ListLeg), timeInForce: TimeInForce.ioc };
  const sold = listOf(own, OrderListType.opo, [working, second as ListLeg]);
  const soldId = venue.done(sold);
  assert.deepEqual(closesSince(venue, 0).slice(-2), [
    [soldId + 1, CloseReason.workingEnded],
    [soldId, CloseReason.unfilled],
  ]);
  assert.equal(coins().reserved, 0n);
  assert.equal(venue.state.orderLists.count, 0);
});

test("SPT-107 a pending order for which the proceeds are too small or worth too little expires", () => {
  const { venue, own, other, coins } = venueWithBuyer();
  const buy = { ...leg(Side.buy, OrderType.limit, 1500), qty: lotsMin };
  const sell = { ...leg(Side.sell, OrderType.limit, 1500), qty: 0 };
  const listId = venue.done(listOf(own, OrderListType.opo, [buy, sell]));
  venue.sell(other, ccUsdc, 1500, lotsMin);
  assert.deepEqual(closesSince(venue, 0).at(-1), [listId + 1, CloseReason.triggerRefused]);
  assert.equal(venue.state.orderLists.count, 0, "it is not stuck");
  assert.equal(coins().reserved, 0n, "the coins are the account's to use");
});

test("SPT-107 a stop loss whose trigger the price has passed meanwhile expires, and its partner with it", () => {
  const { venue, own, other, maker, coins } = venueWithBuyer();
  venue.done(opocoOf(own));
  venue.buy(maker, ccUsdc, 1390, 1000);
  venue.sell(other, ccUsdc, 1390, lots + 1000);
  assert.equal(venue.state.orderLists.count, 0);
  assert.equal(coins().reserved, 0n);
});

test("SPT-108 a venue that is killed at any point of an OPOCO goes on with its proceeds", () => {
  const { venue, own, other } = venueWithBuyer();
  const states: ReturnType<typeof captureState>[] = [];
  const crashing = new TestVenue({
    state: restoreState(testMarkets, captureState(venue.state)),
    onEvent: (event) => {
      if (event.isTransactionEnd) states.push(captureState(crashing.state));
    },
  });
  crashing.nowUs = venue.nowUs;
  const listId = crashing.done(opocoOf(own));
  for (const qty of [3333, lots - 3333]) crashing.sell(other, ccUsdc, 1500, qty);
  const sold = lotsOf(crashing, listId + 2);
  const { reserved } = crashing.state.orders;
  const held = reserved[crashing.state.orders.slotOf(listId + 2)] ?? 0n;
  assert.equal(held, BigInt(sold) * unitsPerLot);
  assert.ok(states.length >= 4, "the list, two fills, and the pending orders");
  for (const state of states) {
    const copy = restoreState(testMarkets, state);
    assert.equal(stateHash(copy), stateHash(restoreState(testMarkets, captureState(copy))));
    const later = new TestVenue({ state: copy });
    later.nowUs = crashing.nowUs;
    const proceeds = later.state.balances.total(own, Wallet.spot, 1);
    const working = later.state.orders.slotOf(listId);
    if (working >= 0) assert.equal(later.state.balances.reserved(own, Wallet.spot, 1), proceeds);
    tick(later);
    const left = working < 0 ? 0 : later.state.orders.remaining(working);
    if (left > 0) later.sell(other, ccUsdc, 1500, left);
    for (const place of [1, 2]) assert.equal(lotsOf(later, listId + place), sold);
  }
});
