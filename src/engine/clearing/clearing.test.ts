// Clearing's rules, each with a test that fails without it: reservations that are not journaled, whole transactions,
// lane credits, and replies with lastSeq. Time is tested in clearing-time.test.ts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../core/accounts.ts";
import { AssertionFailure } from "../../core/assert.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { EventKind } from "../../core/generated/events.ts";
import type { Reply } from "../../core/generated/messages.ts";
import { matcherCreditsMax, matchesPerOrderMax } from "../../core/limits.ts";
import { MatchLane, MatchOutcome } from "../../core/match-messages.ts";
import { CloseReason, OrderType, Side, TimeInForce } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { VenueState } from "../state/venue-state.ts";
import { stateHash } from "../state-hash.ts";
import { Clearing } from "./clearing.ts";

const { btcPerp, ccUsdc, ethPerp } = marketId;

const intervals = {
  markIntervalUs: 1_000_000,
  opensWithoutIndex: true,
  fundingIntervalUs: 28_800_000_000,
  rewardIntervalUs: 5_000_000,
};
const alone = { matcherCount: 1, matcherOf: () => 0, ...intervals };

/** Returns a clearing engine without matchers: the test sends their answers itself. */
function bareClearing(matcherCount = 2) {
  const state = new VenueState(testMarkets);
  const said: { reason: number; lastSeq: number }[] = [];
  const written: number[] = [];
  const requested: { market: number; slot: number; generation: number }[] = [];
  const output = {
    request: (
      _: number,
      __: MatchLane,
      { market, slot, generation }: { market: number; slot: number; generation: number },
    ) => requested.push({ market, slot, generation }),
    event: ({ kind }: { kind: number }) => written.push(kind),
    reply: ({ reason, lastSeq }: { reason: number; lastSeq: number }) =>
      said.push({ reason, lastSeq }),
  };
  const clearing = new Clearing({
    state,
    output,
    matcherCount,
    matcherOf: (market) => market % matcherCount,
    ...intervals,
  });
  // A separate venue that only stamps commands.
  const stamp = new TestVenue({ state: new VenueState(testMarkets) });
  const take = (command: Parameters<TestVenue["command"]>[0]) =>
    clearing.handle(stamp.command(command));
  const open = () => {
    take({ kind: CommandKind.openAccount, accountType: 0 });
    const account = state.accounts.next - 1;
    const money = { wallet: Wallet.perp, asset: 0, amount: 10n ** 12n, isFromFaucet: false };
    take({ kind: CommandKind.credit, account, ...money });
    return account;
  };
  return { state, clearing, said, written, asked: requested, take, open };
}

test("an order that is with its matcher has written no event", () => {
  const { state, clearing, take, open, written, asked: requested } = bareClearing();
  const account = open();
  const before = written.length;
  take(orderCommand({ account, market: btcPerp, side: Side.buy, price: 10_000, qty: 5 }));
  assert.equal(written.length, before);
  assert.equal(state.nextOrderId, 1, "ids are given when the matcher has answered");
  assert.equal(clearing.inFlight, 1);
  const [{ slot, generation } = { slot: -1, generation: -1 }] = requested;
  clearing.ended(btcPerp, slot, generation, MatchLane.orders, MatchOutcome.rested, 5, 10_000, 0);
  assert.equal(written.at(-1), EventKind.orderAccepted);
  assert.equal(clearing.inFlight, 0);
});

test("the hold of an order in flight counts for the next command", () => {
  const venue = new TestVenue();
  const account = venue.fund(15n * oneUsdc);
  const order = orderCommand({ account, market: ccUsdc, side: Side.buy, price: 1500, qty: 1000 });
  venue.take(order);
  const second = venue.take(order);
  assert.equal(venue.replyTo(second).reason, RejectReason.insufficientBalance);
  const move = {
    kind: CommandKind.transfer,
    key: null,
    account,
    from: Wallet.spot,
    to: Wallet.funding,
    asset: 0,
    amount: 1n,
  };
  assert.equal(venue.replyTo(venue.take(move)).reason, RejectReason.insufficientBalance);
  venue.machine.settle();
});

