// The ledger's side of the solvency report at one moment: custody's coins, and the amounts in flight between the
// venue's books and the ledger. Types only.

/** Identifies a moment of the venue's books. */
export interface BookMoment {
  /** The last event included. */
  readonly seq: number;
  /** Trades from this number on are not included. */
  readonly nextTradeId: number;
  /** Withdrawals not completed at that moment. */
  readonly pendingWithdrawals: readonly number[];
}

/** Sum of fills between members and custody. */
export interface CrossingFills {
  readonly market: number;
  /** Whether the member bought. */
  readonly isMemberBuyer: boolean;
  /** 1: in the books but not on the ledger; -1: the reverse. */
  readonly sign: 1 | -1;
  /**
   * Groups fills that are netted together and may never settle: those of a failed batch, or of a member that
   * is frozen or revoked its authority. Null for all others.
   */
  readonly doubtful: string | null;
  readonly lots: bigint;
  /** Minor units of the quote. */
  readonly quote: bigint;
  /** The members' fees, in minor units of what they received. */
  readonly memberFee: bigint;
}

/** Money of one asset in flight to custody; negative: from custody. */
export interface Crossing {
  readonly asset: number;
  /** Minor units. */
  readonly amount: bigint;
}

/** Custody's holding of an asset. */
export interface CustodyHolding {
  readonly asset: number;
  /** Units of 10^−10. */
  readonly units: bigint;
}

export interface LedgerMoment {
  /** The offset up to which the ledger was read. */
  readonly ledgerOffset: number;
  /** All assets on the ledger, including those custody does not hold. */
  readonly holdings: readonly CustodyHolding[];
  readonly fills: readonly CrossingFills[];
  /** Deposits, withdrawals and returned deposits. */
  readonly payments: readonly Crossing[];
}

export interface SolvencyReader {
  /**
   * The ledger's side at a moment not before `books`. "unreached" if the ledger was never reached; "uneven"
   * if its readings are not at one offset yet, in which case the caller retries.
   */
  read(books: BookMoment): Promise<LedgerMoment | "unreached" | "uneven">;
}
