// Take profit and stop loss: placed when an entry fills, bound to the position, removed when the other leg triggers or
// the position closes. They survive crashes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { CommandKind, type PlaceOrder } from "../../../core/generated/commands.ts";
import { EventKind, type VenueEvent } from "../../../core/generated/events.ts";
import { ordersPerMarketPerAccountMax, ownStepsMax } from "../../../core/limits.ts";
import { CloseReason, OrderType, Side, TimeInForce, WorkingPrice } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { apply } from "../../state/apply/apply.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../state/venue-state.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp } = marketId;

/** Orders with a take profit and a stop loss, in ticks. */
function guarded(takeProfit: number, stopLoss: number): Partial<PlaceOrder> {
  const workingPrice = WorkingPrice.mark;
  return { activationPrice: takeProfit, triggerPrice: stopLoss, workingPrice };
}

function openVenue(state?: VenueState) {
  const venue = new TestVenue({ markIntervalUs: 1, ...(state && { state }) });
  const [own, other] = [venue.fund(1_000_000n * oneUsdc), venue.fund(1_000_000n * oneUsdc)];
  const third = venue.fund(1_000_000n * oneUsdc);
  return { venue, own, other, third, ...actions(venue, other, third) };
}

function actions(venue: TestVenue, other: number, third: number) {
  const tick = () => venue.machine.handle(venue.command({ kind: CommandKind.tick }));
  /** Moves the last price, and with it the mark. */
  const trade = (price: number) => {
    venue.sell(other, btcPerp, price, 1);
    venue.buy(third, btcPerp, price, 1);
    tick();
  };
  const legs = (account: number) => {
    const { orders } = venue.state;
    const found: { type: number; trigger: number; side: number; id: number }[] = [];
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
      if (!orders.isOffBook(slot)) continue;
      const [type, trigger] = [orders.type[slot] ?? 0, orders.triggerPrice[slot] ?? 0];
      found.push({ type, trigger, side: orders.side[slot] ?? 0, id: orders.orderId[slot] ?? 0 });
    }
    return found.sort((a, b) => a.id - b.id);
  };
  return { tick, trade, legs };
}

function shown(legs: readonly { type: number; trigger: number; side: number }[]) {
  return legs.map(({ type, trigger, side }) => [type, trigger, side]);
}

const { takeProfitMarket, stopMarket } = OrderType;

test("NAT-49 the first fill of an entry places both take profit and stop loss, and later fills place none", () => {
  const { venue, own, other, legs } = openVenue();
  venue.buy(own, btcPerp, 10_000, 100, guarded(11_000, 9_000));
  assert.deepEqual(legs(own), [], "nothing to protect yet");
  venue.sell(other, btcPerp, 10_000, 30);
  const first = legs(own);
  assert.deepEqual(shown(first), [
    [takeProfitMarket, 11_000, Side.sell],
    [stopMarket, 9_000, Side.sell],
  ]);
  const { orders } = venue.state;
  const ends = first.map(({ id }) => orders.timeInForce[orders.slotOf(id)]);
  assert.deepEqual(ends, [TimeInForce.gte, TimeInForce.gte], "they end with the position");
  venue.sell(other, btcPerp, 10_000, 70);
  assert.deepEqual(legs(own), first);
});

test("NAT-49 legs of an older journal, which are GTC, are the position's all the same", () => {
  const { venue, own, other } = openVenue();
  venue.buy(own, btcPerp, 10_000, 100, guarded(11_000, 9_000));
  venue.sell(other, btcPerp, 10_000, 100);
  const state = new VenueState(testMarkets);
  for (const event of venue.events) {
    const isLeg = event.kind === EventKind.specialAccepted && event.closesPosition;
    apply(state, isLeg ? { ...event, timeInForce: TimeInForce.gtc } : event);
  }
  assert.equal(venue.state.tpSl.all().length, 1);
  assert.deepEqual(state.tpSl.all(), venue.state.tpSl.all());
});

