// The one place that answers. Every reply, refusals included, carries the last seq issued when it
// was decided: what it rests on is then durable before anybody reads it.

import type { Reply } from "../../../core/generated/messages.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { VenueState } from "../../state/venue-state.ts";

/** What identifies the asker of a command. */
export interface Asker {
  readonly source: number;
  readonly correlation: number;
}

export class ReplyWriter {
  readonly #state: VenueState;
  readonly #take: (reply: Reply) => void;
  readonly #reply: Reply = {
    source: 0,
    correlation: 0,
    reason: 0,
    lastSeq: 0,
    subject: 0,
    isRepeated: false,
  };

  /** `take` gets each reply once and must not keep it: one object serves all. */
  constructor(state: VenueState, take: (reply: Reply) => void) {
    this.#state = state;
    this.#take = take;
  }

  /** Answers with all that has been decided so far behind it. Spec JRN-2. */
  answer(asker: Asker, reason: RejectReason, subject: number): void {
    this.#answer(asker, reason, subject, false);
  }

  /** Answers what was asked before with what came of it then. */
  repeat(asker: Asker, subject: number): void {
    this.#answer(asker, RejectReason.none, subject, true);
  }

  #answer(asker: Asker, reason: RejectReason, subject: number, isRepeated: boolean): void {
    const reply = this.#reply;
    reply.source = asker.source;
    reply.correlation = asker.correlation;
    reply.reason = reason;
    reply.lastSeq = this.#state.seq;
    reply.subject = subject;
    reply.isRepeated = isRepeated;
    this.#take(reply);
  }
}
