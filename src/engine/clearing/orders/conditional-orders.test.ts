// Conditional orders: holds while waiting, triggers and their order, the checks at a trigger, and restarts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { AccountFlag, Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind, type VenueEvent } from "../../../core/generated/events.ts";
import { qtyLotsMax } from "../../../core/limits.ts";
import { CloseReason, OrderType, Side, TimeInForce, WorkingPrice } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp, ccUsdc } = marketId;
const { stop, stopMarket, takeProfit, takeProfitMarket, trailingStopMarket } = OrderType;

/** Two accounts with money, and a last price of 10,000 ticks on BTC-PERP and 1,500 on CC-USDC. */
function pricedVenue() {
  const venue = new TestVenue();
  const [own, other] = [venue.fund(1_000_000n * oneUsdc), venue.fund(1_000_000n * oneUsdc)];
  for (const account of [own, other]) venue.credit(account, Wallet.spot, 1, 10n ** 15n);
  const trade = (market: number, price: number, qty = 100) => {
    venue.sell(other, market, price, qty);
    venue.buy(maker, market, price, qty);
  };
  const maker = venue.fund(1_000_000n * oneUsdc);
  trade(btcPerp, 10_000);
  trade(ccUsdc, 1500, 1000);
  return { venue, own, other, trade };
}

function tick(venue: TestVenue, afterUs = 1_000_000): void {
  venue.nowUs += afterUs;
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
}

function kindsSince(venue: TestVenue, from: number): number[] {
  return venue.events.slice(from).map(({ kind }) => kind);
}

function closesOf(events: readonly VenueEvent[], orderId: number): number[] {
  const own = events.filter((e) => e.kind === EventKind.orderClosed && e.orderId === orderId);
  return own.map((e) => (e.kind === EventKind.orderClosed ? e.reason : -1));
}

test("ORD-24 a spot stop order holds its funds at once, is on no book, and keeps its id when it triggers", () => {
  const { venue, own, other, trade } = pricedVenue();
  const free = venue.state.balances.free(own, Wallet.spot, 0);
  const id = venue.buy(own, ccUsdc, 1600, 1000, { type: stop, triggerPrice: 1550 });
  assert.equal(free - venue.state.balances.free(own, Wallet.spot, 0), 1600n * 1000n * 10n);
  const from = venue.events.length;
  venue.sell(other, ccUsdc, 1555, 1000);
  assert.deepEqual(kindsSince(venue, from), [EventKind.orderAccepted], "on no book");
  venue.cancel(other, ccUsdc, venue.state.nextOrderId - 1);
  trade(ccUsdc, 1550, 1000);
  assert.equal(kindsSince(venue, from).at(-1), EventKind.orderTriggered);
  assert.equal(venue.machine.state.orders.isOnBook(venue.state.orders.slotOf(id)), true);
  assert.equal(free - venue.state.balances.free(own, Wallet.spot, 0), 1600n * 1000n * 10n);
});

test("ORD-25 a stop triggers on a rise for a buy and on a fall for a sell, a take profit the other way round", () => {
  const cases = [
    { type: stopMarket, side: Side.buy, triggerPrice: 10_100, met: 10_100, refused: 10_000 },
    { type: stopMarket, side: Side.sell, triggerPrice: 9900, met: 9900, refused: 10_000 },
    { type: takeProfitMarket, side: Side.buy, triggerPrice: 9900, met: 9900, refused: 10_000 },
    { type: takeProfitMarket, side: Side.sell, triggerPrice: 10_100, met: 10_100, refused: 10_000 },
  ];
  for (const { type, side, triggerPrice, met, refused } of cases) {
    const { venue, own, trade } = pricedVenue();
    const order = { account: own, market: btcPerp, side, qty: 5, type };
    const early = venue.place({ ...order, triggerPrice: refused });
    assert.equal(early.reason, RejectReason.wouldTrigger);
    const id = venue.done({ ...venue.command({ ...send(order), triggerPrice }) });
    trade(btcPerp, (met + 10_000) / 2);
    assert.equal(
      venue.events.some(({ kind }) => kind === EventKind.orderTriggered),
      false,
    );
    trade(btcPerp, met);
    const fired = venue.events.find(({ kind }) => kind === EventKind.orderTriggered);
    assert(fired?.kind === EventKind.orderTriggered && fired.orderId === id);
  }
});

function send(order: {
  account: number;
  market: number;
  side: Side;
  qty: number;
  type: OrderType;
}) {
  const plain = {
    kind: CommandKind.placeOrder,
    timeInForce: TimeInForce.gtc,
    price: 0,
    clientId: "",
    attached: null,
    isReduceOnly: false,
    stpMode: 0,
    quoteQty: 0n,
    goodTillUs: 0,
    triggerPrice: 0,
    workingPrice: WorkingPrice.last,
    trailingBps: 0,
    activationPrice: 0,
    closesPosition: false,
    reusesClientId: false,
    icebergQty: 0,
    peg: 0,
    pegOffset: 0,
  } as const;
  return { ...plain, ...order };
}

