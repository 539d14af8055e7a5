// What clearing asks of a matcher and what a matcher answers. Clearing issues the handle of an
// order (slot + generation) so that neither side needs an id map; handles are private to the two
// and never journaled, hashed or shown.
//
//   clearing ── place, amend (order lane) ──▶ matcher ── filled* ended ──▶ clearing
//            ── cancel (cancel lane) ───────▶
//
// Exactly one `ended` answers each request; the fills of a request precede it.

import type { OrderType, Side, TimeInForce } from "./orders.ts";

export const MatchRequestKind = { place: 1, cancel: 2, amend: 3 } as const;
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
  /** Ticks: the limit, or for MARKET the protection price where the sweep stops. */
  price: number;
  /** Lots: the quantity to place, or the whole new quantity still open for an amend. */
  qty: number;
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
  /** Remainder dropped after `matchesPerOrderMax` fills. */
  matchesPerOrderMax: 6,
  /** Remainder dropped after `ownSkipsMax` own orders in a row. */
  ownSkipsMax: 7,
  /** The order left the book by request. */
  cancelled: 8,
  /** Cancel or amend of an order that is not in the book (any more). */
  unknown: 9,
} as const;
export type MatchOutcome = (typeof MatchOutcome)[keyof typeof MatchOutcome];

/** Where a matcher puts its answers, in order. */
export interface MatchReplySink {
  /** The incoming order traded `qty` lots with the resting order in `makerSlot` at its price. */
  filled(takerSlot: number, makerSlot: number, price: number, qty: number): void;
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
