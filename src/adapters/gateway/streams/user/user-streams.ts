// The user data streams of this front. Each event counts in the sequence of every account and surface it concerns, with
// or without listeners. The numbers are the same on every front of a process, because all of them start at the recovered
// seq and fold the same events. Fronts that began at other events, in other gateways or after a restart, have numbers
// that are far from these, so such a number can only lead to a snapshot, never to wrong frames. Spec STR-20, STR-55.

import { accountSlot, Wallet } from "../../../../core/accounts.ts";
import {
  EventKind,
  type SwapMoved,
  type Traded,
  type VenueEvent,
} from "../../../../core/generated/events.ts";
import { accountsMax, idleUserFeedsKept } from "../../../../core/limits.ts";
import { MarketKind, type MarketTable } from "../../../../core/markets.ts";
import { reservedMemory } from "../../../../core/reserved-memory.ts";
import { isSwapOver, SwapState } from "../../../../core/swaps.ts";
import type { Clock } from "../../../../ports/clock.ts";
import type { ReadModel } from "../../read-model.ts";
import type { StreamConnection } from "../stream-connection.ts";
import { UserFeed, type UserSubscription } from "./user-feed.ts";
import { updateOf } from "./user-recorder.ts";
import type { OrderUpdate } from "./user-update.ts";

const surfaces = 2;

/**
 * By how much the first numbers differ on two fronts that began at consecutive events: more than the frames that a front
 * keeps, so that it takes no number of the other for its own. A number stays a safe integer for 2^41 events.
 */
const numbersPerEvent = 4_096;

/** Takes an update of an order and the event that caused it, which may be reused afterwards. */
export type OrderFollower = (update: OrderUpdate, event: VenueEvent) => void;

/** The terms of a subscription to an account's stream. */
export interface UserTerms {
  readonly account: number;
  readonly surface: MarketKind;
  readonly keyId: number;
  /** Number of the last frame that the client has; null if the client does not resume. */
  readonly resumeFrom: number | null;
  wrap(text: string): string | Uint8Array;
}

