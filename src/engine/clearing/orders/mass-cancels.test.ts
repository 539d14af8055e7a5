// Mass cancels: they cancel only the account's orders in one market, also if there are more orders than a lane has
// credits, if some orders fill meanwhile, or if some are in flight.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId } from "../../../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { cancelCreditsMax, ordersPerMarketPerAccountMax } from "../../../core/limits.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { Side } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";

const { btcPerp, ethPerp } = marketId;

function venueWithOrders(count: number) {
  const venue = new TestVenue();
  const own = venue.fund(10n ** 12n);
  const other = venue.fund(10n ** 12n);
  for (let at = 0; at < count; at++) venue.buy(own, btcPerp, 10_000 - at, 10);
  return { venue, own, other };
}

test("a mass cancel cancels all orders of the account in the market, and no others", () => {
  const { venue, own, other } = venueWithOrders(5);
  const elsewhere = venue.buy(own, ethPerp, 10_000, 10);
  const foreign = venue.buy(other, btcPerp, 9000, 10);
  const reply = venue.send({ kind: CommandKind.cancelAllOrders, account: own, market: btcPerp });
  assert.deepEqual([reply.reason, reply.subject], [RejectReason.none, 5]);
  assert.equal(reply.lastSeq, venue.state.seq);
  assert.equal(venue.state.orders.openCount, 2);
  assert(venue.state.orders.slotOf(elsewhere) >= 0 && venue.state.orders.slotOf(foreign) >= 0);
});

test("a mass cancel without orders, or in an unknown market, answers zero", () => {
  const { venue, own, other } = venueWithOrders(0);
  // A count is stored at index account × 16 + market. Without a check, market 100 would be read as BTC-PERP of the
  // account whose number is six higher.
  for (let count = 0; count < 6; count++) venue.buy(venue.fund(10n ** 12n), btcPerp, 9000, 1);
  for (const [account, market] of [
    [own, btcPerp],
    [own, 99],
    [own, 100],
    [other, -1],
    [2 ** 30, btcPerp],
    [0, btcPerp],
  ] as const) {
    const reply = venue.send({ kind: CommandKind.cancelAllOrders, account, market });
    assert.deepEqual([reply.reason, reply.subject], [RejectReason.none, 0]);
  }
});

test("a mass cancel of more orders than a lane has credits runs in parts, and no command is accepted meanwhile", () => {
  const { venue, own } = venueWithOrders(ordersPerMarketPerAccountMax);
  const mass = venue.take({ kind: CommandKind.cancelAllOrders, account: own, market: btcPerp });
  assert.equal(venue.machine.waiting(0, MatchLane.cancels), cancelCreditsMax);
  for (let answers = 0; answers < ordersPerMarketPerAccountMax - cancelCreditsMax; answers++) {
    assert(!venue.machine.canAccept(), "cancels still wait for credits");
    venue.machine.answerNext(0, MatchLane.cancels);
    assert.equal(venue.machine.waiting(0, MatchLane.cancels), cancelCreditsMax);
  }
  venue.machine.answerNext(0, MatchLane.cancels);
  assert(venue.machine.canAccept());
  venue.machine.settle();
  assert.equal(venue.replyTo(mass).subject, ordersPerMarketPerAccountMax);
  assert.equal(venue.state.orders.openCount, 0);
  assert.equal(venue.state.balances.reserved(own, Wallet.perp, 0), 0n);
});

test("orders that fill while their cancels are in flight are not counted as cancelled", () => {
  const { venue, own, other } = venueWithOrders(100);
  const sweep = orderCommand({
    account: other,
    market: btcPerp,
    side: Side.sell,
    price: 9900,
    qty: 995,
  });
  const taker = venue.take(sweep);
  const mass = venue.take({ kind: CommandKind.cancelAllOrders, account: own, market: btcPerp });
  venue.machine.answerNext(0, MatchLane.orders);
  venue.machine.settle();
  const filled = 99;
  assert.equal(venue.state.nextTradeId - 1, 100, "the last order filled in half");
  assert.equal(venue.replyTo(mass).subject, 100 - filled);
  assert.equal(venue.replyTo(taker).reason, RejectReason.none);
  assert.equal(venue.state.orders.openCount, 0);
});

