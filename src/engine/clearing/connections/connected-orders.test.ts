// Proves what clearing does about order connections that cancel on disconnect: losses and their races with orders and
// amends, withdrawals of declarations, crashes, and gateways that are silent or come back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import {
  type Draft,
  orderCommand,
  TestVenue,
} from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { type CommandIdentity, OriginLane } from "../../../core/command-identity.ts";
import {
  connectionOwnerLostMs,
  connectionOwnerReturnMs,
  connectionsPerAccountMax,
  frontLostMs,
  lostCancelsMax,
} from "../../../core/connection-limits.ts";
import { type Command, CommandKind, type PlaceOrder } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { ordersPerMarketPerAccountMax } from "../../../core/limits.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { CloseReason, OrderType, Side } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { stateHash } from "../../state-hash.ts";

const { ccUsdc } = marketId;
const { disconnected } = CloseReason;

function opened(venue: TestVenue, account: number, more: Partial<Draft> = {}): number {
  return venue.done({ kind: CommandKind.openConnection, account, keyId: 5, ...more } as Draft);
}

function lost(venue: TestVenue, account: number, connectionId: number, keepsOrders = false): void {
  venue.done({ kind: CommandKind.endConnection, account, connectionId, keepsOrders });
}

function bid(account: number, connection: number, more: Partial<PlaceOrder> = {}) {
  const terms = { account, market: ccUsdc, side: Side.buy, price: 1000, qty: 2000 };
  return orderCommand({ ...terms, attached: { key: null, leverage: 0, connection }, ...more });
}

function closes(venue: TestVenue): [number, number][] {
  return venue.events.flatMap((event) =>
    event.kind === EventKind.orderClosed ? [[event.orderId, event.reason] as [number, number]] : [],
  );
}

function tick(venue: TestVenue, ms: number): void {
  const endUs = venue.nowUs + 1000 * ms;
  while (venue.nowUs < endUs) {
    venue.nowUs += 9_000;
    const command = venue.command({ kind: CommandKind.tick });
    venue.machine.handle({ ...command, deadlineUs: venue.nowUs });
  }
}

/** A venue that continues from the other's state, as after a crash. */
function restarted(venue: TestVenue): TestVenue {
  const next = new TestVenue({ state: restoreState(testMarkets, captureState(venue.state)) });
  next.nowUs = venue.nowUs;
  next.machine.begin();
  return next;
}

test("COD-2 a lost connection cancels its orders, and only these, each in a transaction of its own", () => {
  const venue = new TestVenue();
  const [account, other] = [venue.fund(10n ** 12n), venue.fund(10n ** 12n)];
  const [one, two] = [opened(venue, account), opened(venue, account)];
  assert.deepEqual([one, two], [1, 2]);
  const mine = [venue.done(bid(account, one)), venue.done(bid(account, one, { price: 990 }))];
  const kept = [
    venue.done(bid(account, two)),
    venue.done(bid(account, 0)),
    venue.done(bid(other, 0)),
  ];
  lost(venue, account, one);
  assert.deepEqual(
    closes(venue),
    mine.map((id) => [id, disconnected]),
  );
  const ends = venue.events.filter(({ kind }) => kind === EventKind.orderClosed);
  assert.ok(ends.every(({ isTransactionEnd }) => isTransactionEnd));
  for (const id of kept) assert.ok(venue.state.orders.slotOf(id) >= 0);
  lost(venue, account, two);
  assert.deepEqual(closes(venue).at(-1), [kept[0], disconnected]);
  assert.equal(venue.state.connections.count, 0);
  assert.deepEqual(venue.state.connections.bound(), []);
});