test("NAT-49 NAT-69 an entry that fills at once has its take profit and stop loss before it is answered", () => {
  const { venue, own, other } = openVenue();
  venue.sell(other, btcPerp, 10_000, 100);
  const reply = venue.send({
    ...{ kind: CommandKind.placeOrder, account: own, market: btcPerp, side: Side.buy, qty: 10 },
    ...{ type: OrderType.market, timeInForce: TimeInForce.ioc, price: 0, clientId: "" },
    ...{ isReduceOnly: false, stpMode: 0, quoteQty: 0n, goodTillUs: 0, trailingBps: 0 },
    ...{
      icebergQty: 0,
      peg: 0,
      pegOffset: 0,
      closesPosition: false,
      attached: null,
      ...guarded(11_000, 9_000),
    },
  } as never);
  assert.equal(reply.reason, RejectReason.none);
  assert.equal(reply.lastSeq, venue.state.seq, "the reply waits for the legs to be durable");
  assert.equal(venue.state.orders.countOf(own, btcPerp), 2);
});

test("NAT-52 a leg that triggers closes the position, and the other leg is cancelled", () => {
  const { venue, own, other, third, trade, legs } = openVenue();
  trade(10_000);
  venue.buy(own, btcPerp, 10_000, 100, guarded(11_000, 9_000));
  venue.sell(other, btcPerp, 10_000, 100);
  const [taking, stopping] = legs(own);
  venue.buy(third, btcPerp, 10_990, 500);
  trade(11_010);
  trade(11_020);
  assert.equal(venue.state.positions.qty(own, btcPerp), 0, "the whole position");
  const closed = venue.events.filter((e) => e.kind === EventKind.orderClosed);
  assert(
    closed.some((e) => e.orderId === stopping?.id && e.reason === CloseReason.linked) ||
      closed.some((e) => e.orderId === stopping?.id && e.reason === CloseReason.reduceOnly),
  );
  assert(venue.events.some((e) => e.kind === EventKind.orderTriggered && e.orderId === taking?.id));
  assert.deepEqual(legs(own), []);
  assert.deepEqual(venue.state.tpSl.all(), []);
});

test("NAT-52 both legs are cancelled when the position closes or turns, and cancelling one leg leaves the other", () => {
  const { venue, own, other, third, legs } = openVenue();
  venue.buy(own, btcPerp, 10_000, 100, guarded(11_000, 9_000));
  venue.sell(other, btcPerp, 10_000, 100);
  const [taking, stopping] = legs(own);
  venue.cancel(own, btcPerp, taking?.id ?? 0);
  assert.deepEqual(shown(legs(own)), [[stopMarket, 9_000, Side.sell]]);
  venue.buy(third, btcPerp, 10_000, 40);
  venue.sell(own, btcPerp, 10_000, 40);
  assert.equal(legs(own)[0]?.id, stopping?.id, "a smaller position keeps it");
  venue.buy(third, btcPerp, 10_000, 100);
  venue.sell(own, btcPerp, 10_000, 100);
  assert.equal(venue.state.positions.qty(own, btcPerp), -40);
  assert.deepEqual(legs(own), []);
  assert.deepEqual(venue.state.tpSl.all(), []);
});

test("NAT-49 NAT-68 a later entry replaces the legs that it names, and a turned position gets the legs of its own entry", () => {
  const { venue, own, other, third, legs } = openVenue();
  venue.buy(own, btcPerp, 10_000, 100, guarded(11_000, 9_000));
  venue.sell(other, btcPerp, 10_000, 100);
  venue.buy(own, btcPerp, 10_000, 10, guarded(0, 9_500));
  venue.sell(other, btcPerp, 10_000, 10);
  assert.deepEqual(shown(legs(own)), [
    [takeProfitMarket, 11_000, Side.sell],
    [stopMarket, 9_500, Side.sell],
  ]);
  venue.buy(third, btcPerp, 10_000, 200);
  venue.sell(own, btcPerp, 10_000, 200, guarded(9_000, 11_000));
  assert.deepEqual(shown(legs(own)), [
    [takeProfitMarket, 9_000, Side.buy],
    [stopMarket, 11_000, Side.buy],
  ]);
});

test("NAT-49 an entry that only closes a position, or never fills, places no legs", () => {
  const { venue, own, other, third, legs } = openVenue();
  venue.buy(own, btcPerp, 10_000, 100);
  venue.sell(other, btcPerp, 10_000, 100);
  venue.buy(third, btcPerp, 10_000, 50);
  venue.sell(own, btcPerp, 10_000, 50, guarded(9_000, 11_000));
  assert.deepEqual(legs(own), [], "the position is still long");
  const id = venue.buy(own, btcPerp, 9_000, 10, guarded(11_000, 8_000));
  venue.cancel(own, btcPerp, id);
  assert.deepEqual(venue.state.tpSl.all(), []);
});

