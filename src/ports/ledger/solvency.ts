// The ledger's side of the solvency report at one moment: custody's coins, and the amounts in flight between the
// venue's balances and the ledger. Types only.

/** Identifies one moment in the venue's journal, at which balances are compared. */
export interface BookMoment {
  /** Seq of the last event that the balances include. */
  readonly seq: number;
  /** Number of the first trade that the balances do not include. */
  readonly nextTradeId: number;
  /** Withdrawals that were not completed at that moment. */
  readonly pendingWithdrawals: readonly number[];
}

/** Sum of fills between members and custody. */
export interface CrossingFills {
  readonly market: number;
  /** True if the member was the buyer. */
  readonly isMemberBuyer: boolean;
  /**
   * 1 if the fills are in the venue's balances but not yet on the ledger; -1 if they are on the ledger but not yet in
   * the balances.
   */
  readonly sign: 1 | -1;
  /**
   * Name of a group of fills that are netted together and may never settle: fills of one failed or skipped batch, or of
   * one member that is frozen or has revoked its authority. Null for all other fills.
   */
  readonly doubtful: string | null;
  readonly lots: bigint;
  /** Value in minor units of the quote asset. */
  readonly quote: bigint;
  /** Fees of the members, in minor units of the asset that they received. */
  readonly memberFee: bigint;
}

/** Money of one asset in flight to custody; negative if it is in flight from custody. */
export interface Crossing {
  readonly asset: number;
  /** Minor units. */
  readonly amount: bigint;
}

/** The amount of an asset that custody holds. */
export interface CustodyHolding {
  readonly asset: number;
  /** Units of 10^−10. */
  readonly units: bigint;
}

export interface LedgerMoment {
  /** Offset up to which the ledger was read. */
  readonly ledgerOffset: number;
  /** All assets on the ledger, including assets of which custody holds nothing. */
  readonly holdings: readonly CustodyHolding[];
  readonly fills: readonly CrossingFills[];
  /** Deposits, withdrawals and returned deposits. */
  readonly payments: readonly Crossing[];
}

export interface SolvencyReader {
  /**
   * Reads the ledger's side at a moment that is not earlier than `books`. Returns "unreached" if the ledger was never
   * reached. Returns "uneven" if the parts of the ledger's data were not all read up to the same offset; the caller
   * then retries.
   */
  read(books: BookMoment): Promise<LedgerMoment | "unreached" | "uneven">;
}
