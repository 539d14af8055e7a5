// Clearing's part in amends, orders by quote amount, self-trade prevention and leverage: reservations, events, and
// races with the matcher.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { positionLotsMax, qtyLotsMax } from "../../../core/limits.ts";
import { CloseReason, OrderType, Side, StpMode } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { apply } from "../../state/apply/apply.ts";
import { VenueState } from "../../state/venue-state.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp, ccUsdc } = marketId;

function twoAccounts(amount = 10_000n * oneUsdc) {
  const venue = new TestVenue();
  const [own, other] = [venue.fund(amount), venue.fund(amount)];
  for (const account of [own, other]) venue.credit(account, Wallet.spot, 1, 10n ** 14n);
  return { venue, own, other };
}

function amend(account: number, market: number, orderId: number, price: number, qty: number) {
  return {
    kind: CommandKind.amendOrder,
    account,
    market,
    orderId,
    clientId: "",
    price,
    qty,
  } as const;
}

function assertReplays(venue: TestVenue): void {
  const again = new VenueState(testMarkets);
  for (const event of venue.events) apply(again, event);
  assert.equal(stateHash(again), stateHash(venue.state));
}

test("ORD-36 an amend keeps the order's id, adapts its hold, and trades if the new price crosses the book", () => {
  const { venue, own, other } = twoAccounts();
  const id = venue.buy(own, ccUsdc, 1400, 10_000);
  const slot = venue.state.orders.slotOf(id);
  assert.equal(venue.done(amend(own, ccUsdc, id, 0, 8000)), id);
  assert.equal(venue.state.balances.reserved(own, Wallet.spot, 0), 1400n * 8000n * 10n);
  venue.sell(other, ccUsdc, 1450, 3000);
  venue.done(amend(own, ccUsdc, id, 1450, 10_000));
  assert.equal(venue.state.orders.filledQty[slot], 3000);
  assert.equal(venue.state.balances.reserved(own, Wallet.spot, 0), 1450n * 7000n * 10n);
  const last = venue.events.slice(-2).map(({ kind }) => kind);
  assert.deepEqual(last, [EventKind.orderAmended, EventKind.traded]);
  assertReplays(venue);
});

test("ORD-52 an amend is refused if it names the other side, or if it adds lots although this is excluded", () => {
  const { venue, own } = twoAccounts();
  const id = venue.buy(own, ccUsdc, 1400, 10_000);
  const before = stateHash(venue.state);
  const send = (more: object) => venue.send({ ...amend(own, ccUsdc, id, 0, 9000), ...more }).reason;
  assert.equal(send({ side: Side.sell }), RejectReason.amendWrongSide);
  assert.equal(send({ qty: 10_001, growsNot: true }), RejectReason.amendGrows);
  assert.equal(stateHash(venue.state), before);
  assert.equal(send({ side: Side.buy, growsNot: true }), RejectReason.none);
  assert.equal(send({ qty: 9500, growsNot: true }), RejectReason.amendGrows);
  assert.equal(send({ qty: 9500 }), RejectReason.none);
});

test("ORD-36 ORD-55 an amend with terms that no order may have is refused and changes nothing", () => {
  const { venue, own, other } = twoAccounts();
  const id = venue.buy(own, ccUsdc, 1400, 10_000);
  venue.sell(other, ccUsdc, 1400, 3000);
  const waiting = venue.buy(own, ccUsdc, 1600, 10_000, {
    type: OrderType.stop,
    triggerPrice: 1550,
  });
  const cases = [
    [amend(own, ccUsdc, id, 0, 10_000), RejectReason.amendsNothing],
    [amend(own, ccUsdc, id, 0, 3000), RejectReason.notAmendable],
    [amend(own, ccUsdc, id, 0, 0), RejectReason.qtyNotPositive],
    [amend(own, ccUsdc, id, 0, 50_000_000), RejectReason.insufficientBalance],
    [amend(own, ccUsdc, id, 10, 10_000), RejectReason.priceOutsideBand],
    [amend(own, btcPerp, id, 0, 9000), RejectReason.unknownOrder],
    [amend(other, ccUsdc, id, 0, 9000), RejectReason.unknownOrder],
    [amend(own, ccUsdc, waiting, 0, 9000), RejectReason.notAmendable],
  ] as const;
  const hash = stateHash(venue.state);
  for (const [request, reason] of cases) assert.equal(venue.send(request).reason, reason);
  assert.equal(stateHash(venue.state), hash);
});

