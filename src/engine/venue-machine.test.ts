// The venue machine end to end: orders trade in a spot market and in a perpetual market, and one is cancelled. The
// queue of matcher requests keeps their order.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc } from "../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../test/support/machine/test-venue.ts";
import { SystemAccount, Wallet } from "../core/accounts.ts";
import { AssertionFailure } from "../core/assert.ts";
import { EventKind } from "../core/generated/events.ts";
import { emptyMatchRequest } from "../core/generated/messages.ts";
import { matcherCreditsMax } from "../core/limits.ts";
import { MatchLane, MatchOutcome } from "../core/match-messages.ts";
import { RejectReason } from "../core/reject-reason.ts";
import { MatcherQueue, requestsPerMatcherMax } from "./venue-machine.ts";

test("a spot order rests, trades at its own price, and both sides are paid", () => {
  const venue = new TestVenue();
  const buyer = venue.fund(1000n * oneUsdc);
  const seller = venue.open();
  venue.credit(seller, Wallet.spot, 1, 1000n * 10n ** 8n);
  const market = marketId.ccUsdc;
  const maker = venue.sell(seller, market, 1500, 10_000);
  venue.events.length = 0;
  const taker = venue.buy(buyer, market, 1600, 4000);
  assert.deepEqual(
    venue.events.map(({ kind, isTransactionEnd }) => [kind, isTransactionEnd]),
    [
      [EventKind.orderAccepted, false],
      [EventKind.traded, true],
    ],
  );
  assert.deepEqual([maker, taker], [1, 2]);
  const { balances, orders } = venue.state;
  // 4,000 lots of 0.1 CC at 0.15 USDC are 400 CC for 60 USDC. The fees are 10 and 4 bps of what each side receives.
  assert.equal(balances.total(buyer, Wallet.spot, 0), 940n * oneUsdc);
  assert.equal(balances.total(buyer, Wallet.spot, 1), 400n * 10n ** 8n - 40_000_000n);
  assert.equal(balances.total(seller, Wallet.spot, 0), 60_000_000n - 24_000n);
  assert.equal(balances.reserved(buyer, Wallet.spot, 0), 0n);
  assert.equal(balances.reserved(seller, Wallet.spot, 1), 600n * 10n ** 8n);
  assert.equal(balances.total(SystemAccount.fees, Wallet.spot, 0), 24_000n);
  assert.equal(balances.total(SystemAccount.fees, Wallet.spot, 1), 40_000_000n);
  assert.equal(orders.slotOf(taker), -1);
  const reply = venue.cancel(seller, market, maker);
  assert.deepEqual([reply.reason, reply.subject], [RejectReason.none, maker]);
  assert.equal(balances.reserved(seller, Wallet.spot, 1), 0n);
});

test("a perpetual order holds margin, trades into a position, and later realises profit", () => {
  const venue = new TestVenue();
  const long = venue.fund(10_000n * oneUsdc);
  const short = venue.fund(10_000n * oneUsdc);
  const market = marketId.btcPerp;
  venue.sell(short, market, 5_000_000, 100);
  const { balances, positions } = venue.state;
  // 0.1 BTC at 50,000: 5,000 USDC of value, a tenth of it as margin.
  assert.equal(balances.reserved(short, Wallet.perp, 0), 500n * oneUsdc);
  venue.buy(long, market, 5_000_000, 100);
  assert.equal(balances.reserved(short, Wallet.perp, 0), 0n);
  assert.equal(positions.qty(long, market), 100);
  assert.equal(positions.entryValue(short, market), -5000n * oneUsdc);
  assert.equal(positions.openInterest(market), 100);
  venue.buy(short, market, 5_100_000, 100);
  venue.sell(long, market, 5_100_000, 100);
  assert.equal(positions.realisedPnl(long, market), 100n * oneUsdc);
  assert.equal(positions.realisedPnl(short, market), -100n * oneUsdc);
  assert.equal(positions.openInterest(market), 0);
});

