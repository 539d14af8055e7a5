// Numbers and timestamps events, applies them to the live state and outputs them in one sequence for the whole venue;
// also sends the replies. A transaction is written without interruption; its last event has isTransactionEnd. Every
// reply, including a refusal, contains the last seq issued when it was decided. A reply is sent only after that seq is
// durable, and with it everything that the reply depends on.
//
// Each kind of order event has its own method, which calls the same functions as `apply`, so that each path is compiled
// for one shape of object only.

import type {
  MatchPrevented,
  OrderAccepted,
  OrderClosed,
  SpecialAccepted,
  Traded,
  VenueEvent,
} from "../../../core/generated/events.ts";
import type { Reply } from "../../../core/generated/messages.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { advance, applyNonOrderEvent, type NonOrderEvent } from "../../state/apply/apply.ts";
import {
  changeOrder,
  checkPrevented,
  type OrderChange,
  openSpecial,
} from "../../state/apply/order-changes.ts";
import { closeUnfilled, openOrder, trade } from "../../state/apply/order-posting.ts";
import type { StateObserver } from "../../state/state-observer.ts";
import type { VenueState } from "../../state/venue-state.ts";

/** Identifies the requester of a command. */
export interface Requester {
  readonly source: number;
  readonly correlation: number;
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
  }

  /** Replies with the last seq issued, so that the reply waits for everything decided so far. Spec JRN-2. */
  answer({ source, correlation }: Requester, reason: RejectReason, subject: number): void {
    const reply = this.#reply;
    reply.source = source;
    reply.correlation = correlation;
    reply.reason = reason;
    reply.lastSeq = this.#state.seq;
    reply.subject = subject;
    reply.isRepeated = false;
    this.#output.reply(reply);
  }

  /** Replies to a repeated request with the result of the first. */
  repeat({ source, correlation }: Requester, subject: number): void {
    const { seq: lastSeq } = this.#state;
    const { none: reason } = RejectReason;
    this.#output.reply({ source, correlation, reason, lastSeq, subject, isRepeated: true });
  }

  /** Writes the acceptance of the order in `slot`, from a command stamped `atUs`. */
  accepted(event: OrderAccepted, slot: number, atUs: number, isTransactionEnd: boolean): void {
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isTransactionEnd = isTransactionEnd;
    advance(this.#state, event.seq, event.tsUs);
    openOrder(this.#state, event, this.#observer, slot);
    this.#output.event(event);
  }

  traded(event: Traded, atUs: number, isTransactionEnd: boolean): void {
    this.mayHaveWork = true;
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isTransactionEnd = isTransactionEnd;
    advance(this.#state, event.seq, event.tsUs);
    trade(this.#state, event, this.#observer);
    this.#output.event(event);
  }

  /** Writes the acceptance of the special order (one with options) in `slot`. */
  special(event: SpecialAccepted, slot: number, atUs: number, isTransactionEnd: boolean): void {
    this.mayHaveWork = true;
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isTransactionEnd = isTransactionEnd;
    advance(this.#state, event.seq, event.tsUs);
    openSpecial(this.#state, event, this.#observer, slot);
    this.#output.event(event);
  }

  /** Writes a change of an open order. */
  changed(event: OrderChange, atUs: number, isTransactionEnd: boolean): void {
    this.mayHaveWork = true;
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isTransactionEnd = isTransactionEnd;
    advance(this.#state, event.seq, event.tsUs);
    changeOrder(this.#state, event, this.#observer);
    this.#output.event(event);
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
    event.isTransactionEnd = isTransactionEnd;
    advance(this.#state, event.seq, event.tsUs);
    closeUnfilled(this.#state, event, this.#observer);
    this.#output.event(event);
  }

  /** Writes an event that concerns no order, usually as its own transaction. */
  nonOrder(event: NonOrderEvent, atUs: number, isTransactionEnd = true): void {
    this.mayHaveWork = true;
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isTransactionEnd = isTransactionEnd;
    advance(this.#state, event.seq, event.tsUs);
    applyNonOrderEvent(this.#state, event, this.#observer);
    this.#output.event(event);
  }

  /**
   * Event time never goes back: the later of the command's time and one microsecond after the previous event.
   * Spec JRN-11.
   */
  #timeOf(atUs: number): number {
    return Math.max(this.#state.tsUs + 1, atUs);
  }
}