test("COD-2 a waiting conditional order is cancelled too, and an order that traded meanwhile is not", () => {
  const venue = new TestVenue();
  const [account, other] = [venue.fund(10n ** 12n), venue.fund(10n ** 12n)];
  venue.credit(other, Wallet.spot, 1, 10n ** 12n);
  const connection = opened(venue, account);
  venue.sell(other, ccUsdc, 1100, 2000);
  venue.buy(account, ccUsdc, 1100, 1000);
  const stop = bid(account, connection, { type: OrderType.stop, triggerPrice: 1200, price: 1250 });
  const waiting = venue.done(stop);
  const filled = venue.done(bid(account, connection));
  venue.sell(other, ccUsdc, 1000, 2000);
  assert.ok(venue.state.orders.slotOf(filled) < 0, "it is filled");
  lost(venue, account, connection);
  assert.deepEqual(closes(venue), [[waiting, disconnected]]);
});

test("COD-2 others trade while thousands of lost orders are cancelled, many of them at a time", () => {
  const venue = new TestVenue();
  const other = venue.fund(10n ** 12n);
  const lostOnes = Array.from({ length: 20 }, () => {
    const account = venue.fund(10n ** 12n);
    const connectionId = opened(venue, account);
    for (let at = 0; at < ordersPerMarketPerAccountMax; at++)
      venue.done(bid(account, connectionId, { price: 500 + at }));
    return { account, connectionId };
  });
  for (const one of lostOnes) {
    assert(venue.machine.canAccept(), "the next loss need not wait for the cancels of this one");
    venue.take({ kind: CommandKind.endConnection, ...one, keepsOrders: false });
  }
  const order = venue.take(bid(other, 0));
  venue.machine.answerNext(0, MatchLane.orders);
  assert.equal(venue.replyTo(order).reason, RejectReason.none);
  assert.deepEqual(closes(venue), []);
  let least = lostCancelsMax;
  const all = lostOnes.length * ordersPerMarketPerAccountMax;
  for (let cancels = 0; cancels < all - lostCancelsMax; cancels++) {
    assert(venue.machine.canAccept(), "clearing goes on to take commands");
    least = Math.min(least, venue.machine.waiting(0, MatchLane.cancels));
    venue.machine.answerNext(0, MatchLane.cancels);
  }
  assert.equal(least, lostCancelsMax, "so many cancels are always under way");
  venue.machine.settle();
  assert.equal(closes(venue).length, all);
});

test("COD-5 an order that is with its matcher when its connection is lost is cancelled when it rests", () => {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 12n);
  const connection = opened(venue, account);
  const placed = venue.take(bid(account, connection));
  venue.take({
    kind: CommandKind.endConnection,
    account,
    connectionId: connection,
    keepsOrders: false,
  });
  venue.machine.settle();
  const reply = venue.replyTo(placed);
  assert.equal(reply.reason, RejectReason.none);
  assert.deepEqual(closes(venue), [[reply.subject, disconnected]]);
});

test("COD-5 an order or amend that arrives after the loss is refused and changes nothing", () => {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 12n);
  const connection = opened(venue, account);
  const free = venue.done(bid(account, 0));
  lost(venue, account, connection);
  const { seq } = venue.state;
  assert.equal(venue.send(bid(account, connection)).reason, RejectReason.connectionEnded);
  const amend = { kind: CommandKind.amendOrder, account, market: ccUsdc, orderId: free } as const;
  const amended = venue.send({ ...amend, clientId: "", price: 900, qty: 2000, connection });
  assert.equal(amended.reason, RejectReason.connectionEnded);
  assert.equal(venue.send(bid(account, 77)).reason, RejectReason.connectionEnded, "never declared");
  assert.equal(venue.state.seq, seq);
  assert.equal(
    venue.cancel(account, ccUsdc, free).reason,
    RejectReason.none,
    "cancels always pass",
  );
});

test("COD-5 another account cannot use a connection", () => {
  const venue = new TestVenue();
  const [account, other] = [venue.fund(10n ** 12n), venue.fund(10n ** 12n)];
  const connection = opened(venue, account);
  assert.equal(venue.send(bid(other, connection)).reason, RejectReason.connectionEnded);
});

