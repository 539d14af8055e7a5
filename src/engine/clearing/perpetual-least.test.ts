// The minimum value of perpetual orders: it applies to orders that open a position, not to those that close one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { boundedMarkets, marketId, oneUsdc } from "../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../test/support/machine/test-venue.ts";
import { CommandKind, type PlaceOrder } from "../../core/generated/commands.ts";
import { EventKind } from "../../core/generated/events.ts";
import { feeOf } from "../../core/money/amounts.ts";
import { OrderStatus, OrderType, Side } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { VenueState } from "../state/venue-state.ts";

const { btcPerp } = marketId;
/** 100.00, at which a lot is worth 0.1 USDC: 50 lots are worth the minimum, 49 are not. */
const price = 10_000;

/** `long` is long 60 lots and `maker` short 60 lots; `maker` also has a bid and an ask around `price`. */
function tradingVenue(): { venue: TestVenue; long: number; maker: number } {
  const venue = new TestVenue({ state: new VenueState(boundedMarkets) });
  const long = venue.fund(10_000n * oneUsdc);
  const maker = venue.fund(10_000n * oneUsdc);
  venue.sell(maker, btcPerp, price, 60);
  venue.buy(long, btcPerp, price, 60);
  venue.buy(maker, btcPerp, price - 1, 1000);
  venue.sell(maker, btcPerp, price + 1, 1000);
  return { venue, long, maker };
}

function refusalOf(venue: TestVenue, order: Partial<PlaceOrder> & { account: number }) {
  return venue.place({ market: btcPerp, side: Side.buy, qty: 49, ...order }).reason;
}

test("ACC-26 a perpetual order worth less than 5 USDC is refused, at its limit, at the market or at its trigger", () => {
  const { venue, long: account } = tradingVenue();
  const small = RejectReason.notionalTooSmall;
  assert.equal(refusalOf(venue, { account, price }), small);
  assert.equal(refusalOf(venue, { account }), small, "at the market");
  const stop = { account, type: OrderType.stopMarket, triggerPrice: price * 2 };
  assert.equal(refusalOf(venue, { ...stop, qty: 24 }), small, "valued at its trigger");
  assert.equal(refusalOf(venue, { account, price, side: Side.sell }), small, "not reduce-only");
  assert.equal(refusalOf(venue, { account, price, qty: 50 }), RejectReason.none);
});

test("ACC-26 an amend cannot make an order worth less than 5 USDC", () => {
  const { venue, long: account } = tradingVenue();
  const orderId = venue.buy(account, btcPerp, price - 10, 60);
  const amend = { kind: CommandKind.amendOrder, account, market: btcPerp, orderId } as const;
  const smaller = venue.send({ ...amend, clientId: "", price: 0, qty: 49 });
  assert.equal(smaller.reason, RejectReason.notionalTooSmall);
});

test("ACC-26 ACC-39 closing orders may be smaller: reduce-only, closePosition, take profit and stop loss", () => {
  const { venue, long: account } = tradingVenue();
  const selling = { account, side: Side.sell };
  const reduces = { ...selling, isReduceOnly: true };
  assert.equal(refusalOf(venue, { ...reduces, price, qty: 1 }), RejectReason.none);
  assert.equal(refusalOf(venue, { ...reduces, qty: 1 }), RejectReason.none, "at the market");
  const stop = { type: OrderType.stopMarket, triggerPrice: price - 1000 };
  assert.equal(refusalOf(venue, { ...reduces, ...stop, qty: 1 }), RejectReason.none);
  const whole = { ...selling, ...stop, qty: 0, closesPosition: true };
  assert.equal(refusalOf(venue, whole), RejectReason.none);
  venue.done({ kind: CommandKind.cancelAllOrders, account, market: btcPerp });
  // All but one lot is sold; the stop that closes the rest is worth 0.09 when it trades.
  const left = venue.state.positions.qty(account, btcPerp) - 1;
  refusalOf(venue, { ...reduces, qty: left });
  const last = { ...selling, type: OrderType.stopMarket, triggerPrice: price - 5, qty: 0 };
  const orderId = venue.place({ market: btcPerp, ...last, closesPosition: true }).subject;
  const other = venue.fund(10_000n * oneUsdc);
  venue.sell(other, btcPerp, price - 50, 2000);
  venue.buy(other, btcPerp, price - 60, 100);
  const third = venue.fund(10_000n * oneUsdc);
  venue.sell(third, btcPerp, price - 60, 60);
  const fill = venue.events.find(
    (event) => event.kind === EventKind.traded && event.takerOrderId === orderId,
  );
  assert.equal(venue.state.positions.qty(account, btcPerp), 0);
  assert.ok(fill !== undefined, "the stop has traded the last lot");
  assert.equal(venue.state.orders.slotOf(orderId), -1, OrderStatus.filled.toString());
});