test("NAT-49 NAT-69 a leg triggers at once if the mark has already passed its trigger price", () => {
  const { venue, own, other, third, trade } = openVenue();
  trade(10_000);
  venue.buy(own, btcPerp, 10_000, 10, guarded(0, 9_990));
  for (const price of [9_980, 9_970]) venue.buy(third, btcPerp, price, 50);
  venue.sell(other, btcPerp, 9_980, 51);
  trade(9_970);
  trade(9_970);
  assert.equal(venue.state.positions.qty(own, btcPerp), 0);
});

test("NAT-52 legs that were not yet placed when the venue died are placed after the restart", () => {
  const { venue, own, other, third } = openVenue();
  venue.buy(own, btcPerp, 10_000, 100, guarded(11_000, 9_000));
  venue.sell(other, btcPerp, 10_000, 30);
  const trade = venue.events.findLastIndex(({ kind }) => kind === EventKind.traded);
  const state = new VenueState(testMarkets);
  for (const event of venue.events.slice(0, trade + 1)) apply(state, event);
  const copy = restoreState(testMarkets, captureState(state));
  assert.equal(stateHash(copy), stateHash(state));
  const again = new TestVenue({ state: copy });
  const { tick, legs } = actions(again, other, third);
  assert.deepEqual(legs(own), []);
  tick();
  assert.deepEqual(shown(legs(own)), [
    [takeProfitMarket, 11_000, Side.sell],
    [stopMarket, 9_000, Side.sell],
  ]);
});

test("NAT-49 accounts without room for their legs do not delay other accounts, and get the legs when there is room", () => {
  const { venue, own, other, tick, legs } = openVenue();
  const full: number[] = [];
  for (let count = 0; count < ownStepsMax; count++) {
    const account = venue.fund(10_000n * oneUsdc);
    full.push(account);
    for (let more = 1; more < ordersPerMarketPerAccountMax; more++) {
      venue.buy(account, btcPerp, 5_000, 1);
    }
    venue.buy(account, btcPerp, 10_000, 1, guarded(11_000, 9_000));
  }
  venue.sell(other, btcPerp, 10_000, full.length);
  for (const account of full) assert.deepEqual(legs(account), []);
  venue.buy(own, btcPerp, 10_000, 100, guarded(11_000, 9_000));
  venue.sell(other, btcPerp, 10_000, 100);
  assert.equal(legs(own).length, 2, "a maker gets its legs");
  const [first = 0] = full;
  const [resting] = [...venue.state.orders.openSlots()].filter(
    (slot) => venue.state.orders.account[slot] === first,
  );
  venue.cancel(first, btcPerp, venue.state.orders.orderId[resting ?? 0] ?? 0);
  tick();
  assert.equal(legs(first).length, 2);
});

/** Options of a sell order that closes a long position and belongs to it. */
function closing(type: OrderType, triggerPrice: number): Partial<PlaceOrder> {
  const { gte: timeInForce } = TimeInForce;
  return { type, triggerPrice, closesPosition: true, workingPrice: WorkingPrice.mark, timeInForce };
}

/** A venue with a long position of 100 lots without legs. */
function heldVenue() {
  const opened = openVenue();
  const { venue, own, other, trade } = opened;
  trade(10_000);
  venue.buy(own, btcPerp, 10_000, 100);
  venue.sell(other, btcPerp, 10_000, 100);
  return opened;
}

test("FAP-67 NAT-52 legs that the owner places for a position end when it closes or turns, others that close it stay", () => {
  for (const sold of [100, 150]) {
    const { venue, own, third, legs } = heldVenue();
    venue.sell(own, btcPerp, 0, 0, closing(takeProfitMarket, 11_000));
    venue.sell(own, btcPerp, 0, 0, { ...closing(stopMarket, 9_000), clientId: "mine" });
    const free = { ...closing(stopMarket, 8_000), timeInForce: TimeInForce.ioc };
    const stays = venue.sell(own, btcPerp, 0, 0, free);
    assert.equal(legs(own).length, 3);
    venue.buy(third, btcPerp, 10_000, sold);
    venue.sell(own, btcPerp, 10_000, sold);
    assert.deepEqual(
      legs(own).map(({ id }) => id),
      [stays],
    );
    assert.deepEqual(venue.state.tpSl.all(), []);
  }
});

