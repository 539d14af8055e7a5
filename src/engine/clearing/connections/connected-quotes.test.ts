// Proves that mass quotes over a connection that cancels on disconnect belong to it as single orders do: what is placed is
// bound, what is amended stays as it was, and nothing of a lost connection is left in the book.

import assert from "node:assert/strict";
import { test } from "node:test";
import { quoteCommand } from "../../../../test/support/machine/quote-command.ts";
import { testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { OriginLane } from "../../../core/command-identity.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { quoteEventsMax, quotesMax } from "../../../core/limits.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { CloseReason } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { apply } from "../../state/apply/apply.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../state/venue-state.ts";
import { stateHash } from "../../state-hash.ts";

function scene() {
  const venue = new TestVenue();
  const maker = venue.fund(10n ** 13n);
  const connection = venue.done({ kind: CommandKind.openConnection, account: maker, keyId: 5 });
  return { venue, maker, connection };
}

function ended(account: number, connectionId: number, keepsOrders = false) {
  return { kind: CommandKind.endConnection, account, connectionId, keepsOrders } as const;
}

/** The prices of the account's open orders. */
function pricesOf({ state: { orders } }: TestVenue): number[] {
  return [...orders.openSlots()].map((slot) => orders.price[slot] ?? 0).sort((a, b) => a - b);
}

function closeReasons({ events }: TestVenue): CloseReason[] {
  return events.flatMap((event) => (event.kind === EventKind.orderClosed ? [event.reason] : []));
}

/** A pair around 10,000 with this distance. */
function pair(away: number): readonly [readonly [number, number], readonly [number, number]] {
  return [
    [10_000 - away, 10],
    [10_000 + away, 10],
  ];
}

test("QUO-9 COD-2 the quotes of a lost connection are cancelled, and no others", () => {
  const { venue, maker, connection } = scene();
  venue.done(quoteCommand(maker, [pair(100)]));
  venue.done({ ...quoteCommand(maker, [[undefined, undefined], pair(200)]), connection });
  venue.done(ended(maker, connection));
  assert.deepEqual(pricesOf(venue), [9900, 10_100]);
  const { disconnected } = CloseReason;
  assert.deepEqual(closeReasons(venue), [disconnected, disconnected]);
});

test("QUO-9 COD-3 an amended side stays with the connection that placed it, or with none", () => {
  const { venue, maker, connection } = scene();
  const other = venue.done({ kind: CommandKind.openConnection, account: maker, keyId: 5 });
  venue.done(quoteCommand(maker, [[[9900, 10], undefined]]));
  venue.done({ ...quoteCommand(maker, [[undefined, [10_100, 10]]]), connection });
  venue.done({ ...quoteCommand(maker, [pair(110)]), connection: other });
  venue.done(ended(maker, other));
  assert.deepEqual(pricesOf(venue), [9890, 10_110]);
  venue.done(ended(maker, connection));
  assert.deepEqual(pricesOf(venue), [9890]);
});

for (const answered of [0, 1, 3]) {
  test(`QUO-9 COD-5 nothing of a mass quote stays if the connection is lost after ${answered} of its answers`, () => {
    const { venue, maker, connection } = scene();
    venue.done({ ...quoteCommand(maker, [pair(100)]), connection });
    const quote = venue.take({ ...quoteCommand(maker, [pair(110), pair(200)]), connection });
    for (let count = 0; count < answered; count++) venue.machine.answerNext(0, MatchLane.orders);
    venue.take(ended(maker, connection));
    venue.machine.settle();
    assert.equal(venue.replyTo(quote).reason, RejectReason.none);
    assert.deepEqual(pricesOf(venue), []);
    assert.deepEqual(venue.state.connections.bound(), []);
  });
}

test("QUO-9 COD-5 a mass quote that arrives after the loss is refused and changes nothing", () => {
  const { venue, maker, connection } = scene();
  venue.done(quoteCommand(maker, [pair(100)]));
  venue.done(ended(maker, connection));
  const { seq } = venue.state;
  for (const late of [[pair(110)], [[null, null] as const]]) {
    const { reason } = venue.send({ ...quoteCommand(maker, late), connection });
    assert.equal(reason, RejectReason.connectionEnded);
  }
  assert.equal(venue.state.seq, seq);
});

test("QUO-9 COD-7 a declaration that the client withdraws keeps its quotes, also those with their matcher", () => {
  const { venue, maker, connection } = scene();
  venue.take({ ...quoteCommand(maker, [pair(100), pair(200)]), connection });
  venue.machine.answerNext(0, MatchLane.orders);
  venue.take(ended(maker, connection, true));
  venue.machine.settle();
  assert.deepEqual(pricesOf(venue), [9800, 9900, 10_100, 10_200]);
  assert.deepEqual(venue.state.connections.bound(), []);
});

test("QUO-5 the largest mass quote is one transaction: each side with its connection, and the recorded result", () => {
  const { venue, maker } = scene();
  const origin = venue.done({ kind: CommandKind.registerOrigin, name: "gateway" });
  const identityOf = (number: number) => {
    return { origin, lane: OriginLane.orders, number, confirmedUpTo: 0 };
  };
  const opening = { kind: CommandKind.openConnection, account: maker, keyId: 5 } as const;
  const connection = venue.done({ ...opening, identity: identityOf(1) });
  const pairs = Array.from({ length: quotesMax }, (_, at) => pair(100 + at));
  const from = venue.events.length;
  const quote = { ...quoteCommand(maker, pairs), connection, identity: identityOf(2) };
  venue.done(quote);
  const written = venue.events.slice(from);
  assert.equal(written.length, quoteEventsMax + 1);
  assert.deepEqual(
    written.map(({ isTransactionEnd }) => isTransactionEnd),
    [...new Array(quoteEventsMax).fill(false), true],
  );
  assert.equal(written.at(-1)?.kind, EventKind.commandDone);
  const replayed = new VenueState(testMarkets);
  for (const event of venue.events) apply(replayed, event);
  assert.equal(stateHash(replayed), stateHash(venue.state));
  const next = new TestVenue({ state: restoreState(testMarkets, captureState(venue.state)) });
  next.machine.begin();
  const late = next.send({ ...quoteCommand(maker, [pair(300)]), identity: identityOf(3) });
  assert.equal(late.reason, RejectReason.stopping, "COD-14: no quotes before the gateway is heard");
});
