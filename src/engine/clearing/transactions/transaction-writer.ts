// Numbers and timestamps events, applies them to the live state and outputs them in one sequence for the whole venue;
// also sends the replies. A transaction is written without interruption; its last event has isTransactionEnd. Every
// reply, including a refusal, contains the last seq issued when it was decided. A reply is sent only after that seq is
// durable, and with it everything that the reply depends on.
//
// Each kind of order event has its own method, which calls the same functions as `apply`, so that each path is compiled
// for one shape of object only. The times of commands, from which those of events follow, are kept here too.

import { assert } from "../../../core/assert.ts";
import type { CommandIdentity } from "../../../core/command-identity.ts";
import { type Command, CommandKind } from "../../../core/generated/commands.ts";
import {
  type CommandDone,
  emptyCommandDone,
  type IcebergAccepted,
  type MatchPrevented,
  type OrderAccepted,
  type OrderClosed,
  type SpecialAccepted,
  type Traded,
  type VenueEvent,
} from "../../../core/generated/events.ts";
import type { Reply } from "../../../core/generated/messages.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { advance, applyNonOrderEvent, type NonOrderEvent } from "../../state/apply/apply.ts";
import { applyGateway } from "../../state/apply/command-posting.ts";
import {
  changeOrder,
  checkPrevented,
  type OrderChange,
  openSpecial,
} from "../../state/apply/order-changes.ts";
import { closeUnfilled, openOrder, trade } from "../../state/apply/order-posting.ts";
import type { StateObserver } from "../../state/state-observer.ts";
import type { VenueState } from "../../state/venue-state.ts";
import { SeenCommands, type TracelessAnswer } from "./seen-commands.ts";

/** Identifies the requester of a command. */
export interface Requester {
  readonly source: number;
  readonly correlation: number;
  /** Null or absent for the venue's own threads, which send nothing twice. */
  readonly identity?: CommandIdentity | null;
}

/** Receives events and replies. Implementations must not keep them: one object per kind is reused. */
export interface TransactionOutput {
  event(event: VenueEvent): void;
  reply(reply: Reply): void;
}