for (const [name, isFirst] of [
  ["before", true],
  ["after", false],
] as const) {
  test(`COD-5 an amend in flight at the loss does not save the order: the cancel is answered ${name} it`, () => {
    const venue = new TestVenue();
    const account = venue.fund(10n ** 12n);
    const connection = opened(venue, account);
    const orderId = venue.done(bid(account, connection));
    const amend = { kind: CommandKind.amendOrder, account, market: ccUsdc, orderId } as const;
    venue.take({ ...amend, clientId: "", price: 990, qty: 2500, connection });
    venue.take({
      kind: CommandKind.endConnection,
      account,
      connectionId: connection,
      keepsOrders: false,
    });
    venue.machine.answerNext(0, isFirst ? MatchLane.cancels : MatchLane.orders);
    venue.machine.settle();
    assert.deepEqual(closes(venue), [[orderId, disconnected]]);
    assert.equal(venue.state.orders.openCount, 0);
  });
}

test("COD-7 a declaration that the client withdraws keeps the orders, also those with their matcher", () => {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 12n);
  const connection = opened(venue, account);
  const resting = venue.done(bid(account, connection));
  const placed = venue.take(bid(account, connection));
  venue.take({
    kind: CommandKind.endConnection,
    account,
    connectionId: connection,
    keepsOrders: true,
  });
  venue.machine.settle();
  const open = [resting, venue.replyTo(placed).subject];
  lost(venue, account, connection);
  assert.deepEqual(closes(venue), []);
  for (const id of open) assert.ok(venue.state.orders.slotOf(id) >= 0);
  assert.deepEqual(venue.state.connections.bound(), []);
});

test("COD-8 an account declares a limited number of connections, and an unknown one none", () => {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 12n);
  for (let count = 0; count < connectionsPerAccountMax; count++) opened(venue, account);
  const open = { kind: CommandKind.openConnection, account, keyId: 5 } as const;
  assert.equal(venue.send(open).reason, RejectReason.tooManyConnections);
  assert.equal(venue.send({ ...open, account: 99 }).reason, RejectReason.unknownAccount);
  lost(venue, account, 7);
  assert.equal(venue.send(open).reason, RejectReason.none);
});

test("COD-10 after a crash the connections of fronts end and their orders are cancelled before any command", () => {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 12n);
  const connection = opened(venue, account, { source: 3 });
  const ids = Array.from({ length: 150 }, (_, at) =>
    venue.done(bid(account, connection, { price: 500 + at })),
  );
  const free = venue.done(bid(account, 0));
  const next = new TestVenue({ state: restoreState(testMarkets, captureState(venue.state)) });
  assert.equal(stateHash(next.state), stateHash(venue.state));
  next.machine.begin();
  assert.equal(next.machine.canAccept(), true);
  assert.deepEqual(
    closes(next),
    ids.map((id) => [id, disconnected]),
  );
  assert.equal(next.events[0]?.kind, EventKind.connectionEnded);
  assert.ok(next.state.orders.slotOf(free) >= 0);
});

test("COD-10 a crash between the loss and the last cancel loses no cancel", () => {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 12n);
  const connection = opened(venue, account);
  const ids = Array.from({ length: 100 }, (_, at) =>
    venue.done(bid(account, connection, { price: 500 + at })),
  );
  venue.take({
    kind: CommandKind.endConnection,
    account,
    connectionId: connection,
    keepsOrders: false,
  });
  venue.machine.answerNext(0, MatchLane.cancels);
  const done = closes(venue).length;
  assert.ok(done > 0 && done < ids.length);
  assert.equal(closes(restarted(venue)).length, ids.length - done);
});

const gateway = { origin: 1, lane: OriginLane.orders, confirmedUpTo: 0 };

function withGateway(): { venue: TestVenue; account: number; connection: number; order: number } {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 12n);
  venue.done({ kind: CommandKind.registerOrigin, name: "gateway" });
  let number = 0;
  const identity = (): CommandIdentity => ({ ...gateway, number: ++number });
  const connection = opened(venue, account, { identity: identity() } as Partial<Draft>);
  const order = venue.done({ ...bid(account, connection), identity: identity() });
  return { venue, account, connection, order };
}