test("ORD-36 ORD-55 an amend is limited by the lots it adds to the position, not by those its order already has", () => {
  const { venue, own } = twoAccounts(2n ** 58n);
  const ids: number[] = [];
  for (let count = 0; count < positionLotsMax / qtyLotsMax; count++) {
    ids.push(venue.buy(own, btcPerp, 1, qtyLotsMax));
  }
  const [first = 0, second = 0] = ids;
  assert.equal(
    venue.done(amend(own, btcPerp, first, 2, qtyLotsMax)),
    first,
    "a new price while the position is at its limit",
  );
  assert.equal(venue.done(amend(own, btcPerp, first, 2, qtyLotsMax - 20)), first, "fewer lots");
  venue.buy(own, btcPerp, 1, 10);
  const wider = amend(own, btcPerp, first, 2, qtyLotsMax);
  assert.equal(venue.send(wider).reason, RejectReason.qtyTooLarge);
  venue.done(amend(own, btcPerp, second, 1, qtyLotsMax - 10));
  const underWay = venue.take(wider);
  const order = { account: own, market: btcPerp, side: Side.buy, price: 1, qty: 1 };
  const beside = venue.take(orderCommand(order));
  assert.equal(venue.replyTo(beside).reason, RejectReason.qtyTooLarge, "an amend in flight counts");
  venue.machine.settle();
  assert.equal(venue.replyTo(underWay).reason, RejectReason.none);
  assert.equal(venue.place(order).reason, RejectReason.qtyTooLarge);
  venue.cancel(own, btcPerp, second);
  assert.equal(venue.place(order).reason, RejectReason.none, "cancelled lots no longer count");
  assertReplays(venue);
});

test("ORD-47 lots that trade while an amend is in flight count against its quantity, and are paid for", () => {
  const { venue, own, other } = twoAccounts();
  const id = venue.buy(own, ccUsdc, 1400, 10_000);
  const fill = venue.take(
    orderCommand({ account: other, market: ccUsdc, side: Side.sell, price: 1400, qty: 4000 }),
  );
  const change = venue.take(amend(own, ccUsdc, id, 1000, 15_000));
  const second = venue.take(amend(own, ccUsdc, id, 1000, 16_000));
  assert.equal(venue.replyTo(second).reason, RejectReason.notAmendable, "one at a time");
  venue.machine.settle();
  assert.equal(venue.replyTo(fill).reason, RejectReason.none);
  assert.equal(venue.replyTo(change).reason, RejectReason.none);
  const slot = venue.state.orders.slotOf(id);
  assert.equal(venue.state.orders.qty[slot], 15_000);
  assert.equal(venue.state.orders.remaining(slot), 11_000);
  assert.equal(venue.state.balances.reserved(own, Wallet.spot, 0), 1000n * 11_000n * 10n);
  assertReplays(venue);
});

test("ORD-36 an amend whose order is cancelled before it arrives is answered as unknown, and its reservation is released", () => {
  const { venue, own } = twoAccounts();
  const id = venue.buy(own, ccUsdc, 1400, 1000);
  const change = venue.take(amend(own, ccUsdc, id, 1500, 2000));
  venue.take({
    kind: CommandKind.cancelOrder,
    account: own,
    market: ccUsdc,
    orderId: id,
    clientId: "",
  });
  venue.machine.answerNext(0, 1);
  venue.machine.settle();
  assert.equal(venue.replyTo(change).reason, RejectReason.unknownOrder);
  assert.equal(venue.state.balances.reserved(own, Wallet.spot, 0), 0n);
});

test("ORD-37 a MARKET buy by quote amount holds the amount and is filled with what the amount buys", () => {
  const { venue, own, other } = twoAccounts();
  venue.sell(other, ccUsdc, 1500, 1000);
  venue.sell(other, ccUsdc, 1510, 1000);
  const quoteQty = 20n * oneUsdc;
  const market = { type: OrderType.market, quoteQty };
  const id = venue.buy(own, ccUsdc, 0, 0, market);
  const accepted = venue.events.find((e) => e.kind === EventKind.specialAccepted);
  assert(accepted?.kind === EventKind.specialAccepted);
  assert.deepEqual([accepted.orderId, accepted.quoteQty, accepted.qty], [id, quoteQty, 1331]);
  assert.equal(venue.events.at(-1)?.kind, EventKind.traded, "filled, not expired");
  assert.equal(venue.state.balances.reserved(own, Wallet.spot, 0), 0n);
  const dear = { type: OrderType.market, quoteQty: 20_000n * oneUsdc };
  const shape = { account: own, market: ccUsdc, side: Side.buy, qty: 0 };
  assert.equal(venue.place({ ...shape, ...dear }).reason, RejectReason.insufficientBalance);
  const small = { ...shape, type: OrderType.market, quoteQty: oneUsdc };
  assert.equal(venue.place(small).reason, RejectReason.notionalTooSmall);
  assertReplays(venue);
});