export class UserStreams {
  readonly #model: ReadModel;
  readonly #clock: Clock;
  /** Numbers count from here. */
  readonly #start: number;
  readonly #counts = new Float64Array(reservedMemory(8 * accountsMax * surfaces));
  readonly #feeds = new Map<number, UserFeed>();
  /** Those who follow the spot orders of an account. */
  readonly #followers = new Map<number, Set<OrderFollower>>();
  readonly #byConnection = new Map<StreamConnection, Set<UserSubscription>>();
  #waiting: UserFeed[] = [];
  readonly #turn = () => this.#flush();
  /** The event being folded. It is stored in a field so that folding creates no closure for each event. */
  #event: VenueEvent | null = null;
  readonly #concern: ConcernTaker = (account, surface, isMaker) => {
    const counter = accountSlot(account) * surfaces + surface;
    const count = (this.#counts[counter] ?? 0) + 1;
    this.#counts[counter] = count;
    const feed = this.#feeds.get(account * surfaces + surface);
    const followers = surface === MarketKind.spot ? this.#followers.get(account) : undefined;
    if ((feed ?? followers) === undefined || this.#event === null) return;
    const seq = this.#start + count;
    const update = updateOf(this.#event, { account, surface, isMaker, seq }, this.#model);
    if (update === undefined) return;
    if (feed?.add(update)) this.#queue(feed);
    if (followers === undefined || update.kind !== "order") return;
    for (const take of followers) take(update, this.#event);
  };

  constructor(model: ReadModel, clock: Clock) {
    this.#model = model;
    this.#clock = clock;
    this.#start = numbersPerEvent * model.state.seq;
  }

  /** Records an event that the read model has just folded. The event object may be reused afterwards. */
  fold(event: VenueEvent): void {
    const opens =
      event.kind === EventKind.accountOpened || event.kind === EventKind.subAccountOpened;
    if (opens) this.#beginCounts(event.account);
    this.#event = event;
    concerns(event, this.#model.state.table, this.#concern);
    this.#event = null;
  }

  /** Subscribes a connection to an account's stream. If the client resumes, the missed frames are sent first. */
  subscribe(connection: StreamConnection, terms: UserTerms): UserSubscription {
    const { account, surface, keyId, resumeFrom, wrap } = terms;
    const nowMs = this.#clock.nowMs();
    const feed = this.#feedOf(account, surface);
    feed.flush(nowMs);
    const subscription = { connection, feed, keyId, wrap, sentSeq: feed.seq };
    if (resumeFrom !== null) feed.resume(subscription, resumeFrom, nowMs);
    feed.subscriptions.add(subscription);
    feed.idleSinceMs = 0;
    const own = this.#byConnection.get(connection) ?? new Set();
    this.#byConnection.set(connection, own.add(subscription));
    return subscription;
  }

  /**
   * Calls `take` with each event of the account's spot orders, right when it is folded.
   * Returns a function that ends this.
   */
  follow(account: number, take: OrderFollower): () => void {
    const followers = this.#followers.get(account) ?? new Set();
    this.#followers.set(account, followers.add(take));
    return () => {
      followers.delete(take);
      if (followers.size === 0) this.#followers.delete(account);
    };
  }

  /** Number of the newest frame of an account's stream. */
  seqOf(account: number, surface: MarketKind): number {
    return this.#start + (this.#counts[accountSlot(account) * surfaces + surface] ?? 0);
  }

  /** Starts the counts of an opened account at zero, because its slot may have belonged to a closed account. */
  #beginCounts(account: number): void {
    const first = accountSlot(account) * surfaces;
    this.#counts.fill(0, first, first + surfaces);
  }

  unsubscribe(subscription: UserSubscription): void {
    const { connection, feed } = subscription;
    feed.subscriptions.delete(subscription);
    if (feed.subscriptions.size === 0) feed.idleSinceMs = this.#clock.nowMs();
    const own = this.#byConnection.get(connection);
    own?.delete(subscription);
    if (own?.size === 0) this.#byConnection.delete(connection);
    this.#forgetIdle();
  }

  /** Called when the connection is closed: ends its subscriptions. */
  leave(connection: StreamConnection): void {
    for (const subscription of [...(this.#byConnection.get(connection) ?? [])]) {
      this.unsubscribe(subscription);
    }
  }

  /** Called when a slow client has caught up: its stream resumes at the first unsent frame, or with a snapshot. */
  caughtUp(connection: StreamConnection): void {
    const nowMs = this.#clock.nowMs();
    for (const subscription of this.#byConnection.get(connection) ?? []) {
      subscription.feed.resume(subscription, subscription.sentSeq, nowMs);
    }
  }

  /** Subscriptions that were opened with the API key `keyId`. */
  ofKey(keyId: number): UserSubscription[] {
    const all = [...this.#byConnection.values()].flatMap((own) => [...own]);
    return all.filter((subscription) => subscription.keyId === keyId);
  }

  #feedOf(account: number, surface: MarketKind): UserFeed {
    const feedKey = account * surfaces + surface;
    const known = this.#feeds.get(feedKey);
    if (known !== undefined) return known;
    const feed = new UserFeed(account, surface, this.#model, this.seqOf(account, surface));
    this.#feeds.set(feedKey, feed);
    return feed;
  }

  #queue(feed: UserFeed): void {
    if (this.#waiting.length === 0) setImmediate(this.#turn);
    this.#waiting.push(feed);
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const nowMs = this.#clock.nowMs();
    for (const feed of waiting) feed.flush(nowMs);
  }

  /**
   * Limits the feeds without listeners: when there are too many, drops the half whose last listener left longest ago.
   */
  #forgetIdle(): void {
    const idle = [...this.#feeds].filter(([, feed]) => feed.idleSinceMs > 0);
    if (idle.length <= idleUserFeedsKept) return;
    idle.sort(([, a], [, b]) => a.idleSinceMs - b.idleSinceMs);
    for (const [feedKey] of idle.slice(0, idle.length / 2)) this.#feeds.delete(feedKey);
  }
}

/**
 * Called with an account and surface that an event concerns. `isMaker` is true for the resting side of a trade, and for
 * the account that receives a moved position.
 */
type ConcernTaker = (account: number, surface: MarketKind, isMaker: boolean) => void;

function surfaceOfWallet(wallet: Wallet): MarketKind | undefined {
  if (wallet === Wallet.spot) return MarketKind.spot;
  return wallet === Wallet.perp ? MarketKind.perpetual : undefined;
}

/** Calls `tell` for every account and surface whose user data stream has a frame for this event. */
function concerns(event: VenueEvent, table: MarketTable, tell: ConcernTaker): void {
  switch (event.kind) {
    case EventKind.traded:
      tellBoth(event, table.market(event.market).kind, tell);
      break;
    case EventKind.orderAccepted:
    case EventKind.specialAccepted:
    case EventKind.icebergAccepted:
    case EventKind.orderReleased:
    case EventKind.orderTriggered:
    case EventKind.orderAmended:
    case EventKind.quoteAmended:
    case EventKind.orderReduced:
    case EventKind.orderClosed:
      tell(event.account, table.market(event.market).kind, false);
      break;
    case EventKind.leverageSet:
    case EventKind.fundingPaid:
    case EventKind.insuranceSettled:
      tell(event.account, MarketKind.perpetual, false);
      break;
    case EventKind.rewardClaimed:
      tell(event.account, MarketKind.perpetual, false);
      break;
    case EventKind.positionMoved:
      tell(event.account, MarketKind.perpetual, false);
      tell(event.counterparty, MarketKind.perpetual, true);
      break;
    case EventKind.credited:
    case EventKind.granted:
      tellWallet(event.account, event.wallet, tell);
      break;
    case EventKind.withdrawalRequested:
    case EventKind.coinsSettled:
      tell(event.account, MarketKind.spot, false);
      break;
    case EventKind.swapMoved:
      if (holdsOrFrees(event, table)) tell(event.account, MarketKind.spot, false);
      break;
    case EventKind.withdrawalEnded:
      if (!event.isCompleted) tell(event.account, MarketKind.spot, false);
      break;
    case EventKind.transferred:
      tellWallet(event.account, event.from, tell);
      tellWallet(event.account, event.to, tell);
      break;
    case EventKind.movedBetweenAccounts:
      tellWallet(event.account, event.from, tell);
      tellWallet(event.receiver, event.to, tell);
      break;
    default:
      break;
  }
}

/** Returns whether a step of a swap can lock or free money in its trader's wallet. */
function holdsOrFrees({ market, to }: SwapMoved, table: MarketTable): boolean {
  const isSpot = table.market(market).kind === MarketKind.spot;
  return isSpot && (to === SwapState.accepted || isSwapOver(to));
}

function tellBoth(event: Traded, surface: MarketKind, tell: ConcernTaker): void {
  tell(event.account, surface, false);
  tell(event.makerAccount, surface, true);
}

function tellWallet(account: number, wallet: Wallet, tell: ConcernTaker): void {
  const surface = surfaceOfWallet(wallet);
  if (surface !== undefined) tell(account, surface, false);
}
