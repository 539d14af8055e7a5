// Requests from clearing to a matcher and the matcher's answers. Clearing issues the handle of an order (slot +
// generation) so that neither side needs an id map. Handles are private to clearing and the matcher and are never
// journaled, hashed or shown.
//
//   clearing ── place, amend, adjust, readLevel (order lane) ──▶ matcher
//            ── cancel (cancel lane) ──────────────────────────▶
//   matcher  ── (filled | reduced | removed | met)* ended ─────▶ clearing
//
// Exactly one `ended` answers each request, after all other records that the request caused. The fields of requests and
// answers are in schemas/records/messages.ts; their codes are here.

export const MatchRequestKind = { place: 1, cancel: 2, amend: 3, adjust: 4, readLevel: 5 } as const;
export type MatchRequestKind = (typeof MatchRequestKind)[keyof typeof MatchRequestKind];

/** The ring on which a request is sent. Cancels have their own ring, so that they overtake orders. */
export const MatchLane = { orders: 0, cancels: 1 } as const;
export type MatchLane = (typeof MatchLane)[keyof typeof MatchLane];

export const MatchOutcome = {
  /** The remainder rests in the book. */
  rested: 1,
  /** Nothing remains. */
  filled: 2,
  /** IOC or MARKET remainder dropped. */
  unfilled: 3,
  /** FOK could not be filled in full; nothing traded. */
  fillOrKill: 4,
  /**
   * A post-only order would have traded with another account, or would have skipped more than `ownSkipsMax` orders of
   * its own account in a row; nothing happened.
   */
  wouldTake: 5,
  /** Remainder dropped after the order traded with, reduced or removed `matchesPerOrderMax` resting orders. */
  matchesPerOrderMax: 6,
  /** Remainder dropped after the sweep skipped `ownSkipsMax` resting orders of the same account in a row. */
  ownSkipsMax: 7,
  /** The order left the book by request: a cancel, or an amend to a quantity that has already traded. */
  cancelled: 8,
  /** Cancel or amend of an order that is no longer in the book, or never was. */
  unknown: 9,
  /** Remainder dropped by self-trade prevention (expireTaker, expireBoth, decrement). */
  selfTrade: 10,
  /** Remainder of a reduce-only order dropped because the account has no position left to reduce. */
  reduceOnly: 11,
  /**
   * The remaining budget does not pay for one lot at the sweep's current price, so the order ends. It has traded
   * nothing if the budget did not even pay for the first lot.
   */
  budgetSpent: 12,
  /** An adjust request was carried out: the account's position in the book has changed. */
  adjusted: 13,
  /** Cancel of an order that no longer has the expected lots; the order stays. */
  changed: 14,
  /** The price of a level was read, or the side has no such level; nothing happened. */
  levelRead: 15,
} as const;
export type MatchOutcome = (typeof MatchOutcome)[keyof typeof MatchOutcome];

/** Why a matcher removed a resting order during the sweep of an incoming order. */
export const RemovalReason = {
  /** It belonged to the incoming order's account, and the incoming order's self-trade prevention mode removes it. */
  selfTrade: 1,
  /** It is reduce-only, and its account has no position left to reduce. */
  reduceOnly: 2,
} as const;
export type RemovalReason = (typeof RemovalReason)[keyof typeof RemovalReason];