test("ORD-26 a triggered order must pass the checks of admission again, or expires", () => {
  const { venue, own, other, trade } = pricedVenue();
  venue.sell(other, btcPerp, 10_400, 100);
  const order = { type: stopMarket, triggerPrice: 10_100 };
  const refused = venue.buy(own, btcPerp, 0, 100_000_000, order);
  const frozen = venue.buy(own, btcPerp, 0, 5, { ...order, triggerPrice: 10_200 });
  trade(btcPerp, 10_150);
  assert.deepEqual(closesOf(venue.events, refused), [CloseReason.triggerRefused]);
  venue.setFlags(own, AccountFlag.frozen);
  trade(btcPerp, 10_200);
  assert.deepEqual(closesOf(venue.events, frozen), [CloseReason.triggerRefused]);
  assert.equal(venue.state.orders.firstOfAccount(own), -1);
});

test("ORD-26 a stop loss that was worth the minimum at its trigger price also sells at a lower market price", () => {
  const { venue, own, other } = pricedVenue();
  // 69 CC are worth 10.005 at 0.1450 and 9.66 at 0.1400.
  const id = venue.sell(own, ccUsdc, 0, 690, { type: stopMarket, triggerPrice: 1450 });
  venue.buy(other, ccUsdc, 1400, 2000);
  venue.sell(own, ccUsdc, 1400, 1000);
  const close = venue.events.find(
    (event) => event.kind === EventKind.traded && event.takerOrderId === id,
  );
  assert(close?.kind === EventKind.traded, "it was sold");
  assert.deepEqual([close.price, close.qty, closesOf(venue.events, id)], [1400, 690, []]);
});

test("ORD-27 a price first fires rising triggers, lowest first, then falling triggers, highest first, and equal triggers by order id", () => {
  const { venue, own, other, trade } = pricedVenue();
  venue.sell(other, btcPerp, 10_300, 100);
  venue.buy(other, btcPerp, 9000, 100);
  const at = (triggerPrice: number) => ({ type: stopMarket, triggerPrice });
  const third = venue.buy(own, btcPerp, 0, 1, at(10_200));
  const first = venue.buy(own, btcPerp, 0, 1, at(10_100));
  const second = venue.buy(own, btcPerp, 0, 1, at(10_100));
  trade(btcPerp, 10_200);
  const fired = venue.events.flatMap((e) =>
    e.kind === EventKind.orderTriggered ? [e.orderId] : [],
  );
  assert.deepEqual(fired, [first, second, third]);
});

test("ORD-28 a trailing order follows the best price since its activation and triggers at its distance from it", () => {
  const { venue, own, trade } = pricedVenue();
  const slotOf = (id: number) => venue.state.orders.slotOf(id);
  const id = venue.sell(own, btcPerp, 0, 5, {
    type: trailingStopMarket,
    trailingBps: 100,
    activationPrice: 10_200,
  });
  trade(btcPerp, 10_100);
  assert.equal(venue.state.orders.bestPrice[slotOf(id)], 0);
  trade(btcPerp, 10_300);
  trade(btcPerp, 10_400);
  trade(btcPerp, 10_297);
  assert.equal(venue.state.orders.bestPrice[slotOf(id)], 10_400);
  assert.equal(venue.state.orders.isOnBook(slotOf(id)), false);
  trade(btcPerp, 10_296);
  const fired = venue.events.filter(({ kind }) => kind === EventKind.orderTriggered);
  assert.equal(fired.length, 1);
});

test("ORD-29 the mark is journaled when it changes and triggers orders that use it; after a restart, only once it is computed again", () => {
  const { venue, own, trade } = pricedVenue();
  tick(venue);
  assert.equal(venue.state.mark[btcPerp], 10_000);
  const from = venue.events.length;
  tick(venue);
  assert.deepEqual(kindsSince(venue, from), [], "an unchanged mark is not journaled");
  const id = venue.buy(own, btcPerp, 0, 5, {
    type: stopMarket,
    triggerPrice: 10_100,
    workingPrice: WorkingPrice.mark,
  });
  trade(btcPerp, 10_200);
  assert.equal(
    venue.events.some(({ kind }) => kind === EventKind.orderTriggered),
    false,
  );
  const copy = restoreState(testMarkets, captureState(venue.state));
  const later = new TestVenue({ state: copy });
  later.open();
  assert.equal(copy.orders.isOffBook(copy.orders.slotOf(id)), true);
  tick(later);
  assert.equal(copy.mark[btcPerp], 10_200);
  const fired = later.events.find(({ kind }) => kind === EventKind.orderTriggered);
  assert(fired?.kind === EventKind.orderTriggered && fired.orderId === id);
});

