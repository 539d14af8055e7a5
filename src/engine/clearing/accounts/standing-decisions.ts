// Commands that no matcher is asked about: of accounts, money between wallets, leverage, keys, sessions and
// markets. Each is decided by its own function, which answers a refusal or an event; here that becomes a unit
// with what follows from it, and an answer.

import { AccountType } from "../../../core/accounts.ts";
import { assert, unreachable } from "../../../core/assert.ts";
import {
  type AmendOrder,
  type CancelAllOrders,
  type CancelOrder,
  type ClaimReward,
  type Command,
  CommandKind,
  type Fence,
  type PlaceOrder,
  type SetCountdown,
  type SetReferrer,
  type SettleFunding,
  type Tick,
} from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { RequestKey } from "../../../core/request-keys.ts";
import type { StandingEvent } from "../../state/apply/apply.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import type { Admission } from "../orders/admission.ts";
import type { Deadlines } from "../orders/deadlines.ts";
import type { KeyedRequests } from "../orders/keyed-requests.ts";
import type { MarketClosings } from "../orders/market-closings.ts";
import { rescalePending } from "../perpetuals/leverage-change.ts";
import type { MarginFloor } from "../perpetuals/margin-floor.ts";
import type { UnitWriter } from "../units/unit-writer.ts";
import {
  decideChangeKey,
  decideCredit,
  decideFlags,
  decideLeverage,
  decideOpenAccount,
  decideRefill,
  decideRegisterKey,
  decideTransfer,
  decideType,
  endRights,
} from "./account-commands.ts";
import {
  decideBinding,
  decideDeposit,
  decideSettled,
  decideSwapMove,
  decideWithdrawal,
  decideWithdrawalEnd,
} from "./custody-decisions.ts";
import {
  decideAddition,
  decideReference,
  decideRiskTerm,
  decideStatus,
} from "./market-decisions.ts";
import { decideCloseSession, decideOpenSession, decideSessionKey } from "./session-commands.ts";

type OrderCommand = PlaceOrder | CancelOrder | CancelAllOrders | AmendOrder | SetCountdown;
type OtherCommand = OrderCommand | Fence | SettleFunding | SetReferrer | ClaimReward | Tick;
export type StandingCommand = Exclude<Command, OtherCommand>;

const unnumbered = { seq: 0, tsUs: 0, isUnitEnd: true };

export interface StandingDecisionsParts {
  readonly state: VenueState;
  readonly lanes: MatcherLanes;
  readonly writer: UnitWriter;
  readonly admission: Admission;
  readonly keyed: KeyedRequests;
  readonly deadlines: Deadlines;
  readonly closings: MarketClosings;
  readonly floor: MarginFloor;
}

export class StandingDecisions {
  readonly #parts: StandingDecisionsParts;
  readonly #laneOf = (market: number) => this.#parts.lanes.lane(market, MatchLane.orders);

  constructor(parts: StandingDecisionsParts) {
    this.#parts = parts;
  }

  /** Decides a command and answers it. */
  decide(command: StandingCommand): void {
    const { writer, keyed } = this.#parts;
    const key = "key" in command ? command.key : null;
    if (key !== null && keyed.answers(command, key)) return;
    const decision = this.#decisionOf(command);
    if (typeof decision === "number") {
      writer.answer(command, decision, 0);
      return;
    }
    this.#write(decision, command, key);
    this.#follow(command);
    writer.answer(command, RejectReason.none, this.#subjectOf(command));
  }

  #decisionOf(command: StandingCommand): RejectReason | StandingEvent {
    const { state, writer, admission, floor } = this.#parts;
    switch (command.kind) {
      case CommandKind.setLeverage:
        return decideLeverage(state, command, { laneOf: this.#laneOf, admission });
      case CommandKind.transfer:
        return decideTransfer(state, command, floor);
      case CommandKind.openAccount:
        return decideOpenAccount(state, command);
      case CommandKind.credit:
        return decideCredit(state, command);
      case CommandKind.setAccountFlags:
        return decideFlags(state, command);
      case CommandKind.registerKey:
        return decideRegisterKey(state, command);
      case CommandKind.changeKey:
        return decideChangeKey(state, command);
      case CommandKind.setAccountType:
        return decideType(state, command);
      case CommandKind.setMarketStatus:
        return decideStatus(state, command);
      case CommandKind.addMarket:
        return decideAddition(state, command);
      case CommandKind.setReference:
        return decideReference(state, command);
      case CommandKind.setRiskTerm:
        return decideRiskTerm(state, command);
      case CommandKind.refillFund:
        return decideRefill(state, command);
      case CommandKind.bindWallet:
        return decideBinding(state, command);
      case CommandKind.deposit:
        return decideDeposit(state, command);
      case CommandKind.requestWithdrawal:
        return decideWithdrawal(state, command);
      case CommandKind.endWithdrawal:
        return decideWithdrawalEnd(state, command);
      case CommandKind.settleCoins:
        return decideSettled(state, command);
      case CommandKind.recordSwapMove:
        return decideSwapMove(state, command);
      case CommandKind.openSession:
        return decideOpenSession(state, writer, command);
      case CommandKind.closeSession:
        return decideCloseSession(state, command);
      case CommandKind.setSessionKey:
        return decideSessionKey(state, command);
      default:
        return unreachable(command);
    }
  }

  /** Writes the unit: an account that closes loses its rights first, and a key is noted behind what it is of. */
  #write(event: StandingEvent, { account, atUs }: StandingCommand, key: RequestKey | null): void {
    const { state, writer } = this.#parts;
    const closes =
      event.kind === EventKind.accountTypeSet && event.accountType === AccountType.closed;
    if (closes) endRights(state, writer, event.account, atUs);
    writer.standing(event, atUs, key === null);
    if (key === null) return;
    const used = { ...unnumbered, kind: EventKind.requestKeyed, account, ...key };
    writer.standing({ ...used, subject: event.seq }, atUs);
  }

  /** What a command that is done brings beyond its unit. */
  #follow(command: StandingCommand): void {
    const { state, deadlines, closings } = this.#parts;
    if (command.kind === CommandKind.openSession) {
      deadlines.watchSession(command.sessionId, command.expiresUs);
    } else if (command.kind === CommandKind.setLeverage) {
      const market = state.table.market(command.market);
      rescalePending(state, this.#laneOf(market.id), command.account, market);
    } else if (command.kind === CommandKind.setMarketStatus) closings.close(command.market);
  }

  /** What came of a command that was done: the account it opened, or the seq of the money's event. */
  #subjectOf(command: StandingCommand): number {
    const { accounts, seq } = this.#parts.state;
    if (command.kind === CommandKind.openAccount) return accounts.newest;
    if (!("key" in command)) return 0;
    assert(seq > 0, "what moves money is an event");
    return command.key === null ? seq : seq - 1;
  }
}
