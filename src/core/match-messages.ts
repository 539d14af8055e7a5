// What clearing asks of a matcher and what a matcher answers. Clearing issues the handle of an
// order (slot + generation) so that neither side needs an id map; handles are private to the two
// and never journaled, hashed or shown.
//
//   clearing ── place, amend, adjust (order lane) ──▶ matcher ── (filled | reduced | removed | met)* ended ──▶ clearing
//            ── cancel (cancel lane) ───────────────▶
//
// Exactly one `ended` answers each request; everything else that came of a request precedes it.

import { OrderType, Side, StpMode, TimeInForce } from "./orders.ts";

export const MatchRequestKind = { place: 1, cancel: 2, amend: 3, adjust: 4 } as const;
export type MatchRequestKind = (typeof MatchRequestKind)[keyof typeof MatchRequestKind];

/** Which ring carried a request: cancels overtake orders. */
export const MatchLane = { orders: 0, cancels: 1 } as const;
export type MatchLane = (typeof MatchLane)[keyof typeof MatchLane];

/** A request to the matcher that owns `market`. Mutable so that one record can be reused. */
export interface MatchRequest {
  kind: MatchRequestKind;
  market: number;
  /** Index of the order in clearing's table and in the matcher's pool, 0 … ordersOpenMax − 1. */
  slot: number;
  /** Tells two orders apart that used the same slot one after the other. */
  generation: number;
  account: number;
  side: Side;
  type: OrderType;
  timeInForce: TimeInForce;
  /** What happens when the order meets one of its own account. */
  stpMode: StpMode;
  /** The order never trades beyond the account's position; of a perpetual market only. */
  isReduceOnly: boolean;
  /** Ticks: the limit, or for MARKET the protection price where the sweep stops. */
  price: number;
  /**
   * Lots: the quantity to place, or for an amend the quantity to be open as seen from `seenQty`; for
   * an adjust the signed change of the account's position.
   */
  qty: number;
  /** MARKET by quote amount: the most Σ ticks × lots that the sweep may trade; 0 for no such bound. */
  budget: number;
  /**
   * Amend: lots that were open where the amend was decided. What the order has lost since, on its way
   * here, is taken off `qty`, so that an order never trades more than its owner asked for.
   * Not below what is open: an order has at most one amend on its way.
   * Cancel: lots that must still be open for it to be taken out; 0 where any number may be.
   */
  seenQty: number;
}

/** A request to fill in or decode into; every option is off. */
export function emptyMatchRequest(): MatchRequest {
  return {
    kind: MatchRequestKind.place,
    market: 0,
    slot: 0,
    generation: 0,
    account: 0,
    side: Side.buy,
    type: OrderType.limit,
    timeInForce: TimeInForce.gtc,
    stpMode: StpMode.skip,
    isReduceOnly: false,
    price: 0,
    qty: 0,
    budget: 0,
    seenQty: 0,
  };
}

export const MatchOutcome = {
  /** What was left rests in the book. */
  rested: 1,
  /** Nothing was left. */
  filled: 2,
  /** IOC or MARKET remainder dropped. */
  unfilled: 3,
  /** FOK could not be filled whole; nothing traded. */
  fillOrKill: 4,
  /** Post-only would have traded with another account; nothing happened. */
  wouldTake: 5,
  /** Remainder dropped after `matchesPerOrderMax` resting orders were met. */
  matchesPerOrderMax: 6,
  /** Remainder dropped after `ownSkipsMax` own orders in a row. */
  ownSkipsMax: 7,
  /** The order left the book by request: a cancel, or an amend to less than it has traded. */
  cancelled: 8,
  /** Cancel or amend of an order that is not in the book (any more). */
  unknown: 9,
  /** Remainder dropped because the order met its own account (expireTaker, expireBoth, decrement). */
  selfTrade: 10,
  /** Remainder dropped because the account has no position left to reduce. */
  reduceOnly: 11,
  /**
   * What is left of the budget pays for no lot at the price the sweep has come to, so the order is as
   * full as its budget makes it; it has traded nothing where already the first lot was too dear.
   */
  budgetSpent: 12,
  /** The position of an adjust is changed. */
  adjusted: 13,
  /** Cancel of an order that no longer has the lots it was to have; it stays. */
  changed: 14,
} as const;
export type MatchOutcome = (typeof MatchOutcome)[keyof typeof MatchOutcome];

/** Why a matcher took a resting order out that an incoming one met. */
export const RemovalReason = {
  /** It was of the incoming order's account, whose mode says so. */
  selfTrade: 1,
  /** It only reduces, and its account has no position left to reduce. */
  reduceOnly: 2,
} as const;
export type RemovalReason = (typeof RemovalReason)[keyof typeof RemovalReason];

/** Where a matcher puts its answers, in order. */
export interface MatchReplySink {
  /** The incoming order traded `qty` lots with the resting order in `makerSlot` at its price. */
  filled(takerSlot: number, makerSlot: number, price: number, qty: number): void;
  /**
   * Instead of trading with each other (`StpMode.decrement`), the incoming and the resting order each
   * lost `qty` lots. A resting order that has nothing left is out of the book.
   */
  reduced(takerSlot: number, makerSlot: number, qty: number): void;
  /** The resting order left the book with `remaining` lots, which is at least 1. */
  removed(takerSlot: number, makerSlot: number, reason: RemovalReason, remaining: number): void;
  /** The incoming order ends at the resting one of its own account, which stays as it is. */
  met(takerSlot: number, makerSlot: number): void;
  /**
   * The request about `slot` is done. `remaining` lots were left to rest, expire or cancel;
   * `bestBid` and `bestAsk` are the market's best prices now, 0 where a side is empty.
   */
  ended(
    market: number,
    slot: number,
    generation: number,
    lane: MatchLane,
    outcome: MatchOutcome,
    remaining: number,
    bestBid: number,
    bestAsk: number,
  ): void;
}