test("ORD-30 an order that a trade triggered just before a crash is triggered by the first tick after it", () => {
  const { venue, own, trade } = pricedVenue();
  const id = venue.buy(own, btcPerp, 0, 5, { type: stopMarket, triggerPrice: 10_100 });
  const hash = stateHash(venue.state);
  const copy = restoreState(testMarkets, captureState(venue.state));
  assert.equal(stateHash(copy), hash);
  // The copy gets the trade but not the transaction of the order that it triggered, as after a crash between the two.
  trade(btcPerp, 10_100);
  copy.lastPrice[btcPerp] = 10_100;
  const later = new TestVenue({ state: copy });
  tick(later);
  const fired = later.events.find(({ kind }) => kind === EventKind.orderTriggered);
  assert(fired?.kind === EventKind.orderTriggered && fired.orderId === id);
});

test("ORD-31 a reduce-only order needs a position to reduce, and closePosition closes the whole position", () => {
  const { venue, own, other, trade } = pricedVenue();
  const reduce = { account: own, market: btcPerp, side: Side.sell, isReduceOnly: true, qty: 5 };
  assert.equal(venue.place({ ...reduce, price: 10_000 }).reason, RejectReason.nothingToReduce);
  venue.sell(other, btcPerp, 10_000, 30);
  venue.buy(own, btcPerp, 10_000, 30);
  assert.equal(venue.place({ ...reduce, price: 10_500 }).reason, RejectReason.none);
  assert.equal(venue.state.balances.reserved(own, Wallet.perp, 0), 0n, "it holds no margin");
  venue.sell(own, btcPerp, 0, 0, { type: stopMarket, triggerPrice: 9900, closesPosition: true });
  venue.buy(other, btcPerp, 9850, 100);
  trade(btcPerp, 9900);
  assert.equal(venue.state.positions.qty(own, btcPerp), 0);
});

test("ORD-31 closePosition can close a position that is larger than the largest order", () => {
  const { venue, own, other, trade } = pricedVenue();
  for (const account of [own, other]) venue.credit(account, Wallet.perp, 0, 2n ** 58n);
  for (const price of [10_000, 10_001]) {
    venue.sell(other, btcPerp, price, qtyLotsMax);
    venue.buy(own, btcPerp, price, qtyLotsMax);
  }
  venue.sell(own, btcPerp, 0, 0, { type: stopMarket, triggerPrice: 9900, closesPosition: true });
  for (const price of [9880, 9890]) venue.buy(other, btcPerp, price, qtyLotsMax);
  trade(btcPerp, 9900);
  assert.equal(venue.state.positions.qty(own, btcPerp), 0);
});

test("ORD-32 options that cannot be combined are refused", () => {
  const { venue, own } = pricedVenue();
  const perp = { account: own, market: btcPerp, side: Side.buy, qty: 5 };
  const spot = { account: own, market: ccUsdc, side: Side.buy, qty: 1000 };
  const { unsupportedCombination, trailingOutOfRange, goodTillOutOfRange } = RejectReason;
  const cases = [
    [{ ...perp, price: 10_000, quoteQty: 5n }, unsupportedCombination],
    [{ ...spot, price: 1500, isReduceOnly: true }, unsupportedCombination],
    [{ ...spot, type: trailingStopMarket, trailingBps: 50 }, unsupportedCombination],
    [{ ...perp, price: 10_000, triggerPrice: 5 }, unsupportedCombination],
    [{ ...perp, price: 10_000, goodTillUs: 5 }, unsupportedCombination],
    [{ ...perp, type: stopMarket, triggerPrice: 11_000, trailingBps: 5 }, unsupportedCombination],
    [
      { ...perp, type: stop, price: 9, triggerPrice: 1, closesPosition: true },
      unsupportedCombination,
    ],
    [{ ...perp, type: trailingStopMarket, trailingBps: 5 }, trailingOutOfRange],
    [{ ...perp, price: 10_000, timeInForce: TimeInForce.gtd, goodTillUs: 5 }, goodTillOutOfRange],
    [{ ...perp, type: takeProfit, price: 0, triggerPrice: 9000 }, RejectReason.priceNotPositive],
    [{ ...perp, type: stopMarket, triggerPrice: 2e9 }, RejectReason.priceTooHigh],
    [{ ...perp, qty: 0, type: stopMarket, triggerPrice: 11_000 }, RejectReason.qtyNotPositive],
    [{ ...perp, qty: 2e8, type: stopMarket, triggerPrice: 11_000 }, RejectReason.qtyTooLarge],
  ] as const;
  const hash = stateHash(venue.state);
  for (const [order, reason] of cases) assert.equal(venue.place(order).reason, reason);
  assert.equal(stateHash(venue.state), hash);
});
