// Swaps by request for quote: states and the reasons for reaching them. Codes are part of the journal's
// format: never renumber, only add.

/** Open swaps of one account. Each queries up to eight providers and is polled until it ends. */
export const swapsOpenPerAccountMax = 8;

export const SwapState = {
  /** Before the request. */
  none: 0,
  /** Providers have been sent the request. */
  requested: 1,
  /** At least one quote can be accepted. */
  quoted: 2,
  /** The trader accepted a quote: the terms are fixed. */
  accepted: 3,
  /** The trader's leg is locked on the ledger. */
  traderAllocated: 4,
  /** Both legs are locked on the ledger on the accepted terms. */
  allocated: 5,
  /** The operator settles both legs in one transaction. */
  executing: 6,
  /** The swap will not be settled; its locked holdings are being released. */
  releasing: 7,
  settled: 8,
  /** The swap ended before anything was locked: it had no quote, no acceptance, or no lock in time. */
  expired: 9,
  cancelled: 10,
  /** All locked holdings are free again. */
  released: 11,
} as const;
export type SwapState = (typeof SwapState)[keyof typeof SwapState];

/** The reason for a swap's last state change. */
export const SwapReason = {
  none: 0,
  noQuote: 1,
  quotesLapsed: 2,
  /** The trader cancelled it. */
  traderCancelled: 3,
  /** The trader's leg was not on the ledger in time. */
  traderLate: 4,
  /** The provider declined after its quote was accepted. */
  declined: 5,
  providerLate: 6,
  /** The provider locked something other than its quote. */
  wrongTerms: 7,
  /** The ledger refused to settle it. */
  refused: 8,
  /** Too little time was left to settle it. */
  settlementLate: 9,
  /** The operator cancelled it. */
  aborted: 10,
  /** The trader withdrew its leg. */
  traderWithdrew: 11,
  /** The trader's account was frozen. */
  accountFrozen: 12,
  /** The trader signed in time, but its leg did not appear on the ledger, through no fault of the trader. */
  lockFailed: 13,
} as const;
export type SwapReason = (typeof SwapReason)[keyof typeof SwapReason];

/** Names in the API and in records. */
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

/** Whether the state is final. */
export function isSwapOver(state: SwapState): boolean {
  return state >= SwapState.settled;
}