test("a machine created from a state has the books of that state: its open orders and positions", () => {
  const venue = new TestVenue();
  const [long, short] = [venue.fund(1000n * oneUsdc), venue.fund(1000n * oneUsdc)];
  venue.sell(short, marketId.btcPerp, 5_000_000, 30);
  venue.buy(long, marketId.btcPerp, 5_000_000, 20);
  assert.equal(venue.state.positions.qty(long, marketId.btcPerp), 20);
  const again = new TestVenue({ state: venue.state });
  assert.equal(again.machine.booksHash(), venue.machine.booksHash());
  venue.state.positions.set(long, marketId.btcPerp, { qty: 0, entryValue: 0n, pnl: 0n });
  const flat = new TestVenue({ state: venue.state });
  assert.notEqual(flat.machine.booksHash(), venue.machine.booksHash());
});

test("a machine reports each fill and the end of each request to its observer before clearing books it", () => {
  const heard: string[] = [];
  const venue: TestVenue = new TestVenue({
    onMatch: {
      filled: (_taker, _maker, price, qty) =>
        heard.push(`filled ${price} ${qty} after ${venue.state.nextTradeId - 1}`),
      reduced: (_taker, _maker, qty) => heard.push(`reduced ${qty}`),
      met: () => heard.push("met"),
      removed: (_taker, _maker, reason, left) => heard.push(`removed ${reason} ${left}`),
      ended: (market, _slot, _generation, lane, outcome, remaining, bid, send) =>
        heard.push(`ended ${[market, lane, outcome, remaining, bid, send].join(" ")}`),
    },
  });
  const [own, other] = [venue.fund(1000n * oneUsdc), venue.fund(1000n * oneUsdc)];
  venue.sell(own, marketId.btcPerp, 10_000, 5);
  venue.buy(other, marketId.btcPerp, 10_000, 7);
  assert.deepEqual(heard, [
    `ended 4 0 ${MatchOutcome.rested} 5 0 10000`,
    "filled 10000 5 after 0",
    `ended 4 0 ${MatchOutcome.rested} 2 10000 0`,
  ]);
});

test("answering the next request of a lane without pending requests fails an assertion", () => {
  const venue = new TestVenue();
  assert.throws(() => venue.machine.answerNext(0, MatchLane.orders), AssertionFailure);
  assert.throws(() => venue.machine.answerNext(9, MatchLane.orders), AssertionFailure);
});

const { orders, cancels } = MatchLane;

function send(queue: MatcherQueue, slot: number, lane: MatchLane = orders, matcher = 0): void {
  queue.push(matcher, lane, { ...emptyMatchRequest(), slot });
}

test("the queue returns the oldest request of all lanes or of one lane, also after many wrap-arounds", () => {
  const queue = new MatcherQueue(2);
  for (let round = 0; round < 5 * matcherCreditsMax; round++) {
    send(queue, 1);
    send(queue, 2, cancels);
    send(queue, 3, orders, 1);
    send(queue, 4, cancels);
    assert.deepEqual(
      [queue.count, queue.waiting(0, cancels), queue.waiting(1, cancels)],
      [4, 2, 0],
    );
    assert.equal(queue.shiftFrom(0, cancels).request.slot, 2);
    assert.equal(queue.shiftFrom(1, orders).request.slot, 3);
    assert.equal(queue.shift().request.slot, 1);
    send(queue, 5);
    assert.equal(queue.shift().request.slot, 4);
    assert.equal(queue.shiftFrom(0, orders).request.slot, 5);
  }
  assert.equal(queue.count, 0);
});

test("taking a request from an empty queue or lane, or adding one to a full queue, fails an assertion", () => {
  const queue = new MatcherQueue(1);
  assert.throws(() => queue.shift(), AssertionFailure);
  for (let slot = 0; slot < requestsPerMatcherMax; slot++) send(queue, slot);
  assert.throws(() => queue.shiftFrom(0, cancels), AssertionFailure);
  assert.throws(() => send(queue, 0), AssertionFailure);
});
