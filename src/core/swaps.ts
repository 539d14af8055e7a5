// Words of swaps by request for quote: what state one is in and why it got there. Codes are part of the
// journal's format: never renumber, only add.

export const SwapState = {
  /** Before it was asked for. */
  none: 0,
  /** Providers are being asked. */
  requested: 1,
  /** At least one quote can be taken. */
  quoted: 2,
  /** The trader took a quote: terms are fixed. */
  accepted: 3,
  /** The trader's leg is locked on the ledger. */
  traderAllocated: 4,
  /** Both legs are locked on the terms that were accepted. */
  allocated: 5,
  /** The operator settles both legs by one transaction. */
  executing: 6,
  /** It will not be settled; what is locked goes back. */
  releasing: 7,
  settled: 8,
  /** It ended before anything was locked: nobody quoted, nobody accepted, or nothing was locked in time. */
  expired: 9,
  cancelled: 10,
  /** What was locked is free again. */
  released: 11,
} as const;
export type SwapState = (typeof SwapState)[keyof typeof SwapState];

/** Why a swap left the state before. */
export const SwapReason = {
  none: 0,
  noQuote: 1,
  quotesLapsed: 2,
  /** The trader called it off. */
  traderCancelled: 3,
  /** The trader's leg was not on the ledger in time. */
  traderLate: 4,
  /** The provider said no after its quote was taken. */
  declined: 5,
  providerLate: 6,
  /** What the provider locked is not what it quoted. */
  wrongTerms: 7,
  /** The ledger refuses to settle it. */
  refused: 8,
  /** No time was left to settle it. */
  settlementLate: 9,
  /** The operator called it off. */
  aborted: 10,
  /** The trader took its leg back. */
  traderWithdrew: 11,
  /** The trader's account was frozen. */
  accountFrozen: 12,
  /** What the trader signed in time did not come about on the ledger, and not by its doing. */
  lockFailed: 13,
} as const;
export type SwapReason = (typeof SwapReason)[keyof typeof SwapReason];

/** As surfaces and records name them. */
export const swapStateNames: Readonly<Record<SwapState, string>> = {
  [SwapState.none]: "none",
  [SwapState.requested]: "requested",
  [SwapState.quoted]: "quoted",
  [SwapState.accepted]: "accepted",
  [SwapState.traderAllocated]: "trader_allocated",
  [SwapState.allocated]: "allocated",
  [SwapState.executing]: "executing",
  [SwapState.releasing]: "releasing",
  [SwapState.settled]: "settled",
  [SwapState.expired]: "expired",
  [SwapState.cancelled]: "cancelled",
  [SwapState.released]: "released",
};

export const swapReasonNames: Readonly<Record<SwapReason, string | null>> = {
  [SwapReason.none]: null,
  [SwapReason.noQuote]: "no_quote",
  [SwapReason.quotesLapsed]: "quotes_lapsed",
  [SwapReason.traderCancelled]: "trader_cancelled",
  [SwapReason.traderLate]: "trader_late",
  [SwapReason.declined]: "provider_declined",
  [SwapReason.providerLate]: "provider_late",
  [SwapReason.wrongTerms]: "wrong_terms",
  [SwapReason.refused]: "settlement_refused",
  [SwapReason.settlementLate]: "settlement_late",
  [SwapReason.aborted]: "operator_aborted",
  [SwapReason.traderWithdrew]: "trader_withdrew",
  [SwapReason.accountFrozen]: "account_frozen",
  [SwapReason.lockFailed]: "lock_failed",
};

/** Nothing follows these. */
export function isSwapOver(state: SwapState): boolean {
  return state >= SwapState.settled;
}
