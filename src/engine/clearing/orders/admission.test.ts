// Admission: every reason for a refusal, the order in which reasons are checked, and the terms of accepted orders:
// holds, bands, protection prices.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc } from "../../../../test/support/machine/test-markets.ts";
import { type TestOrder, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { AccountFlag, AccountType, SystemAccount, Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import {
  ordersPerMarketPerAccountMax,
  positionLotsMax,
  priceTicksMax,
  qtyLotsMax,
} from "../../../core/limits.ts";
import { MarketStatus } from "../../../core/markets.ts";
import {
  CloseReason,
  derivedClientId,
  OrderType,
  Side,
  TimeInForce,
} from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";

const { btcPerp, ccPerp, ccUsdc, cbtcUsdc, cusdUsdc } = marketId;

/** A buy of 100 CC at 0.15 by an account with 1,000 USDC in each wallet. */
function soundOrder(venue: TestVenue): TestOrder {
  return {
    account: venue.fund(1000n * oneUsdc),
    market: ccUsdc,
    side: Side.buy,
    price: 1500,
    qty: 1000,
  };
}

function refusal(change: (order: TestOrder, venue: TestVenue) => Partial<TestOrder>): number {
  const venue = new TestVenue();
  const order = soundOrder(venue);
  return venue.place({ ...order, ...change(order, venue) }).reason;
}

test("a valid order is accepted", () => {
  assert.equal(
    refusal(() => ({})),
    RejectReason.none,
  );
});

test("an unknown, halted or delisted market accepts no orders", () => {
  assert.equal(
    refusal(() => ({ market: 99 })),
    RejectReason.unknownMarket,
  );
  assert.equal(
    refusal(() => ({ market: cusdUsdc })),
    RejectReason.marketNotTrading,
  );
  const halted = refusal((_, venue) => {
    venue.done({ kind: CommandKind.setMarketStatus, market: ccUsdc, status: MarketStatus.halted });
    return {};
  });
  assert.equal(halted, RejectReason.marketNotTrading);
});

test("an unknown or frozen account and a system account, such as the insurance fund, cannot place orders", () => {
  assert.equal(
    refusal(() => ({ account: 4000 })),
    RejectReason.unknownAccount,
  );
  assert.equal(
    refusal(() => ({ account: 0 })),
    RejectReason.unknownAccount,
  );
  assert.equal(
    refusal(() => ({ account: SystemAccount.insurance })),
    RejectReason.unknownAccount,
  );
  const frozen = refusal(({ account }, venue) => {
    venue.setFlags(account, AccountFlag.frozen);
    return {};
  });
  assert.equal(frozen, RejectReason.accountFrozen);
});

test("a wallet-funded account can trade perpetuals at once, and spot only after it has enrolled", () => {
  const venue = new TestVenue();
  const account = venue.fund(1000n * oneUsdc, AccountType.wallet);
  const spot = { account, market: ccUsdc, side: Side.buy, price: 1500, qty: 1000 };
  assert.equal(venue.place(spot).reason, RejectReason.notEnrolled);
  const perp = { account, market: btcPerp, side: Side.buy, price: 5_000_000, qty: 1 };
  assert.equal(venue.place(perp).reason, RejectReason.none);
  venue.setFlags(account, AccountFlag.enrolled);
  assert.equal(venue.place(spot).reason, RejectReason.none);
});

test("prices and quantities outside the market's filters are refused", () => {
  assert.equal(
    refusal(() => ({ qty: 0 })),
    RejectReason.qtyNotPositive,
  );
  assert.equal(
    refusal(() => ({ qty: -5 })),
    RejectReason.qtyNotPositive,
  );
  assert.equal(
    refusal(() => ({ qty: Number.NaN })),
    RejectReason.qtyNotPositive,
  );
  assert.equal(
    refusal(() => ({ qty: qtyLotsMax + 1 })),
    RejectReason.qtyTooLarge,
  );
  assert.equal(
    refusal(() => ({ price: 0, type: OrderType.limit })),
    RejectReason.priceNotPositive,
  );
  assert.equal(
    refusal(() => ({ price: -1 })),
    RejectReason.priceNotPositive,
  );
  assert.equal(
    refusal(() => ({ price: priceTicksMax + 1 })),
    RejectReason.priceTooHigh,
  );
});

test("the minimum value is checked exactly, at the order's own price", () => {
  // 66.7 CC at 0.15 is 10.005 USDC, 66.6 CC is 9.99.
  assert.equal(
    refusal(() => ({ qty: 667 })),
    RejectReason.none,
  );
  assert.equal(
    refusal(() => ({ qty: 666 })),
    RejectReason.notionalTooSmall,
  );
  assert.equal(
    refusal(() => ({ market: btcPerp, price: 1, qty: 1 })),
    RejectReason.none,
  );
});

test("the minimum value of a MARKET order is checked at the price it would trade at", () => {
  const venue = new TestVenue();
  const order = soundOrder(venue);
  const seller = venue.open();
  venue.credit(seller, Wallet.spot, 1, 10n ** 12n);
  venue.sell(seller, ccUsdc, 1500, 2000);
  const market = { account: order.account, market: ccUsdc, side: Side.buy };
  assert.equal(venue.place({ ...market, qty: 666 }).reason, RejectReason.notionalTooSmall);
  assert.equal(venue.place({ ...market, qty: 667 }).reason, RejectReason.none);
});

test("ORD-17 ORD-58 a limit price below a fifth or above five times the mark is refused, and without a mark every price passes", () => {
  const venue = new TestVenue();
  const { account } = soundOrder(venue);
  const other = venue.fund(10_000n * oneUsdc);
  const bid = (price: number) =>
    venue.place({ account, market: btcPerp, side: Side.buy, price, qty: 1 });
  assert.equal(bid(1).reason, RejectReason.none, "no mark yet");
  venue.sell(other, btcPerp, 10_000, 1);
  venue.buy(account, btcPerp, 10_000, 1);
  assert.equal(bid(2000).reason, RejectReason.none);
  assert.equal(bid(1999).reason, RejectReason.priceOutsideBand);
  const send = (price: number) =>
    venue.place({ account: other, market: btcPerp, side: Side.sell, price, qty: 1 });
  assert.equal(send(50_000).reason, RejectReason.none);
  // The book now has a bid and an ask. The mark is the mean of their middle and the last trade.
  const mark = Math.floor((10_000 + Math.floor((2000 + 50_000) / 2)) / 2);
  assert.equal(send(mark * 5).reason, RejectReason.none);
  assert.equal(send(mark * 5 + 1).reason, RejectReason.priceOutsideBand);
});

test("a perpetual's mark follows the spot market of its base asset", () => {
  const venue = new TestVenue();
  const { account } = soundOrder(venue);
  const maker = venue.fund(10n ** 12n, AccountType.house);
  venue.credit(maker, Wallet.spot, 2, 10n ** 11n);
  venue.buy(maker, cbtcUsdc, 9000, 2_000_000);
  venue.sell(maker, cbtcUsdc, 11_000, 2_000_000);
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
  const bid = (price: number) =>
    venue.place({ account, market: btcPerp, side: Side.buy, price, qty: 1 });
  assert.equal(bid(50_001).reason, RejectReason.priceOutsideBand);
  assert.equal(bid(50_000).reason, RejectReason.none);
  assert.equal(
    venue.place({ account, market: ccPerp, side: Side.buy, price: 1, qty: 1 }).reason,
    0,
  );
});

test("ORD-14 ORD-15 a client id is refused while its own account uses it, and if it is reserved", () => {
  const venue = new TestVenue();
  const order = { ...soundOrder(venue), qty: 700, clientId: "mine" };
  const first = venue.place(order);
  assert.equal(venue.place(order).reason, RejectReason.duplicateClientId);
  const stranger = venue.fund(1000n * oneUsdc);
  assert.equal(venue.place({ ...order, account: stranger }).reason, RejectReason.none);
  const reserved = { ...order, clientId: derivedClientId(77) };
  assert.equal(venue.place(reserved).reason, RejectReason.clientIdReserved);
  venue.cancel(order.account, ccUsdc, first.subject);
  const closedUs = venue.state.tsUs;
  venue.nowUs = closedUs + 600_000_000 - 1001;
  assert.equal(venue.place(order).reason, RejectReason.duplicateClientId, "a microsecond early");
  venue.nowUs = closedUs + 600_000_000 - 1000;
  assert.equal(
    venue.place(order).reason,
    RejectReason.none,
    "after ten minutes, even without other events",
  );
});

test("ORD-15 a replacement may have the client id of a closed order, but not that of an open one", () => {
  const venue = new TestVenue();
  const order = { ...soundOrder(venue), qty: 700, clientId: "mine" };
  const next = { ...order, reusesClientId: true };
  const first = venue.place(order);
  assert.equal(venue.place(next).reason, RejectReason.duplicateClientId);
  venue.cancel(order.account, ccUsdc, first.subject);
  const second = venue.place(next);
  assert.equal(second.reason, RejectReason.none);
  assert.equal(venue.place(next).reason, RejectReason.duplicateClientId);
  venue.cancel(order.account, ccUsdc, second.subject);
  assert.equal(venue.place(order).reason, RejectReason.duplicateClientId, "without the flag");
});

test("a client id stays used for ten minutes by the venue's time, even if another client's clock is fast", () => {
  const venue = new TestVenue();
  const order = { ...soundOrder(venue), qty: 700, clientId: "mine" };
  venue.cancel(order.account, ccUsdc, venue.place(order).subject);
  const fast = venue.command({ kind: CommandKind.barrier });
  fast.atUs += 3_600_000_000;
  fast.deadlineUs += 7_200_000_000;
  venue.machine.handle(fast);
  const late = { ...order, deadlineUs: venue.nowUs + 7_200_000_000 };
  assert.equal(venue.place(late).reason, RejectReason.duplicateClientId);
});

test("ORD-21 an account has at most 200 open orders in a market", () => {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 12n);
  const order = { account, market: btcPerp, side: Side.buy, price: 5_000_000, qty: 1 };
  for (let count = 0; count < ordersPerMarketPerAccountMax; count++) {
    assert.equal(venue.place(order).reason, RejectReason.none);
  }
  assert.equal(venue.place(order).reason, RejectReason.tooManyOpenOrders);
  assert.equal(venue.place({ ...order, market: ccPerp, price: 1500 }).reason, RejectReason.none);
  venue.cancel(account, btcPerp, 1);
  assert.equal(venue.place(order).reason, RejectReason.none);
});

test("ACC-2 a spot buy needs price × quantity, a sell needs the quantity, and neither needs more", () => {
  const venue = new TestVenue();
  const account = venue.open();
  const buy = { account, market: ccUsdc, side: Side.buy, price: 1500, qty: 1000 };
  venue.credit(account, Wallet.spot, 0, 15n * oneUsdc - 1n);
  assert.equal(venue.place(buy).reason, RejectReason.insufficientBalance);
  venue.credit(account, Wallet.spot, 0, 1n);
  assert.equal(venue.place(buy).reason, RejectReason.none);
  assert.equal(venue.state.balances.free(account, Wallet.spot, 0), 0n);
  const sell = { account, market: ccUsdc, side: Side.sell, price: 1500, qty: 1000 };
  venue.credit(account, Wallet.spot, 1, 100n * 10n ** 8n - 1n);
  assert.equal(venue.place(sell).reason, RejectReason.insufficientBalance);
  venue.credit(account, Wallet.spot, 1, 1n);
  assert.equal(venue.place(sell).reason, RejectReason.none);
  assert.equal(venue.state.balances.free(account, Wallet.spot, 1), 0n);
});

test("if several refusals apply, the first in the documented order is given", () => {
  const venue = new TestVenue();
  const account = venue.open();
  const worst = {
    account,
    market: ccUsdc,
    side: Side.buy,
    price: 0,
    type: OrderType.limit,
    qty: 0,
    clientId: derivedClientId(1),
  };
  venue.setFlags(account, AccountFlag.frozen);
  venue.done({ kind: CommandKind.setMarketStatus, market: ccUsdc, status: MarketStatus.halted });
  const reasons: number[] = [];
  const attempt = (order: TestOrder) => reasons.push(venue.place(order).reason);
  attempt({ ...worst, market: 50 });
  attempt(worst);
  venue.done({ kind: CommandKind.setMarketStatus, market: ccUsdc, status: MarketStatus.trading });
  attempt(worst);
  venue.setFlags(account, 0);
  attempt(worst);
  attempt({ ...worst, qty: 1 });
  attempt({ ...worst, qty: 1, price: 1500 });
  attempt({ ...worst, qty: 1000, price: 1500 });
  attempt({ ...worst, qty: 1000, price: 1500, clientId: "mine" });
  assert.deepEqual(reasons, [
    RejectReason.unknownMarket,
    RejectReason.marketNotTrading,
    RejectReason.accountFrozen,
    RejectReason.qtyNotPositive,
    RejectReason.priceNotPositive,
    RejectReason.notionalTooSmall,
    RejectReason.clientIdReserved,
    RejectReason.insufficientBalance,
  ]);
});

test("ORD-53 the account's own resting orders count as best price of its MARKET order, which then stops sooner", () => {
  const venue = new TestVenue();
  const [own, other] = [venue.fund(10_000n * oneUsdc), venue.fund(10_000n * oneUsdc)];
  venue.sell(other, btcPerp, 10_600, 5);
  const resting = venue.sell(own, btcPerp, 10_000, 5);
  const market = { type: OrderType.market, timeInForce: TimeInForce.gtc };
  venue.buy(own, btcPerp, 0, 5, market);
  assert.equal(venue.state.positions.qty(own, btcPerp), 0, "no other seller within 5 % of 10,000");
  venue.cancel(own, btcPerp, resting);
  venue.buy(own, btcPerp, 0, 5, market);
  assert.equal(venue.state.positions.qty(own, btcPerp), 5);
});

test("ORD-8 a MARKET order trades up to 5 % beyond the best price, and its hold is computed at that price", () => {
  const venue = new TestVenue();
  const maker = venue.open();
  venue.credit(maker, Wallet.spot, 1, 10n ** 13n);
  venue.credit(maker, Wallet.spot, 0, 10n ** 12n);
  for (const price of [1000, 1050, 1051]) venue.sell(maker, ccUsdc, price, 1000);
  const taker = venue.open();
  // 300 CC at 0.105 at most: 31.5 USDC. One minor unit less is refused.
  const order = { account: taker, market: ccUsdc, side: Side.buy, qty: 3000 };
  venue.credit(taker, Wallet.spot, 0, 31_500_000n - 1n);
  assert.equal(venue.place(order).reason, RejectReason.insufficientBalance);
  venue.credit(taker, Wallet.spot, 0, 1n);
  venue.events.length = 0;
  assert.equal(venue.place(order).reason, RejectReason.none);
  const prices = venue.events.flatMap((event) =>
    event.kind === EventKind.traded ? [event.price] : [],
  );
  assert.deepEqual(prices, [1000, 1050]);
  const last = venue.events.at(-1);
  assert(last?.kind === EventKind.orderClosed && last.reason === CloseReason.unfilled);
  assert.equal(venue.state.balances.reserved(taker, Wallet.spot, 0), 0n);
  for (const price of [990, 941, 940]) venue.buy(maker, ccUsdc, price, 2000);
  venue.credit(taker, Wallet.spot, 1, 10n ** 12n);
  venue.events.length = 0;
  venue.place({ account: taker, market: ccUsdc, side: Side.sell, qty: 9000 });
  const [accepted] = venue.events;
  // 5 % below 990 is 940.5: inside the band, the next tick is 941.
  assert(accepted?.kind === EventKind.orderAccepted && accepted.price === 941);
});

test("ORD-9 a MARKET order that finds no orders expires without a hold", () => {
  const venue = new TestVenue();
  const account = venue.open();
  for (const [market, side] of [
    [ccUsdc, Side.buy],
    [ccUsdc, Side.sell],
    [btcPerp, Side.buy],
  ] as const) {
    venue.events.length = 0;
    const reply = venue.place({ account, market, side, qty: 5000 });
    assert.equal(reply.reason, RejectReason.none);
    assert.deepEqual(
      venue.events.map(({ kind, isTransactionEnd }) => [kind, isTransactionEnd]),
      [
        [EventKind.orderAccepted, false],
        [EventKind.orderClosed, true],
      ],
    );
    assert.equal(venue.machine.waiting(0, 0), 0, "no matcher is asked");
  }
});

test("a MARKET order never rests and a LIMIT_MAKER never takes, whatever their time in force", () => {
  const venue = new TestVenue();
  const maker = venue.fund(10n ** 12n);
  const taker = venue.fund(10n ** 12n);
  venue.sell(maker, btcPerp, 10_000, 1);
  venue.buy(taker, btcPerp, 0, 5, { type: OrderType.market, timeInForce: TimeInForce.gtc });
  assert.equal(venue.state.orders.openCount, 0);
  venue.sell(maker, btcPerp, 10_000, 1);
  const post = { account: taker, market: btcPerp, side: Side.buy, price: 10_000, qty: 1 };
  const reply = venue.place({ ...post, type: OrderType.limitMaker, timeInForce: TimeInForce.ioc });
  assert.equal(reply.reason, RejectReason.wouldTake);
});

test("resting, in-flight and new orders together cannot make a position exceed its limit", () => {
  const venue = new TestVenue();
  const account = venue.fund(2n ** 58n);
  const order = { account, market: btcPerp, side: Side.sell, price: 1, qty: qtyLotsMax };
  for (let count = 0; count < positionLotsMax / qtyLotsMax; count++) {
    assert.equal(venue.place(order).reason, RejectReason.none);
  }
  assert.equal(venue.place({ ...order, qty: 1 }).reason, RejectReason.qtyTooLarge);
  assert.equal(venue.place({ ...order, side: Side.buy, qty: 1 }).reason, RejectReason.none);
});
