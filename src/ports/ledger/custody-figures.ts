// What operators watch of custody. Types only.

export interface CustodyFigures {
  /** Custody's coins as far as the ledger was read: figures for people, not exact. */
  readonly holdings: readonly { readonly asset: string; readonly amount: number }[];
  readonly withdrawalsPending: number;
  /** Deposits that wait for the operator. */
  readonly depositsUnclaimed: number;
  /** Since wallets were last compared with the ledger; null before the first time. */
  readonly mirrorAgeSeconds: number | null;
  /** What is left of the free base of traffic. */
  readonly baseRemainingBytes: number;
  /** What each lane has left of its share of the window. */
  readonly lanes: readonly { readonly lane: string; readonly leftBytes: number }[];
}

export interface CustodyFiguresReader {
  read(): Promise<CustodyFigures>;
}
