// Connects requests to clearing: stamps commands, sends them through the sink, and delivers each reply to its request
// by correlation. A correlation is a slot in a bounded table and the slot's generation, so a late reply never reaches a
// newer request. Nothing here waits.
//
//   correlation (32 bits): │ generation (18) │ slot (14) │

import { accountSlot } from "../../../core/accounts.ts";
import { assert, shortAt } from "../../../core/assert.ts";
import {
  type AmendOrder,
  type BindWallet,
  type CancelAllOrders,
  type CancelOrder,
  type CancelOrders,
  type ChangeKey,
  type ClaimReward,
  type CloseSession,
  type Command,
  CommandKind,
  type Credit,
  type EndConnection,
  type MassQuote,
  type MoveBetweenAccounts,
  type OpenAccount,
  type OpenConnection,
  type OpenSession,
  type OpenSubAccount,
  type PlaceList,
  type PlaceOrder,
  type RegisterKey,
  type RequestWithdrawal,
  type ResetMakerGroup,
  type RestrictKey,
  type SetCountdown,
  type SetLeverage,
  type SetMakerGroup,
  type SetReferrer,
  type SetSessionKey,
  type SettleFunding,
  type Transfer,
} from "../../../core/generated/commands.ts";
import type { Reply } from "../../../core/generated/messages.ts";
import { accountsMax, deadlineMarginMs, requestsInFlightMax } from "../../../core/limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { reservedMemory } from "../../../core/reserved-memory.ts";
import { emptyOrder } from "../../../engine/clearing/matchers/request-lane.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { CommandLane, CommandSink } from "../../../ports/command-sink.ts";
import type { CountedRequest, LeaderCounts } from "./leader-counts.ts";

const slotBits = 14;
const slotMask = (1 << slotBits) - 1;
assert(
  requestsInFlightMax === 1 << slotBits,
  "the number of correlation slots must be the maximum number of requests in flight",
);

export type ReplyTaker = (reply: Reply) => void;

/** A command before the bridge stamps it. */
type Unstamped<C> = C extends Command
  ? Omit<C, "source" | "correlation" | "atUs" | "deadlineUs">
  : never;

/** A command about one order. */
export type UnstampedOrderCommand = Unstamped<PlaceOrder | CancelOrder | AmendOrder>;

export type UnstampedCancelOrders = Unstamped<CancelOrders>;

/** The commands a front sends to clearing. */
export type UnstampedCommand =
  | UnstampedOrderCommand
  | Unstamped<
      | BindWallet
      | CancelAllOrders
      | CancelOrders
      | ChangeKey
      | ClaimReward
      | CloseSession
      | Credit
      | EndConnection
      | MassQuote
      | OpenAccount
      | OpenConnection
      | MoveBetweenAccounts
      | OpenSession
      | OpenSubAccount
      | PlaceList
      | RegisterKey
      | RequestWithdrawal
      | RestrictKey
      | ResetMakerGroup
      | SetCountdown
      | SetLeverage
      | SetMakerGroup
      | SetReferrer
      | SetSessionKey
      | SettleFunding
      | Transfer
    >;

/**
 * A plain GTC limit order of an account in a market. The surface adds the client's fields, and the bridge stamps the
 * command.
 */
export function plainOrder(account: number, market: number): PlaceOrder {
  const order = emptyOrder();
  order.account = account;
  order.market = market;
  return order;
}

export interface CommandBridgeOptions {
  /** This front's number among the command sources. */
  readonly source: number;
  /** Time limit of a request in milliseconds. Clearing gets a shorter limit, so that its answer comes in time. */
  readonly deadlineMs: number;
  /** The time of deadlines. */
  readonly clock: Clock;
  /** The time at which commands happen. */
  readonly marketClock: Clock;
  /** Of a gateway: the order counts of the leader; null if this process counts orders itself. */
  readonly counts: LeaderCounts | null;
}

/** What the bridge needs to know of the request to which a command belongs. */
export interface CommandRequest extends CountedRequest {
  /** Unix microseconds after which the command must not be executed any more. Spec AUT-32. */
  readonly untilUs: number;
  /** The connections that cancel on disconnect and carry the request, by account; null for none. Spec COD-3. */
  readonly connections: ReadonlyMap<number, number> | null;
}

/** A request that its client may let wait for as long as the venue does. */
export const withoutWindow: CommandRequest = {
  untilUs: Number.POSITIVE_INFINITY,
  connections: null,
  orderClaim: null,
  usedWeight: 0,
  reportUse: () => undefined,
};

interface Waiting {
  readonly account: number;
  readonly request: CommandRequest;
  /** True if the client's time window ends before the venue's own deadline. */
  readonly hasWindow: boolean;
  readonly take: ReplyTaker;
}

export class CommandBridge {
  readonly #sink: CommandSink;
  readonly #options: CommandBridgeOptions;
  readonly #waiting = new Array<Waiting | null>(requestsInFlightMax).fill(null);
  readonly #generations = new Uint32Array(requestsInFlightMax);
  readonly #free = Array.from({ length: requestsInFlightMax }, (_, slot) => slot).reverse();
  /** Number of unanswered commands by account slot. Accounts that share a slot are never open at the same time. */
  readonly #inFlightOf = new Uint16Array(reservedMemory(2 * accountsMax));
  readonly #drained: (() => void)[] = [];
  /** Longest time in milliseconds that a command may wait for clearing: shorter than its request's own time limit. */
  readonly waitMsMax: number;
  #isDraining = false;