const sign: Draft<Extract<Command, { kind: typeof CommandKind.signOfLife }>> = {
  kind: CommandKind.signOfLife,
  origin: 1,
  front: 0,
};

function take(venue: TestVenue, draft: Draft): void {
  venue.machine.handle(venue.command(draft));
}

test("COD-12 a change of leader alone cancels nothing: a gateway that comes back keeps its connections", () => {
  const { venue, account, connection } = withGateway();
  const next = restarted(venue);
  const held = next.send(bid(account, 0));
  assert.equal(held.reason, RejectReason.stopping, "no order before the gateway is heard");
  tick(next, 500);
  take(next, sign);
  assert.equal(next.send(bid(account, 0)).reason, RejectReason.none);
  for (let count = 0; count < 30; count++) {
    tick(next, 300);
    take(next, sign);
  }
  assert.deepEqual(closes(next), []);
  assert.ok(next.state.connections.get(connection) !== undefined);
});

test("COD-14 orders wait until a gateway that did not come back has lost its connections", () => {
  const { venue, account, order } = withGateway();
  const next = restarted(venue);
  tick(next, connectionOwnerReturnMs - 200);
  assert.equal(next.send(bid(account, 0)).reason, RejectReason.stopping);
  tick(next, 400);
  assert.deepEqual(closes(next), [[order, disconnected]]);
  assert.equal(next.send(bid(account, 0)).reason, RejectReason.none);
});

test("COD-14 a trigger waits too, because it could trade with orders of a gateway that is dead", () => {
  const { venue, order } = withGateway();
  const other = venue.fund(10n ** 12n);
  venue.credit(other, Wallet.spot, 1, 10n ** 15n);
  const buyer = venue.fund(10n ** 12n);
  const trade = (price: number) => {
    venue.sell(other, ccUsdc, price, 2000);
    return { ...bid(buyer, 0, { price }), attached: null };
  };
  venue.done(trade(1200));
  const conditional = { type: OrderType.stop, triggerPrice: 1100 };
  const stop = venue.sell(other, ccUsdc, 900, 2000, conditional);
  // The crash comes after the fill that meets the trigger, and before the matcher has answered the triggered order.
  venue.take(trade(1100));
  venue.machine.answerNext(0, MatchLane.orders);
  const next = restarted(venue);
  tick(next, connectionOwnerReturnMs - 200);
  assert.deepEqual(next.events, []);
  tick(next, 400);
  assert.deepEqual(closes(next), [[order, disconnected]]);
  const triggered = next.events.filter(({ kind }) => kind === EventKind.orderTriggered);
  assert.equal(triggered.length, 1);
  assert.ok(next.state.orders.slotOf(stop) >= 0, "it rests, because nobody is left to trade with");
});

test("COD-11 a silent gateway has lost its connections within a second, and its late commands fail", () => {
  const { venue, account, connection, order } = withGateway();
  tick(venue, connectionOwnerLostMs - 100);
  take(venue, sign);
  tick(venue, connectionOwnerLostMs - 100);
  assert.deepEqual(closes(venue), []);
  tick(venue, 200);
  assert.deepEqual(closes(venue), [[order, disconnected]]);
  const late = { ...bid(account, connection), identity: { ...gateway, number: 9 } };
  assert.equal(venue.send(late).reason, RejectReason.connectionEnded);
});

test("COD-11 a front that hangs for three seconds has lost its connections, one that pauses has not", () => {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 12n);
  const order = venue.done(bid(account, opened(venue, account)));
  tick(venue, frontLostMs - 200);
  assert.deepEqual(closes(venue), []);
  tick(venue, 400);
  assert.deepEqual(closes(venue), [[order, disconnected]]);
});

test("COD-11 a pause of the leader is not the silence of its gateways", () => {
  const { venue } = withGateway();
  tick(venue, 20);
  venue.nowUs += 10_000_000;
  tick(venue, 20);
  take(venue, sign);
  tick(venue, 300);
  assert.deepEqual(closes(venue), []);
});
