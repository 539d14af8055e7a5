// What clearing asks of a matcher and what a matcher answers. Clearing issues the handle of an
// order (slot + generation) so that neither side needs an id map; handles are private to the two
// and never journaled, hashed or shown.
//
//   clearing ── place, amend, adjust (order lane) ──▶ matcher ── (filled | reduced | removed | met)* ended ──▶ clearing
//            ── cancel (cancel lane) ───────────────▶
//
// Exactly one `ended` answers each request; everything else that came of a request precedes it. The fields of both
// stand in schemas/records/messages.ts; here are their codes.

export const MatchRequestKind = { place: 1, cancel: 2, amend: 3, adjust: 4 } as const;
export type MatchRequestKind = (typeof MatchRequestKind)[keyof typeof MatchRequestKind];

/** Which ring carried a request: cancels overtake orders. */
export const MatchLane = { orders: 0, cancels: 1 } as const;
export type MatchLane = (typeof MatchLane)[keyof typeof MatchLane];

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