test("an order in flight to its matcher already uses its client id and counts toward the limit of 200", () => {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 12n);
  const order = orderCommand({
    account,
    market: btcPerp,
    side: Side.buy,
    price: 10_000,
    qty: 1,
    clientId: "mine",
  });
  venue.take(order);
  assert.equal(venue.replyTo(venue.take(order)).reason, RejectReason.duplicateClientId);
  venue.machine.settle();
  const free = { ...order, clientId: "" };
  for (let count = 1; count < 200; count++) {
    if (!venue.machine.canAccept()) venue.machine.settle();
    venue.take(free);
  }
  assert.equal(venue.replyTo(venue.take(free)).reason, RejectReason.tooManyOpenOrders);
  venue.machine.settle();
});

test("ORD-7 an order that its matcher refuses leaves nothing behind", () => {
  const venue = new TestVenue();
  const [own, other] = [venue.fund(10n ** 12n), venue.fund(10n ** 12n)];
  venue.sell(other, btcPerp, 10_000, 5);
  const before = [stateHash(venue.state), venue.machine.booksHash(), venue.events.length];
  const post = {
    account: own,
    market: btcPerp,
    side: Side.buy,
    price: 10_000,
    qty: 5,
    clientId: "post",
  };
  const reply = venue.place({ ...post, timeInForce: TimeInForce.gtx });
  assert.equal(reply.reason, RejectReason.wouldTake);
  assert.equal(reply.subject, 0);
  assert.deepEqual(
    [stateHash(venue.state), venue.machine.booksHash(), venue.events.length],
    before,
  );
  assert.equal(venue.place({ ...post, price: 9999 }).reason, RejectReason.none, "its id is free");
});

test("JRN-4 a transaction is complete: acceptance, every fill, then the result of the remainder", () => {
  const venue = new TestVenue();
  const [own, other] = [venue.fund(10n ** 13n), venue.fund(10n ** 13n)];
  for (let count = 0; count < 3; count++) venue.sell(other, btcPerp, 10_000 + count, 5);
  venue.events.length = 0;
  venue.buy(own, btcPerp, 10_002, 20, { timeInForce: TimeInForce.ioc });
  assert.deepEqual(
    venue.events.map(({ kind, isTransactionEnd }) => [kind, isTransactionEnd]),
    [
      [EventKind.orderAccepted, false],
      [EventKind.traded, false],
      [EventKind.traded, false],
      [EventKind.traded, false],
      [EventKind.orderClosed, true],
    ],
  );
});

test("ORD-10 the longest transaction fits into the space that the journal reserves", () => {
  const venue = new TestVenue();
  const taker = venue.fund(10n ** 15n);
  for (let seller = 0; seller < 3; seller++) {
    const account = venue.fund(10n ** 15n);
    for (let count = 0; count < 190; count++) venue.sell(account, btcPerp, 10_000, 1);
  }
  venue.events.length = 0;
  venue.buy(taker, btcPerp, 10_000, 570);
  assert.equal(venue.events.length, matchesPerOrderMax + 2);
  const last = venue.events.at(-1);
  assert(last?.kind === EventKind.orderClosed && last.reason === CloseReason.matchesPerOrderMax);
  assert.equal(venue.state.nextTradeId - 1, matchesPerOrderMax);
});

test("ORD-5 ORD-6 a remainder rests, expires or cancels the whole order, as the order's time in force says", () => {
  const venue = new TestVenue();
  const [own, other] = [venue.fund(10n ** 12n), venue.fund(10n ** 12n)];
  const reasons: (number | undefined)[] = [];
  for (const timeInForce of [TimeInForce.gtc, TimeInForce.ioc, TimeInForce.fok]) {
    venue.sell(other, btcPerp, 10_000, 5);
    const id = venue.buy(own, btcPerp, 10_000, 8, { timeInForce });
    const last = venue.events.at(-1);
    reasons.push(last?.kind === EventKind.orderClosed ? last.reason : undefined);
    venue.cancel(own, btcPerp, id);
    venue.send({ kind: CommandKind.cancelAllOrders, account: other, market: btcPerp });
  }
  assert.deepEqual(reasons, [undefined, CloseReason.unfilled, CloseReason.fillOrKill]);
});

