// Commands that no matcher is asked about: of accounts, money between wallets, leverage, keys, sessions and
// the status of markets. The decision is that of account-commands.ts and session-commands.ts; here is what
// follows from it beyond the unit, and the answer.

import { assert } from "../../../core/assert.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import type { Admission } from "../orders/admission.ts";
import type { Deadlines } from "../orders/deadlines.ts";
import type { KeyedRequests } from "../orders/keyed-requests.ts";
import type { MarketClosings } from "../orders/market-closings.ts";
import { rescalePending } from "../perpetuals/leverage-change.ts";
import type { MarginFloor } from "../perpetuals/margin-floor.ts";
import type { ReplyWriter } from "../units/reply-writer.ts";
import type { UnitWriter } from "../units/unit-writer.ts";
import { type AccountCommand, decideAccountCommand, keyOf } from "./account-commands.ts";
import { decideSessionCommand, type SessionCommand } from "./session-commands.ts";

export interface StandingDecisionsParts {
  readonly state: VenueState;
  readonly lanes: MatcherLanes;
  readonly replies: ReplyWriter;
  readonly writer: UnitWriter;
  readonly admission: Admission;
  readonly keyed: KeyedRequests;
  readonly deadlines: Deadlines;
  readonly closings: MarketClosings;
  readonly floor: MarginFloor;
}

export class StandingDecisions {
  readonly #parts: StandingDecisionsParts;

  constructor(parts: StandingDecisionsParts) {
    this.#parts = parts;
  }

  /** Decides a command of a session and answers it. */
  session(command: SessionCommand): void {
    const { state, writer, deadlines, replies } = this.#parts;
    const reason = decideSessionCommand(state, writer, command);
    if (reason === RejectReason.none && command.kind === CommandKind.openSession) {
      deadlines.watchSession(command.sessionId, command.expiresUs);
    }
    replies.answer(command, reason, 0);
  }

  /** Decides a command about an account or a market and answers it. */
  account(command: AccountCommand): void {
    const { state, lanes, writer, admission, keyed, closings, replies, floor } = this.#parts;
    const key = keyOf(command);
    if (key !== null && keyed.answers(command, key)) return;
    const laneOf = (market: number) => lanes.lane(market, MatchLane.orders);
    const reason = decideAccountCommand(state, writer, command, { laneOf, admission, floor });
    const isDone = reason === RejectReason.none;
    if (isDone && command.kind === CommandKind.setLeverage) {
      const market = state.table.market(command.market);
      rescalePending(state, laneOf(market.id), command.account, market);
    }
    if (isDone && command.kind === CommandKind.setMarketStatus) closings.close(command.market);
    replies.answer(command, reason, isDone ? this.#subjectOf(command) : 0);
  }

  /** What came of a command that was done: the account it opened, or the seq of the money's event. */
  #subjectOf(command: AccountCommand): number {
    const { accounts, seq } = this.#parts.state;
    if (command.kind === CommandKind.openAccount) return accounts.newest;
    if (!("key" in command)) return 0;
    assert(seq > 0, "what moves money is an event");
    return command.key === null ? seq : seq - 1;
  }
}