test("ACC-26 a trailing order must be worth the minimum at its activation price", () => {
  const { venue, long: account } = tradingVenue();
  const trailing = { account, type: OrderType.trailingStopMarket, trailingBps: 100 };
  const refused = (order: Partial<PlaceOrder>) => refusalOf(venue, { ...trailing, ...order });
  const small = RejectReason.notionalTooSmall;
  assert.equal(refused({ qty: 49 }), small, "at the last trade");
  assert.equal(refused({ qty: 50 }), RejectReason.none);
  // A sell waits for its activation; a buy with an activation above the market follows at once.
  const { sell } = Side;
  assert.equal(refused({ side: sell, qty: 24, activationPrice: price * 2 }), small);
  assert.equal(refused({ side: sell, qty: 25, activationPrice: price * 2 }), RejectReason.none);
  assert.equal(refused({ side: sell, qty: 49, activationPrice: price / 2 }), small);
  assert.equal(refused({ qty: 49, activationPrice: price * 1000 }), small);
  assert.equal(refused({ qty: 99, activationPrice: price / 2 }), small);
  assert.equal(refused({ qty: 100, activationPrice: price / 2 }), RejectReason.none);
  assert.equal(refused({ qty: 1, side: sell, isReduceOnly: true }), RejectReason.none);
});

test("ACC-26 ACC-40 an order that was worth the minimum at its trigger also trades at a market price where it is worth less", () => {
  const { venue, long, maker } = tradingVenue();
  // 51 lots are worth 5.09 USDC at 99.90, and 4.94 at 97.00, the price of the book when the stop triggers.
  const stop = { side: Side.sell, type: OrderType.stopMarket, triggerPrice: price - 10 };
  const waiting = venue.place({ account: long, market: btcPerp, qty: 51, ...stop });
  assert.equal(waiting.reason, RejectReason.none);
  const orderId = waiting.subject;
  venue.done({ kind: CommandKind.cancelAllOrders, account: maker, market: btcPerp });
  venue.buy(maker, btcPerp, price - 300, 200);
  venue.sell(venue.fund(10_000n * oneUsdc), btcPerp, price - 300, 60);
  const fill = venue.events.find(
    (event) => event.kind === EventKind.traded && event.takerOrderId === orderId,
  );
  assert.ok(fill?.kind === EventKind.traded, "the stop has traded");
  assert.deepEqual([fill.price, fill.qty], [price - 300, 51]);
});

test("ACC-27 ACC-41 a fill worth the minimum costs both sides a fee, and 500 fills of its parts cost nearly as much", () => {
  const { venue } = tradingVenue();
  const least = 5n * oneUsdc;
  assert.deepEqual([feeOf(least, 2), feeOf(least, 5)], [1000n, 2500n]);
  const fill = venue.events.find((event) => event.kind === EventKind.traded);
  assert.ok(fill?.kind === EventKind.traded);
  // 60 lots at 100.00 are 6 USDC.
  assert.deepEqual([fill.makerFee, fill.takerFee], [1200n, 3000n]);
  const parts = Array.from({ length: 500 }, () => feeOf(least / 500n, 5));
  const together = parts.reduce((sum, fee) => sum + fee, 0n);
  assert.ok(feeOf(least, 5) - together < 500n, "each part loses less than a minor unit");
});