test("ORD-11 an order that meets too many orders of its own account expires", () => {
  const { state, clearing, take, open, asked: requested } = bareClearing(1);
  const account = open();
  take(orderCommand({ account, market: btcPerp, side: Side.buy, price: 10_000, qty: 5 }));
  const [{ slot, generation } = { slot: -1, generation: -1 }] = requested;
  clearing.ended(
    btcPerp,
    slot,
    generation,
    MatchLane.orders,
    MatchOutcome.ownSkipsMax,
    5,
    0,
    10_000,
  );
  assert.equal(state.orders.openCount, 0);
  assert.equal(state.nextOrderId, 2);
});

test("no matcher lane ever has more requests than its matcher can answer without waiting", () => {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 14n);
  const order = orderCommand({ account, market: btcPerp, side: Side.buy, price: 10_000, qty: 1 });
  for (let count = 0; count < matcherCreditsMax; count++) {
    assert(venue.machine.canAccept());
    venue.take(order);
  }
  assert(!venue.machine.canAccept());
  assert.throws(() => venue.take(order), AssertionFailure);
  assert.throws(
    () => venue.take({ kind: CommandKind.barrier }),
    AssertionFailure,
    "other commands are not taken either",
  );
  venue.machine.answerNext(0, MatchLane.orders);
  assert(venue.machine.canAccept());
  venue.machine.settle();
});

test("replies of two matchers may interleave between single fills", () => {
  const { state, clearing, take, open, asked: requested } = bareClearing(2);
  const [own, other] = [open(), open()];
  const answer = (at: number, outcome: MatchOutcome, remaining: number) => {
    const one = requested[at] ?? { market: -1, slot: -1, generation: -1 };
    clearing.ended(
      one.market,
      one.slot,
      one.generation,
      MatchLane.orders,
      outcome,
      remaining,
      0,
      0,
    );
  };
  for (const market of [btcPerp, ethPerp]) {
    take(orderCommand({ account: other, market, side: Side.sell, price: 10_000, qty: 5 }));
    answer(requested.length - 1, MatchOutcome.rested, 5);
    take(orderCommand({ account: other, market, side: Side.sell, price: 10_000, qty: 5 }));
    answer(requested.length - 1, MatchOutcome.rested, 5);
  }
  for (const market of [btcPerp, ethPerp]) {
    take(orderCommand({ account: own, market, side: Side.buy, price: 10_000, qty: 10 }));
  }
  const [makerOne = -1, makerTwo = -1, makerThree = -1, makerFour = -1] = requested.map(
    ({ slot }) => slot,
  );
  const [takerOne = -1, takerTwo = -1] = requested.slice(4).map(({ slot }) => slot);
  clearing.filled(takerOne, makerOne, 10_000, 5);
  clearing.filled(takerTwo, makerThree, 10_000, 5);
  clearing.filled(takerOne, makerTwo, 10_000, 5);
  clearing.filled(takerTwo, makerFour, 10_000, 5);
  answer(5, MatchOutcome.filled, 0);
  answer(4, MatchOutcome.filled, 0);
  assert.equal(state.positions.qty(own, btcPerp), 10);
  assert.equal(state.positions.qty(own, ethPerp), 10);
  assert.equal(state.orders.openCount, 0);
});

test("an answer that contradicts its request stops the thread", () => {
  const wrong: ((slot: number, generation: number, clearing: Clearing) => void)[] = [
    (slot, generation, clearing) =>
      clearing.ended(btcPerp, slot, generation + 1, MatchLane.orders, MatchOutcome.rested, 5, 0, 0),
    (slot, generation, clearing) =>
      clearing.ended(btcPerp, slot, generation, MatchLane.cancels, MatchOutcome.cancelled, 5, 0, 0),
    (slot, generation, clearing) =>
      clearing.ended(btcPerp, slot, generation, MatchLane.orders, MatchOutcome.rested, 4, 0, 0),
    (slot, generation, clearing) =>
      clearing.ended(btcPerp, slot, generation, MatchLane.orders, MatchOutcome.cancelled, 5, 0, 0),
    (slot, generation, clearing) =>
      clearing.ended(btcPerp, slot, generation, MatchLane.orders, MatchOutcome.filled, 5, 0, 0),
  ];
  for (const answer of wrong) {
    const { clearing, take, open, asked: requested } = bareClearing();
    const account = open();
    take(orderCommand({ account, market: btcPerp, side: Side.buy, price: 10_000, qty: 5 }));
    const [{ slot, generation } = { slot: -1, generation: -1 }] = requested;
    assert.throws(() => answer(slot, generation, clearing), AssertionFailure);
  }
});

