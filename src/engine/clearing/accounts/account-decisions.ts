// Commands that involve no matcher: accounts, wallet transfers, leverage, keys, sessions, markets, custody. Each kind
// of command has a function that returns a refusal or an event; this class writes the event's transaction, carries out
// its consequences and replies.

import { AccountType } from "../../../core/accounts.ts";
import {
  type AmendOrder,
  type Barrier,
  type CancelAllOrders,
  type CancelOrder,
  type CancelOrders,
  type ClaimReward,
  type Command,
  CommandKind,
  type EdgeTime,
  type EndConnection,
  type MassQuote,
  type OpenConnection,
  type PlaceList,
  type PlaceOrder,
  type SetCountdown,
  type SetReferrer,
  type SettleFunding,
  type SignOfLife,
  type Tick,
} from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { RequestKey } from "../../../core/request-keys.ts";
import type { NonOrderEvent } from "../../state/apply/apply.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import type { RequestLane } from "../matchers/request-lane.ts";
import type { Admission } from "../orders/admission.ts";
import type { Deadlines } from "../orders/deadlines.ts";
import type { KeyedRequests } from "../orders/keyed-requests.ts";
import type { MarketHaltCancels } from "../orders/market-halt-cancels.ts";
import { rescalePending } from "../perpetuals/leverage-change.ts";
import type { MarginFloor } from "../perpetuals/margin-floor.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";
import { accountDecisions, endRights } from "./account-commands.ts";
import { custodyDecisions } from "./custody-decisions.ts";
import { gatewayDecisions } from "./gateway-decisions.ts";
import { groupDecisions } from "./group-decisions.ts";
import { keyDecisions } from "./key-commands.ts";
import { liabilityDecisions } from "./liability-decisions.ts";
import { marketDecisions } from "./market-decisions.ts";
import { sessionDecisions } from "./session-commands.ts";
import { subAccountDecisions } from "./sub-account-decisions.ts";

type Cancel = CancelOrder | CancelAllOrders | CancelOrders;
type OrderCommand = PlaceOrder | PlaceList | Cancel | AmendOrder | MassQuote | SetCountdown;
type ConnectionCommand = OpenConnection | EndConnection | SignOfLife;
type OtherCommand =
  | OrderCommand
  | ConnectionCommand
  | Barrier
  | SettleFunding
  | SetReferrer
  | ClaimReward
  | Tick
  | EdgeTime;
export type NonOrderCommand = Exclude<Command, OtherCommand>;

type Decision = RejectReason | NonOrderEvent;

/** What a decision may read besides the state. */
interface DecisionContext {
  readonly laneOf: (market: number) => RequestLane;
  readonly admission: Admission;
  readonly floor: MarginFloor;
  readonly writer: TransactionWriter;
}

type Decide<Of> = (state: VenueState, command: Of, context: DecisionContext) => Decision;

/** The decision for each kind; a missing kind is a compile error. */
const decisions: {
  readonly [Kind in NonOrderCommand["kind"]]: Decide<Extract<NonOrderCommand, { kind: Kind }>>;
} = {
  ...accountDecisions,
  ...keyDecisions,
  ...marketDecisions,
  ...custodyDecisions,
  ...sessionDecisions,
  ...subAccountDecisions,
  ...gatewayDecisions,
  ...groupDecisions,
  ...liabilityDecisions,
};

const unnumbered = { seq: 0, tsUs: 0, isTransactionEnd: true };

export interface AccountDecisionsParts {
  readonly state: VenueState;
  readonly lanes: MatcherLanes;
  readonly writer: TransactionWriter;
  readonly admission: Admission;
  readonly keyed: KeyedRequests;
  readonly deadlines: Deadlines;
  readonly haltCancels: MarketHaltCancels;
  readonly floor: MarginFloor;
}

export class AccountDecisions {
  readonly #parts: AccountDecisionsParts;
  readonly #context: DecisionContext;

  constructor(parts: AccountDecisionsParts) {
    const { lanes, admission, floor, writer } = parts;
    const laneOf = (market: number) => lanes.lane(market, MatchLane.orders);
    this.#parts = parts;
    this.#context = { laneOf, admission, floor, writer };
  }

  /** Decides a command and replies. */
  decide(command: NonOrderCommand): void {
    const { state, writer, keyed } = this.#parts;
    const key = "key" in command ? command.key : null;
    if (key !== null && keyed.answers(command, key)) return;
    const decide = decisions[command.kind] as Decide<NonOrderCommand>;
    const decision = decide(state, command, this.#context);
    if (typeof decision === "number") {
      writer.answer(command, decision, 0);
      return;
    }
    const subject = this.#subjectOf(decision, command);
    writer.records(command.identity, subject);
    this.#write(decision, command, key);
    this.#follow(command);
    writer.answer(command, RejectReason.none, subject);
  }

  /**
   * Writes the transaction. If `event` closes an account, the events that end the account's sessions and keys come
   * first. The event of an idempotency key comes after `event`.
   */
  #write(event: NonOrderEvent, { account, atUs }: NonOrderCommand, key: RequestKey | null): void {
    const { state, writer } = this.#parts;
    const closes =
      event.kind === EventKind.accountTypeSet && event.accountType === AccountType.closed;
    if (closes) endRights(state, writer, event.account, atUs);
    writer.nonOrder(event, atUs, key === null);
    if (key === null) return;
    const used = { ...unnumbered, kind: EventKind.requestKeyed, account, ...key };
    writer.nonOrder({ ...used, subject: event.seq }, atUs);
  }

  /** Consequences of an accepted command outside its transaction. */
  #follow(command: NonOrderCommand): void {
    const { state, deadlines, haltCancels } = this.#parts;
    if (command.kind === CommandKind.openSession) {
      deadlines.watchSession(command.sessionId, command.expiresUs);
    } else if (command.kind === CommandKind.restrictKey) {
      deadlines.watchKey(command.keyId, command.expiresUs);
    } else if (command.kind === CommandKind.setLeverage) {
      const market = state.table.market(command.market);
      rescalePending(state, this.#context.laneOf(market.id), command.account, market);
    } else if (command.kind === CommandKind.setMarketStatus) haltCancels.close(command.market);
  }

  /**
   * The reply's subject: the account opened, the number of a gateway, or the seq that the event which moves money will
   * have; otherwise 0.
   */
  #subjectOf(event: NonOrderEvent, command: NonOrderCommand): number {
    const opens =
      event.kind === EventKind.accountOpened || event.kind === EventKind.subAccountOpened;
    if (opens) return event.account;
    if (event.kind === EventKind.originRegistered) return event.origin;
    return "key" in command ? this.#parts.state.seq + 1 : 0;
  }
}