test("ORD-37 a MARKET sell by quote amount sells at most what the account has, and expires without a bid", () => {
  const { venue, own, other } = twoAccounts();
  const market = { type: OrderType.market, quoteQty: 30n * oneUsdc };
  venue.sell(own, ccUsdc, 0, 0, market);
  const last = venue.events.at(-1);
  assert(last?.kind === EventKind.orderClosed && last.reason === CloseReason.unfilled);
  venue.buy(other, ccUsdc, 1500, 5000);
  venue.sell(own, ccUsdc, 0, 0, market);
  const trade = venue.events.at(-1);
  assert(trade?.kind === EventKind.traded && trade.qty === 2000);
  const all = { account: own, market: ccUsdc, side: Side.sell, qty: 0, type: OrderType.market };
  const much = { ...all, quoteQty: 1_000_000_000n * oneUsdc };
  assert.equal(venue.place(much).reason, RejectReason.qtyTooLarge);
  assert.equal(
    venue.place({ ...all, quoteQty: 500_000n * oneUsdc }).reason,
    RejectReason.insufficientBalance,
  );
  assertReplays(venue);
});

test("ORD-40 ORD-54 self-trade prevention closes or reduces orders in the transaction of the order that met them", () => {
  for (const stpMode of Object.values(StpMode)) {
    const { venue, own, other } = twoAccounts();
    const first = venue.sell(own, btcPerp, 10_000, 4);
    const second = venue.sell(other, btcPerp, 10_000, 4);
    const from = venue.events.length;
    const taken = venue.buy(own, btcPerp, 10_000, 6, { stpMode });
    const { orderClosed, orderReduced, orderAccepted, traded, matchPrevented } = EventKind;
    const expected = {
      [StpMode.skip]: [orderAccepted, traded],
      [StpMode.expireTaker]: [orderAccepted, matchPrevented, orderClosed],
      [StpMode.expireMaker]: [orderAccepted, matchPrevented, orderClosed, traded],
      [StpMode.expireBoth]: [orderAccepted, matchPrevented, orderClosed, orderClosed],
      [StpMode.decrement]: [orderAccepted, matchPrevented, orderClosed, orderReduced, traded],
    };
    assert.deepEqual(
      venue.events.slice(from).map(({ kind }) => kind),
      expected[stpMode],
    );
    const lots = {
      [StpMode.skip]: [],
      [StpMode.expireTaker]: [6, 0],
      [StpMode.expireMaker]: [0, 4],
      [StpMode.expireBoth]: [6, 4],
      [StpMode.decrement]: [4, 4],
    };
    const prevented = venue.events.find((event) => event.kind === matchPrevented);
    const { takerOrderId, makerOrderId, price, takerQty, makerQty } = prevented ?? {};
    if (stpMode === StpMode.skip) assert.equal(prevented, undefined);
    else {
      assert.deepEqual([takerOrderId, makerOrderId, price], [taken, first, 10_000]);
      assert.deepEqual([prevented?.stpMode, takerQty, makerQty], [stpMode, ...lots[stpMode]]);
    }
    const isOwnLeft = stpMode === StpMode.skip || stpMode === StpMode.expireTaker;
    assert.equal(venue.state.orders.slotOf(first) >= 0, isOwnLeft);
    assert(second > 0);
    assertReplays(venue);
  }
});

test("ORD-38 a leverage change counts orders that are still with their matcher", () => {
  const { venue, own } = twoAccounts(1000n * oneUsdc);
  // 900 USDC of margin at leverage 10.
  const request = orderCommand({
    account: own,
    market: btcPerp,
    side: Side.buy,
    price: 900_000,
    qty: 1000,
  });
  const order = venue.take(request);
  const lower = venue.take({
    kind: CommandKind.setLeverage,
    account: own,
    market: btcPerp,
    leverage: 5,
  });
  assert.equal(venue.replyTo(lower).reason, RejectReason.insufficientBalance);
  const higher = venue.take({
    kind: CommandKind.setLeverage,
    account: own,
    market: btcPerp,
    leverage: 20,
  });
  assert.equal(venue.replyTo(higher).reason, RejectReason.none);
  assert.equal(venue.state.balances.reserved(own, Wallet.perp, 0), 450n * oneUsdc);
  venue.machine.settle();
  assert.equal(venue.replyTo(order).reason, RejectReason.none);
  assert.equal(venue.state.balances.reserved(own, Wallet.perp, 0), 450n * oneUsdc);
});
