// What the ledger's side of the books is at one moment: the coins of custody, and what is on its way
// between books and ledger, seen from a moment of the journal. Types only.

/** A moment of the venue's books. */
export interface BookMoment {
  /** The last event they hold. */
  readonly seq: number;
  /** Trades from this number on are not in them. */
  readonly nextTradeId: number;
  /** Withdrawals that have not ended in them. */
  readonly pendingWithdrawals: readonly number[];
}

/** Fills between members and custody, in sum. */
export interface CrossingFills {
  readonly market: number;
  /** Whether the member bought. */
  readonly isMemberBuyer: boolean;
  /** 1: in the books and not on the ledger; -1: the other way round. */
  readonly sign: 1 | -1;
  /**
   * Fills that are netted together and that nobody knows will be settled: those of a failed batch, or of a
   * member that is frozen or has taken its authority back. null for all others.
   */
  readonly doubtful: string | null;
  readonly lots: bigint;
  /** Minor units of the quote. */
  readonly quote: bigint;
  /** The members' fees, in minor units of what they received. */
  readonly memberFee: bigint;
}

/** Money of one asset on its way to custody, or from it where it is negative. */
export interface Crossing {
  readonly asset: number;
  /** Minor units. */
  readonly amount: bigint;
}

/** What custody has of an asset. */
export interface CustodyHolding {
  readonly asset: number;
  /** Units of 10^−10. */
  readonly units: bigint;
}

export interface LedgerMoment {
  /** The ledger was read up to here. */
  readonly ledgerOffset: number;
  /** Assets that have a place on the ledger, whether custody holds any or not. */
  readonly holdings: readonly CustodyHolding[];
  readonly fills: readonly CrossingFills[];
  /** Deposits, withdrawals and what goes back to who sent it. */
  readonly payments: readonly Crossing[];
}

export interface SolvencyReader {
  /**
   * The ledger's side at one moment that is not before `books`; null where the ledger has never been
   * reached, or where what it was read for is not at the same place yet: to be asked again then.
   */
  read(books: BookMoment): Promise<LedgerMoment | "unreached" | "uneven">;
}