export class TransactionWriter {
  /**
   * Whether the venue may have its own work to do, such as triggers and cancels. Every event sets this flag, except the
   * acceptance of an order without options; clearing sets the flag if such an order comes to rest in a market that
   * stopped trading. Clearing resets it when no work is waiting.
   */
  mayHaveWork = true;
  /** Commands of gateways that are in flight, or were answered without a recorded result. */
  readonly seen: SeenCommands;
  /** Whether the next transaction ends with `#result`. */
  #hasResult = false;
  readonly #result: CommandDone = emptyCommandDone();
  readonly #state: VenueState;
  readonly #output: TransactionOutput;
  readonly #observer: StateObserver;
  readonly #reply: Reply = {
    source: 0,
    correlation: 0,
    reason: 0,
    lastSeq: 0,
    subject: 0,
    isRepeated: false,
  };

  /** `observer` is notified of what each event touched. */
  constructor(state: VenueState, output: TransactionOutput, observer: StateObserver) {
    this.#state = state;
    this.#output = output;
    this.#observer = observer;
    this.seen = new SeenCommands(state);
  }

  /** Replies with the last seq issued, so that the reply waits for everything decided so far. Spec JRN-2. */
  answer(requester: Requester, reason: RejectReason, subject: number): void {
    const reply = this.#reply;
    reply.source = requester.source;
    reply.correlation = requester.correlation;
    reply.reason = reason;
    reply.lastSeq = this.#state.seq;
    reply.subject = subject;
    reply.isRepeated = false;
    const { identity = null } = requester;
    if (identity !== null) this.#conclude(identity, reply);
    this.#output.reply(reply);
  }

  /** Replies to a repeated request with the result of the first. */
  repeat({ source, correlation, identity = null }: Requester, subject: number): void {
    const { seq: lastSeq } = this.#state;
    const { none: reason } = RejectReason;
    if (identity !== null) {
      this.seen.lane(identity.origin, identity.lane).inFlight.delete(identity.number);
    }
    this.#output.reply({ source, correlation, reason, lastSeq, subject, isRepeated: true });
  }

  /** Replies to a gateway's command that was sent again: the same as the first time. */
  answerAgain({ source, correlation }: Requester, answer: TracelessAnswer): void {
    this.#output.reply({ source, correlation, ...answer, isRepeated: false });
  }

  /**
   * Makes the next transaction, which must follow, end with the result of a gateway's command or of one step of it. The
   * reply must have this `subject`. Does nothing for a command without an identity, or whose origin has ended meanwhile:
   * nobody can send it again.
   */
  records(identity: CommandIdentity | null | undefined, subject: number, isFinished = true): void {
    if (identity === null || identity === undefined) return;
    if (!this.#state.commandResults.isLiving(identity.origin)) return;
    assert(!this.#hasResult, "a transaction must end with one result");
    this.#hasResult = true;
    const result = this.#result;
    result.origin = identity.origin;
    result.lane = identity.lane;
    result.number = identity.number;
    result.confirmedUpTo = identity.confirmedUpTo;
    result.subject = subject;
    result.isFinished = isFinished;
  }

  /** Writes the result of a gateway's command as a transaction without other events. */
  recordAlone(identity: CommandIdentity, subject: number, atUs: number): void {
    this.records(identity, subject);
    if (this.#hasResult) this.#endWithResult(atUs);
  }

  /** Writes the acceptance of the order in `slot`, from a command stamped `atUs`. */
  accepted(event: OrderAccepted, slot: number, atUs: number, isTransactionEnd: boolean): void {
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isTransactionEnd = isTransactionEnd && !this.#hasResult;
    advance(this.#state, event.seq, event.tsUs);
    openOrder(this.#state, event, this.#observer, slot);
    this.#output.event(event);
    if (isTransactionEnd && this.#hasResult) this.#endWithResult(atUs);
  }

  traded(event: Traded, atUs: number, isTransactionEnd: boolean): void {
    this.mayHaveWork = true;
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isTransactionEnd = isTransactionEnd && !this.#hasResult;
    advance(this.#state, event.seq, event.tsUs);
    trade(this.#state, event, this.#observer);
    this.#output.event(event);
    if (isTransactionEnd && this.#hasResult) this.#endWithResult(atUs);
  }

  /** Writes the acceptance of the special order (one with options) in `slot`. */
  special(
    event: SpecialAccepted | IcebergAccepted,
    slot: number,
    atUs: number,
    isTransactionEnd: boolean,
  ): void {
    this.mayHaveWork = true;
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isTransactionEnd = isTransactionEnd && !this.#hasResult;
    advance(this.#state, event.seq, event.tsUs);
    openSpecial(this.#state, event, this.#observer, slot);
    this.#output.event(event);
    if (isTransactionEnd && this.#hasResult) this.#endWithResult(atUs);
  }

  /** Writes a change of an open order. */
  changed(event: OrderChange, atUs: number, isTransactionEnd: boolean): void {
    this.mayHaveWork = true;
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isTransactionEnd = isTransactionEnd && !this.#hasResult;
    advance(this.#state, event.seq, event.tsUs);
    changeOrder(this.#state, event, this.#observer);
    this.#output.event(event);
    if (isTransactionEnd && this.#hasResult) this.#endWithResult(atUs);
  }

  /** Writes a prevented match; the reductions of its orders follow in the transaction. */
  prevented(event: MatchPrevented, atUs: number): void {
    this.mayHaveWork = true;
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isTransactionEnd = false;
    advance(this.#state, event.seq, event.tsUs);
    checkPrevented(this.#state, event);
    this.#output.event(event);
  }

  closed(event: OrderClosed, atUs: number, isTransactionEnd: boolean): void {
    this.mayHaveWork = true;
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isTransactionEnd = isTransactionEnd && !this.#hasResult;
    advance(this.#state, event.seq, event.tsUs);
    closeUnfilled(this.#state, event, this.#observer);
    this.#output.event(event);
    if (isTransactionEnd && this.#hasResult) this.#endWithResult(atUs);
  }

  /** Writes an event that concerns no order, usually as its own transaction. */
  nonOrder(event: NonOrderEvent, atUs: number, isTransactionEnd = true): void {
    this.mayHaveWork = true;
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isTransactionEnd = isTransactionEnd && !this.#hasResult;
    advance(this.#state, event.seq, event.tsUs);
    applyNonOrderEvent(this.#state, event, this.#observer);
    this.#output.event(event);
    if (isTransactionEnd && this.#hasResult) this.#endWithResult(atUs);
  }

  /** Writes the result that the transaction ends with. */
  #endWithResult(atUs: number): void {
    this.#hasResult = false;
    const event = this.#result;
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isTransactionEnd = true;
    advance(this.#state, event.seq, event.tsUs);
    applyGateway(this.#state, event);
    this.#output.event(event);
  }

  /**
   * Completes the first answer to a gateway's command. Its `lastSeq` is that of the recorded result, so that a later
   * answer is equal.
   */
  #conclude(identity: CommandIdentity, reply: Reply): void {
    assert(!this.#hasResult, "the result of a command must be written before its answer");
    const seen = this.seen.lane(identity.origin, identity.lane);
    seen.inFlight.delete(identity.number);
    const result = this.#state.commandResults.resultOf(identity);
    if (result === null) {
      const { reason, subject, lastSeq } = reply;
      seen.answered(identity.number, { reason, subject, lastSeq });
      return;
    }
    assert(
      reply.reason === RejectReason.none && result.isFinished && result.subject === reply.subject,
      "the answer to a command must be its recorded result",
    );
    reply.lastSeq = result.seq;
  }

  /**
   * Event time never goes back: the later of the command's time and one microsecond after the previous event.
   * Spec JRN-11.
   */
  #timeOf(atUs: number): number {
    return Math.max(this.#state.tsUs + 1, atUs);
  }
}

/**
 * The times that clearing knows, from the commands that bring them: the market's, at which events happen, and the edge's,
 * with which deadlines of requests and the ends of sessions and keys are compared. Both are one, except in a venue that
 * can be rewound, whose main thread tells the edge's time before each tick.
 */
export class ClearingTime {
  /** The market's time in µs. V8 keeps a field initialised with a number unboxed. */
  nowUs = 0;
  #edgeUs = 0;
  #tickUs = 0;

  /** Begins at `atUs`, the time of the newest event. */
  constructor(atUs: number) {
    this.nowUs = atUs;
    this.#tickUs = atUs;
  }

  /** Whether the edge has a time of its own. */
  get isTwofold(): boolean {
    return this.#edgeUs > 0;
  }

  /**
   * The edge's time in µs. Where it is another than the market's, it is that of the last tick, so nothing is called late
   * too early: not when the market's time leaps, and not while it is paused and no ticks come. Spec REW-12.
   */
  get edgeUs(): number {
    return this.#edgeUs || this.nowUs;
  }

  /**
   * Takes the time that a command brings. Ticks arrive in order from one clock, so an earlier tick means that the clock was
   * set back. Deadlines then use the earlier time, because otherwise all commands would be late until the clock caught up.
   */
  tell(command: Command): void {
    const { kind, atUs } = command;
    const isTick = kind === CommandKind.tick;
    this.nowUs = isTick && atUs < this.#tickUs ? atUs : Math.max(this.nowUs, atUs);
    if (isTick) this.#tickUs = atUs;
    else if (kind === CommandKind.edgeTime) this.#edgeUs = command.edgeUs;
  }
}
