// Custody figures shown to operators. Types only.

export interface CustodyFigures {
  /** Custody's coins as far as the ledger was read; approximate, for display. */
  readonly holdings: readonly { readonly asset: string; readonly amount: number }[];
  readonly withdrawalsPending: number;
  /** Deposits that wait for the operator. */
  readonly depositsUnclaimed: number;
  /** Seconds since wallets were last compared with the ledger; null before the first comparison. */
  readonly mirrorAgeSeconds: number | null;
  /** What is left of the free base traffic. */
  readonly baseRemainingBytes: number;
  /** The bytes that each lane has left of its share of the current window. */
  readonly lanes: readonly { readonly lane: string; readonly leftBytes: number }[];
}

export interface CustodyFiguresReader {
  read(): Promise<CustodyFigures>;
}
