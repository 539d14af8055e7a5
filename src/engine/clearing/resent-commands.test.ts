// Commands of gateways that are sent again: what was executed is answered as the first time and not done again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../test/support/machine/test-markets.ts";
import { type Draft, orderCommand, TestVenue } from "../../../test/support/machine/test-venue.ts";
import { type CommandIdentity, OriginLane } from "../../core/command-identity.ts";
import { type Command, CommandKind } from "../../core/generated/commands.ts";
import { type CommandDone, EventKind, type VenueEvent } from "../../core/generated/events.ts";
import type { Reply } from "../../core/generated/messages.ts";
import { originsMax, originWindowMax } from "../../core/limits.ts";
import { OrderType, Side, WorkingPrice } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { apply } from "../state/apply/apply.ts";
import { VenueState } from "../state/venue-state.ts";
import { stateHash } from "../state-hash.ts";

const { btcPerp, ccUsdc } = marketId;

class Gateway {
  readonly origin: number;
  #number = 0;

  constructor(venue: TestVenue, name = "gate") {
    this.origin = venue.done({ kind: CommandKind.registerOrigin, name });
  }

  /** Returns the command with the next number. */
  numbered(venue: TestVenue, draft: Draft, confirmedUpTo = 0): Command {
    this.#number++;
    return { ...venue.command(draft), identity: this.identity(this.#number, confirmedUpTo) };
  }

  identity(number: number, confirmedUpTo = 0): CommandIdentity {
    return { origin: this.origin, lane: OriginLane.orders, number, confirmedUpTo };
  }
}

function buy(account: number, price: number, qty = 1000, market: number = ccUsdc) {
  return orderCommand({ account, market, side: Side.buy, price, qty });
}

/** Sends a whole command and returns its last reply. */
function sent(venue: TestVenue, command: Command): Reply {
  venue.machine.handle(command);
  return venue.replyTo(command);
}

function results(events: readonly VenueEvent[]): CommandDone[] {
  return events.filter((event) => event.kind === EventKind.commandDone);
}

/** A venue that continues after the first `count` events of another. */
function takenOver(venue: TestVenue, count = venue.events.length): TestVenue {
  const state = new VenueState(testMarkets);
  for (const event of venue.events.slice(0, count)) apply(state, event);
  const next = new TestVenue({ state });
  next.nowUs = venue.nowUs;
  return next;
}

function opened(): { venue: TestVenue; account: number; gateway: Gateway } {
  const venue = new TestVenue();
  const account = venue.fund(10_000n * oneUsdc);
  return { venue, account, gateway: new Gateway(venue) };
}

test("CMD-1 a command sent again gets the first answer and does nothing, at this leader and at the next", () => {
  const { venue, account, gateway } = opened();
  const command = gateway.numbered(venue, buy(account, 1500));
  const first = sent(venue, command);
  assert.equal(first.reason, RejectReason.none);
  assert.equal(first.lastSeq, venue.state.seq);
  const hash = stateHash(venue.state);
  for (const leader of [venue, takenOver(venue)]) {
    const events = leader.events.length;
    const late = { ...command, deadlineUs: command.atUs - 1 };
    assert.deepEqual(sent(leader, late), first, "its deadline no longer matters");
    assert.equal(leader.events.length, events);
    assert.equal(stateHash(leader.state), hash);
  }
});

test("CMD-1 the result is the last event of the transaction, and nothing is written for the venue's own threads", () => {
  const { venue, account, gateway } = opened();
  const own = venue.place({ account, market: ccUsdc, side: Side.buy, price: 1500, qty: 1000 });
  assert.equal(results(venue.events).length, 0);
  const seller = venue.fund(10_000n * oneUsdc);
  venue.credit(seller, 1, 1, 10n ** 12n);
  const sell = orderCommand({ account: seller, market: ccUsdc, side: Side.sell, qty: 1500 });
  const before = venue.events.length;
  const reply = sent(venue, gateway.numbered(venue, sell));
  const written = venue.events.slice(before);
  const kinds = [EventKind.orderAccepted, EventKind.traded, EventKind.orderClosed];
  assert.deepEqual(
    written.map(({ kind }) => kind),
    [...kinds, EventKind.commandDone],
  );
  assert.deepEqual(
    written.map(({ isTransactionEnd }) => isTransactionEnd),
    [false, false, false, true],
  );
  assert.equal(results(written)[0]?.subject, reply.subject);
  assert.notEqual(own.subject, reply.subject);
});

test("CMD-1 a refusal leaves no trace: the next leader may decide otherwise, the same one does not", () => {
  const { venue, account, gateway } = opened();
  const command = gateway.numbered(venue, buy(account, 1500, 90_000_000));
  const hash = stateHash(venue.state);
  assert.equal(sent(venue, command).reason, RejectReason.insufficientBalance);
  assert.equal(stateHash(venue.state), hash);
  venue.credit(account, 1, 0, 1_000_000_000n * oneUsdc);
  assert.equal(sent(venue, command).reason, RejectReason.insufficientBalance);
  const next = takenOver(venue);
  assert.equal(sent(next, command).reason, RejectReason.none);
});

test("CMD-1 a command sent again while its matcher has it is executed and answered once", () => {
  const { venue, account, gateway } = opened();
  const command = gateway.numbered(venue, buy(account, 1500));
  venue.machine.take({ ...command });
  venue.machine.take({ ...command });
  venue.machine.settle();
  const answers = venue.replies.filter(({ correlation }) => correlation === command.correlation);
  assert.equal(answers.length, 1);
  assert.equal(venue.state.orders.countOf(account, ccUsdc), 1);
});

test("CMD-1 every kind of command with an effect records the subject of its answer", () => {
  const { venue, account, gateway } = opened();
  const placed = sent(venue, gateway.numbered(venue, buy(account, 1500)));
  const waits = { type: OrderType.stopMarket, triggerPrice: 9_000_000, side: Side.buy, qty: 1 };
  const terms = { market: btcPerp, workingPrice: WorkingPrice.last };
  const key = { high: 1n, low: 2n, payload: 3n };
  const otherKey = { ...key, low: 4n };
  const attached = { key, leverage: 5 };
  const named = { account, market: ccUsdc, clientId: "" };
  const drafts: readonly Draft[] = [
    { kind: CommandKind.amendOrder, ...named, orderId: placed.subject, price: 1490, qty: 2000 },
    { kind: CommandKind.cancelOrder, ...named, orderId: placed.subject },
    orderCommand({ account, ...terms, ...waits }),
    { kind: CommandKind.setCountdown, account, market: ccUsdc, cancelAtUs: venue.nowUs + 10 ** 9 },
    {
      ...orderCommand({ account, market: btcPerp, side: Side.buy, price: 9000, qty: 1 }),
      attached,
    },
    { kind: CommandKind.setLeverage, account, market: btcPerp, leverage: 7 },
    { kind: CommandKind.openAccount, accountType: 0 },
    { kind: CommandKind.transfer, account, from: 1, to: 2, asset: 0, amount: 5n, key: null },
    { kind: CommandKind.transfer, account, from: 2, to: 1, asset: 0, amount: 5n, key: otherKey },
    { kind: CommandKind.openSession, account, sessionId: 5, expiresUs: venue.nowUs + 10 ** 9 },
    { kind: CommandKind.setSessionKey, account, sessionId: 5, keyId: 6 },
    { kind: CommandKind.closeSession, account, sessionId: 5 },
    { kind: CommandKind.settleFunding },
    { kind: CommandKind.cancelAllOrders, account, market: btcPerp },
  ];
  for (const draft of drafts) {
    const command = gateway.numbered(venue, draft);
    const first = sent(venue, command);
    const done = venue.events.at(-1);
    const label = `kind ${draft.kind}: ${JSON.stringify(first)}`;
    const isDone = done?.kind === EventKind.commandDone && done.number === command.identity?.number;
    assert(first.reason === RejectReason.none && isDone, label);
    assert.equal(done.subject, first.subject, label);
    const events = venue.events.length;
    assert.deepEqual(sent(venue, command), first, label);
    assert.equal(venue.events.length, events, label);
  }
});

test("CMD-2 what the origin has confirmed is refused, and what exceeds its window", () => {
  const { venue, account, gateway } = opened();
  const command = venue.command(buy(account, 1500));
  const refusal = (number: number, confirmedUpTo: number) =>
    sent(venue, { ...command, identity: gateway.identity(number, confirmedUpTo) }).reason;
  const { none, commandConfirmed, originWindowFull, unknownOrigin } = RejectReason;
  assert.equal(refusal(originWindowMax + 1, 0), originWindowFull);
  assert.equal(refusal(originWindowMax + 1, 1), none);
  assert.equal(refusal(1, 0), commandConfirmed);
  assert.equal(refusal(0, 0), commandConfirmed);
  assert.equal(refusal(9, 9), commandConfirmed);
  const strange = { ...gateway.identity(1), origin: gateway.origin + 1 };
  assert.equal(sent(venue, { ...command, identity: strange }).reason, unknownOrigin);
});

test("CMD-3 a mass cancel that a change of leader interrupts continues, and its answer counts every order once", () => {
  const { venue, account, gateway } = opened();
  for (let count = 0; count < 5; count++) venue.done(buy(account, 1400 + count));
  const opening = venue.events.length;
  const command = gateway.numbered(venue, {
    ...{ kind: CommandKind.cancelAllOrders, account, market: ccUsdc },
  });
  const first = sent(venue, command);
  assert.equal(first.subject, 5);
  const hash = stateHash(venue.state);
  const ends = venue.events.flatMap(({ isTransactionEnd, seq }) =>
    isTransactionEnd && seq >= opening ? [seq] : [],
  );
  assert.equal(ends.length, 7, "five cancels and the sum, each a transaction");
  for (const end of ends) {
    const next = takenOver(venue, end);
    assert.deepEqual(sent(next, command), first);
    assert.equal(stateHash(next.state), hash);
    assert.deepEqual(next.events, venue.events.slice(end));
  }
});

test("CMD-3 a mass cancel that has begun continues even past its deadline; one that has not is refused", () => {
  const { venue, account, gateway } = opened();
  for (let count = 0; count < 3; count++) venue.done(buy(account, 1400 + count));
  const opening = venue.state.seq;
  const command = gateway.numbered(venue, {
    ...{ kind: CommandKind.cancelAllOrders, account, market: ccUsdc },
  });
  assert.equal(sent(venue, command).subject, 3);
  const [firstStep] = results(venue.events);
  assert(firstStep !== undefined && !firstStep.isFinished);
  for (const end of [opening, firstStep.seq]) {
    const next = takenOver(venue, end);
    next.nowUs = command.deadlineUs + 1;
    const { reason, subject } = sent(next, { ...command, atUs: next.nowUs });
    if (end === opening) assert.equal(reason, RejectReason.deadlinePassed);
    else assert.deepEqual({ reason, subject }, { reason: RejectReason.none, subject: 3 });
  }
});

test("CMD-4 a restarted gateway gets another number, and its earlier one ends with its first confirmed answer", () => {
  const { venue, account, gateway } = opened();
  const old = gateway.numbered(venue, buy(account, 1500));
  const first = sent(venue, old);
  const again = new Gateway(venue);
  assert.equal(again.origin, gateway.origin + 1);
  assert.equal(sent(venue, again.numbered(venue, buy(account, 1501))).reason, RejectReason.none);
  assert.deepEqual(sent(venue, old), first);
  assert.equal(sent(venue, again.numbered(venue, buy(account, 1502), 1)).reason, RejectReason.none);
  assert.equal(sent(venue, old).reason, RejectReason.unknownOrigin);
});

test("CMD-4 an origin may end while its command is in flight; the command is executed and answered", () => {
  const { venue, account, gateway } = opened();
  const again = new Gateway(venue);
  const old = gateway.numbered(venue, buy(account, 1500));
  venue.machine.take(old);
  const cancelAtUs = venue.nowUs + 10 ** 9;
  const one = { kind: CommandKind.setCountdown, account, market: ccUsdc, cancelAtUs } as const;
  venue.machine.take(again.numbered(venue, one));
  venue.machine.take(again.numbered(venue, { ...one, cancelAtUs: cancelAtUs + 1 }, 1));
  assert(!venue.state.commandResults.isLiving(gateway.origin));
  venue.machine.settle();
  assert.equal(venue.replyTo(old).reason, RejectReason.none);
  assert.equal(results(venue.events).length, 2);
});

test("CMD-4 a gateway needs a name, and the venue has room for a limited number", () => {
  const venue = new TestVenue();
  const register = (name: string) => venue.send({ kind: CommandKind.registerOrigin, name }).reason;
  assert.equal(register(""), RejectReason.unknownOrigin);
  for (let count = 0; count < originsMax; count++) assert.equal(register(`g${count}`), 0);
  assert.equal(register("more"), RejectReason.tooManyOrigins);
});