test("FAP-67 NAT-68 a leg that the owner places replaces the earlier one of its kind, also across a restart", () => {
  const { venue, own, other, third, legs } = heldVenue();
  venue.sell(own, btcPerp, 0, 0, closing(stopMarket, 9_000));
  venue.sell(own, btcPerp, 0, 0, closing(takeProfitMarket, 11_000));
  const [first] = legs(own);
  venue.sell(own, btcPerp, 0, 0, closing(stopMarket, 9_500));
  const expected = [
    [takeProfitMarket, 11_000, Side.sell],
    [stopMarket, 9_500, Side.sell],
  ];
  assert.deepEqual(shown(legs(own)), expected);
  const closed = venue.events.findLastIndex(({ kind }) => kind === EventKind.orderClosed);
  const event = venue.events[closed];
  assert(event?.kind === EventKind.orderClosed && event.orderId === first?.id);
  assert.equal(event.reason, CloseReason.linked);
  const state = new VenueState(testMarkets);
  for (const one of venue.events.slice(0, closed)) apply(state, one);
  const copy = restoreState(testMarkets, captureState(state));
  assert.equal(stateHash(copy), stateHash(state));
  const again = actions(new TestVenue({ state: copy }), other, third);
  assert.equal(again.legs(own).length, 3);
  again.tick();
  assert.deepEqual(shown(again.legs(own)), expected);
});

test("FAP-67 NAT-52 when one of the legs that the owner placed triggers, the other is cancelled", () => {
  const { venue, own, third, trade, legs } = heldVenue();
  venue.sell(own, btcPerp, 0, 0, closing(takeProfitMarket, 11_000));
  venue.sell(own, btcPerp, 0, 0, closing(stopMarket, 9_000));
  venue.buy(third, btcPerp, 10_990, 500);
  trade(11_010);
  trade(11_020);
  assert.equal(venue.state.positions.qty(own, btcPerp), 0);
  assert.deepEqual(legs(own), []);
});

test("FAP-67 a replaced leg is closed even if the leg that replaced it is gone before", () => {
  const { venue, own, legs } = heldVenue();
  venue.sell(own, btcPerp, 0, 0, closing(stopMarket, 9_000));
  const [first] = legs(own);
  assert(first !== undefined);
  venue.sell(own, btcPerp, 0, 0, closing(stopMarket, 9_500));
  const replacing = venue.events.findLastIndex(({ kind }) => kind === EventKind.specialAccepted);
  const state = new VenueState(testMarkets);
  for (const one of venue.events.slice(0, replacing + 1)) apply(state, one);
  const newer = state.tpSl.get(own, btcPerp)?.stopLossId ?? 0;
  const { seq, tsUs } = state;
  const gone = { kind: EventKind.orderClosed, orderId: newer, account: own, market: btcPerp };
  const reason = CloseReason.cancelled;
  apply(state, {
    ...gone,
    reason,
    seq: seq + 1,
    tsUs: tsUs + 1,
    isTransactionEnd: true,
  } as VenueEvent);
  assert.deepEqual(state.tpSl.all(), []);
  const restored = restoreState(testMarkets, captureState(state));
  for (const one of [state, restored]) {
    const again = actions(new TestVenue({ state: one }), own, own);
    again.tick();
    assert.deepEqual(again.legs(own), []);
  }
});

test("NAT-51 trigger prices on the wrong side of the entry are refused, and nothing changes", () => {
  const { venue, own, other } = openVenue();
  venue.sell(other, btcPerp, 10_000, 10);
  const before = stateHash(venue.state);
  const order = { account: own, market: btcPerp, qty: 5 };
  const cases = [
    [Side.buy, 9_900, guarded(9_900, 0), RejectReason.takeProfitWrongSide],
    [Side.buy, 9_900, guarded(11_000, 9_900), RejectReason.stopLossWrongSide],
    [Side.sell, 10_100, guarded(10_200, 0), RejectReason.takeProfitWrongSide],
    [Side.sell, 10_100, guarded(0, 10_000), RejectReason.stopLossWrongSide],
  ] as const;
  for (const [side, price, more, reason] of cases) {
    assert.equal(venue.place({ ...order, side, price, ...more }).reason, reason);
  }
  const atMarket = venue.place({ ...order, side: Side.buy, ...guarded(9_999, 0) });
  assert.equal(atMarket.reason, RejectReason.takeProfitWrongSide);
  const reducing = venue.place({
    ...{ ...order, side: Side.buy, price: 9_900, isReduceOnly: true },
    ...guarded(11_000, 0),
  });
  assert.equal(reducing.reason, RejectReason.unsupportedCombination);
  assert.equal(stateHash(venue.state), before);
});