  constructor(sink: CommandSink, options: CommandBridgeOptions) {
    this.#sink = sink;
    this.#options = options;
    const { deadlineMs } = options;
    this.waitMsMax = Math.max(deadlineMs - deadlineMarginMs, Math.floor(deadlineMs / 2));
  }

  /** Commands sent and not yet answered. */
  get inFlight(): number {
    return requestsInFlightMax - this.#free.length;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** True while `account` has unanswered commands that this bridge sent. */
  hasInFlight(account: number): boolean {
    return shortAt(this.#inFlightOf, accountSlot(account)) > 0;
  }

  /**
   * Sends `unstamped` and takes ownership of it. Returns false, without any effect, while draining, when too many
   * commands are unanswered, or when the ring is full.
   */
  send(
    unstamped: UnstampedCommand,
    lane: CommandLane,
    request: CommandRequest,
    take: ReplyTaker,
  ): boolean {
    return this.#send(unstamped, lane, request, take);
  }

  /** Sends a barrier: its reply arrives once every command sent earlier is committed and folded. */
  barrier(take: ReplyTaker): boolean {
    return this.#send({ kind: CommandKind.barrier, account: 0 }, "orders", withoutWindow, take);
  }

  /**
   * Tells clearing that this front is alive, and with it the connections that it serves. A gateway's leader hears it from
   * the bus instead.
   */
  giveSign(): void {
    const { source: front, marketClock, counts } = this.#options;
    if (counts !== null) return;
    const atUs = marketClock.nowUs();
    const stamp = { source: front, correlation: 0, atUs, deadlineUs: atUs, account: 0 };
    this.#sink.trySend({ kind: CommandKind.signOfLife, ...stamp, origin: 0, front }, "cancels");
  }

  /** Delivers a reply to its request. A reply without a waiting request is a bug. */
  accept(reply: Reply): void {
    const slot = reply.correlation & slotMask;
    const waiting = this.#waiting[slot] ?? null;
    assert(
      waiting !== null && this.#generations[slot] === reply.correlation >>> slotBits,
      "a reply must answer a command that is in flight",
    );
    this.#release(slot, waiting);
    this.#options.counts?.told(waiting.request, reply);
    const isLate = waiting.hasWindow && reply.reason === RejectReason.deadlinePassed;
    waiting.take(isLate ? { ...reply, reason: RejectReason.windowPassed } : reply);
    this.#endDrain();
  }

  /**
   * Frees the place of a command to which no reply will come. Its request is not answered here: the server answers it
   * at its deadline, with an unknown outcome.
   */
  abandon(correlation: number): void {
    const slot = correlation & slotMask;
    const waiting = this.#waiting[slot] ?? null;
    assert(
      waiting !== null && this.#generations[slot] === correlation >>> slotBits,
      "only a command in flight can be abandoned",
    );
    this.#release(slot, waiting);
    this.#endDrain();
  }

  /** Stops sending commands; resolves when every command sent has been answered. */
  drain(): Promise<void> {
    this.#isDraining = true;
    if (this.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  #send(
    unstamped: UnstampedCommand | { kind: typeof CommandKind.barrier; account: 0 },
    lane: CommandLane,
    request: CommandRequest,
    take: ReplyTaker,
  ): boolean {
    if (this.#isDraining) return false;
    const slot = this.#free.pop();
    if (slot === undefined) return false;
    const generation = ((this.#generations[slot] ?? 0) + 1) & (2 ** (32 - slotBits) - 1);
    const { clock, marketClock } = this.#options;
    // The command is stamped without copying it, because a copy would take longer than everything else here.
    const command = unstamped as Command;
    command.source = this.#options.source;
    command.correlation = ((generation << slotBits) | slot) >>> 0;
    command.atUs = marketClock.nowUs();
    const deadlineUs = clock.nowUs() + 1000 * this.waitMsMax;
    const hasWindow = request.untilUs < deadlineUs;
    command.deadlineUs = hasWindow ? request.untilUs : deadlineUs;
    const connection = request.connections?.get(unstamped.account) ?? 0;
    if (connection > 0) attach(command, connection);
    this.#options.counts?.claim(request, command.correlation);
    if (!this.#sink.trySend(command, lane)) {
      this.#free.push(slot);
      return false;
    }
    this.#generations[slot] = generation;
    const { account } = unstamped;
    this.#waiting[slot] = { account, request, hasWindow, take };
    this.#count(account, 1);
    return true;
  }

  #release(slot: number, { account }: Waiting): void {
    this.#waiting[slot] = null;
    this.#free.push(slot);
    this.#count(account, -1);
  }

  #endDrain(): void {
    if (this.#isDraining && this.inFlight === 0) for (const done of this.#drained.splice(0)) done();
  }

  #count(account: number, change: 1 | -1): void {
    if (account === 0) return;
    const slot = accountSlot(account);
    this.#inFlightOf[slot] = shortAt(this.#inFlightOf, slot) + change;
  }
}

/** Marks the orders, lists, amends and mass quotes of a connection with its number. */
function attach(command: Command, connection: number): void {
  const { amendOrder, massQuote, placeList } = CommandKind;
  const { kind } = command;
  if (kind === amendOrder || kind === massQuote || kind === placeList)
    command.connection = connection;
  if (command.kind !== CommandKind.placeOrder) return;
  const { key = null, leverage = 0 } = command.attached ?? {};
  command.attached = { key, leverage, connection };
}
