// Custody figures shown to operators. Types only.

export interface CustodyFigures {
  /** Custody's coins as of the last update read from the ledger. Approximate, for display. */
  readonly holdings: readonly { readonly asset: string; readonly amount: number }[];
  readonly withdrawalsPending: number;
  /** Number of deposits that wait for the operator. */
  readonly depositsUnclaimed: number;
  /** Seconds since the wallets were last compared with the ledger; null before the first comparison. */
  readonly mirrorAgeSeconds: number | null;
  /** Bytes that remain of the free base traffic. */
  readonly baseRemainingBytes: number;
  /** The lanes, each with the bytes that remain of its share of the current window. */
  readonly lanes: readonly { readonly lane: string; readonly leftBytes: number }[];
}

export interface CustodyFiguresReader {
  read(): Promise<CustodyFigures>;
}
