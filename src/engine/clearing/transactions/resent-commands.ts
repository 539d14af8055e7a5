// Commands of gateways that may have been sent before. One that is finished gets its first answer, one that is still in
// flight is answered once, and one that its origin has confirmed is refused. An unfinished mass cancel, and a command
// without a result, is decided now: a refusal leaves no trace in the journal, so the next leader may decide otherwise.
// The same leader does not: it remembers what it has answered without a trace, because its first answer may be on the
// way.

import { type CommandIdentity, isInWindow } from "../../../core/command-identity.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { Requester, TransactionWriter } from "./transaction-writer.ts";

export interface ResentCommandsParts {
  readonly state: VenueState;
  readonly writer: TransactionWriter;
}

export class ResentCommands {
  readonly #parts: ResentCommandsParts;

  constructor(parts: ResentCommandsParts) {
    this.#parts = parts;
  }

  /**
   * Answers a command that must not be decided: answered before, confirmed, beyond the window of its origin, or of an
   * unknown origin. A command in flight gets no second answer; sent again, it has the source and the correlation of the
   * first. Returns false if the command is to be decided now, and then remembers it. Spec CMD-1.
   */
  handles({ source, correlation }: Requester, identity: CommandIdentity): boolean {
    const { state, writer } = this.#parts;
    const { origin, lane, number } = identity;
    // Without its identity, because a refusal from here says nothing about the command.
    const requester = { source, correlation };
    const result = state.commandResults.resultOf(identity);
    if (result?.isFinished === true) {
      const { subject, seq: lastSeq } = result;
      writer.answerAgain(requester, { reason: RejectReason.none, subject, lastSeq });
      return true;
    }
    const refusal = this.#refusalOf(identity);
    if (refusal !== RejectReason.none) {
      writer.answer(requester, refusal, 0);
      return true;
    }
    const seen = writer.seen.lane(origin, lane);
    seen.confirm(identity.confirmedUpTo);
    if (seen.inFlight.has(number)) return true;
    const answer = seen.answerOf(number);
    if (answer === undefined) seen.inFlight.add(number);
    else writer.answerAgain(requester, answer);
    return answer !== undefined;
  }

  /** True if a step of the command was executed before: it must continue, however late. */
  isBegun(identity: CommandIdentity | null | undefined): boolean {
    if (identity === null || identity === undefined) return false;
    return this.#parts.state.commandResults.resultOf(identity) !== null;
  }

  #refusalOf({ origin, lane, number, confirmedUpTo }: CommandIdentity): RejectReason {
    const { commandResults } = this.#parts.state;
    if (!commandResults.isLiving(origin)) return RejectReason.unknownOrigin;
    const confirmed = Math.max(confirmedUpTo, commandResults.confirmedUpTo(origin, lane));
    if (number <= confirmed) return RejectReason.commandConfirmed;
    return isInWindow(number, confirmed) ? RejectReason.none : RejectReason.originWindowFull;
  }
}