test("a mass cancel includes orders that are still with their matcher", () => {
  const { venue, own } = venueWithOrders(2);
  const pending = [1, 2, 3].map((at) =>
    venue.take(
      orderCommand({ account: own, market: btcPerp, side: Side.buy, price: 9000 + at, qty: 1 }),
    ),
  );
  const mass = venue.take({ kind: CommandKind.cancelAllOrders, account: own, market: btcPerp });
  venue.machine.settle();
  assert.equal(venue.replyTo(mass).subject, 5);
  for (const one of pending) assert.equal(venue.replyTo(one).reason, RejectReason.none);
  assert.equal(venue.state.orders.openCount, 0);
});

const everyMarket = 0xffff;

test("QUO-21 a mass cancel covers a set of markets, a side, or a band of limit prices", () => {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 12n);
  const bids = [1, 2, 3].map((at) => venue.buy(account, btcPerp, 9000 + at, 1));
  const asks = [1, 2, 3].map((at) => venue.sell(account, btcPerp, 9100 + at, 1));
  const elsewhere = venue.buy(account, ethPerp, 9002, 1);
  const whole = { side: null, minPrice: 0, maxPrice: 0, group: 0 };
  const covered = { kind: CommandKind.cancelOrders, account, ...whole };
  const open = () =>
    [...bids, ...asks, elsewhere].filter((id) => venue.state.orders.slotOf(id) >= 0).length;
  const btc = 1 << btcPerp;
  const band = { ...covered, markets: btc, minPrice: 9002, maxPrice: 9101 } as const;
  assert.equal(venue.send(band).subject, 3, "two bids and one ask are in the band");
  const sells = { ...covered, markets: everyMarket, side: Side.sell } as const;
  assert.equal(venue.send(sells).subject, 2);
  assert.equal(open(), 2);
  assert.equal(venue.send({ ...covered, markets: everyMarket } as const).subject, 2);
  assert.equal(open(), 0);
  assert.equal(venue.send({ ...covered, markets: 0 } as const).subject, 0);
  assert.equal(venue.send({ ...covered, account: 2 ** 30, markets: everyMarket }).subject, 0);
});

test("QUO-21 in a band, an order under amendment has its new price", () => {
  for (const [minPrice, maxPrice, cancelled] of [
    [9100, 0, 1],
    [0, 9050, 0],
  ] as const) {
    const venue = new TestVenue();
    const account = venue.fund(10n ** 12n);
    const orderId = venue.buy(account, btcPerp, 9000, 1);
    const named = { account, market: btcPerp, orderId, clientId: "" };
    venue.take({ kind: CommandKind.amendOrder, ...named, price: 9200, qty: 1 });
    const covered = { account, markets: everyMarket, side: null, group: 0 };
    const mass = venue.take({ kind: CommandKind.cancelOrders, ...covered, minPrice, maxPrice });
    venue.machine.settle();
    assert.equal(venue.replyTo(mass).subject, cancelled);
  }
});

test("QUO-21 a mass cancel covers orders that are still with their matcher by the same terms", () => {
  const { venue, own } = venueWithOrders(2);
  const pending = { account: own, market: btcPerp, qty: 1 };
  venue.take(orderCommand({ ...pending, side: Side.buy, price: 9001 }));
  venue.take(orderCommand({ ...pending, side: Side.sell, price: 11_000 }));
  const mass = venue.take({
    kind: CommandKind.cancelOrders,
    account: own,
    markets: everyMarket,
    side: Side.buy,
    minPrice: 0,
    maxPrice: 9999,
    group: 0,
  });
  venue.machine.settle();
  assert.equal(
    venue.replyTo(mass).subject,
    2,
    "the resting bid below the bound and the one in flight",
  );
  assert.equal(venue.state.orders.openCount, 2);
});