test("an order's command is kept unchanged until its matcher has answered", () => {
  const venue = new TestVenue();
  const [account, seller] = [venue.fund(10n ** 12n), venue.fund(10n ** 12n)];
  venue.sell(seller, btcPerp, 10_000, 5);
  const buy = { account, market: btcPerp, side: Side.buy, clientId: "mine" };
  const command = Object.freeze(venue.command(orderCommand({ ...buy, price: 10_000, qty: 8 })));
  venue.machine.take(command);
  const other = venue.take(orderCommand({ ...buy, price: 9000, qty: 3, clientId: "later" }));
  venue.machine.settle();
  const accepted = venue.events.filter(({ kind }) => kind === EventKind.orderAccepted);
  assert.deepEqual(
    accepted.slice(-2).map((one) => "clientId" in one && [one.qty, one.clientId]),
    [
      [8, "mine"],
      [3, "later"],
    ],
  );
  assert(venue.replyTo(command.correlation).subject < venue.replyTo(other).subject);
});

test("an order by quote amount gets its lots without a change of its command", () => {
  const venue = new TestVenue();
  const [account, seller] = [venue.fund(1000n * oneUsdc), venue.open()];
  venue.credit(seller, Wallet.spot, 1, 1000n * 10n ** 8n);
  venue.sell(seller, ccUsdc, 1500, 10_000);
  const buy = { account, market: ccUsdc, side: Side.buy, type: OrderType.market };
  const ask = orderCommand({ ...buy, qty: 0, quoteQty: 20n * oneUsdc });
  const command = Object.freeze(venue.command(ask));
  venue.machine.take(command);
  venue.machine.settle();
  const accepted = venue.events.findLast(({ kind }) => kind === EventKind.specialAccepted);
  assert(accepted?.kind === EventKind.specialAccepted && accepted.qty > 0);
  assert.equal("qty" in command && command.qty, 0);
});

test("a venue whose clock is before the time of its last event accepts commands", () => {
  const { state, clearing, said, open } = bareClearing();
  open();
  const output = {
    request() {},
    event() {},
    reply: ({ reason }: Reply) => said.push({ reason, lastSeq: 0 }),
  };
  assert(clearing.canAccept());
  const later = new Clearing({ ...alone, state, output });
  const atUs = state.tsUs - 3_600_000_000;
  const stamp = { source: 0, correlation: 1, account: 0, atUs, deadlineUs: atUs + 1_000_000 };
  later.handle({ ...stamp, kind: CommandKind.tick });
  later.handle({ ...stamp, kind: CommandKind.openAccount, accountType: 0 });
  assert.equal(said.at(-1)?.reason, RejectReason.none);
});

test("JRN-2 every reply, also a refusal, carries the last seq at the time of its decision", () => {
  const venue = new TestVenue({ onReply: (reply) => assert.equal(reply.lastSeq, venue.state.seq) });
  const account = venue.fund(10n ** 12n);
  const order = {
    account,
    market: btcPerp,
    side: Side.buy,
    price: 10_000,
    qty: 5,
    clientId: "mine",
  };
  const placed = venue.place(order);
  assert.equal(placed.lastSeq, venue.events.at(-1)?.seq, "its own transaction included");
  assert.equal(venue.place(order).reason, RejectReason.duplicateClientId);
  assert.equal(venue.place({ ...order, type: OrderType.market, qty: 0 }).lastSeq, placed.lastSeq);
  venue.cancel(account, btcPerp, 99);
  venue.cancel(account, btcPerp, placed.subject);
  venue.send({ kind: CommandKind.barrier });
  assert(venue.replies.length > 7);
});

test("clearing refuses a state that does not remember client ids", () => {
  const state = new VenueState(testMarkets, { remembersClientIds: false });
  const output = { request() {}, event() {}, reply() {} };
  assert.throws(() => new Clearing({ ...alone, state, output }), AssertionFailure);
});
