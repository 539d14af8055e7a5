// What an operator reads of accounts and markets, as rows.

export interface AccountRow {
  readonly account: number;
  readonly type: number;
  readonly flags: number;
  /** Null for an account that the venue has from its beginning. */
  readonly openedUs: number | null;
  readonly openOrders: number;
  readonly balances: readonly BalanceRow[];
}

export interface BalanceRow {
  readonly wallet: number;
  readonly asset: number;
  readonly total: bigint;
  readonly reserved: bigint;
}

export interface PositionRow {
  readonly market: number;
  readonly qty: bigint;
  readonly entryValue: bigint;
}

export interface MarketRow {
  readonly market: number;
  readonly symbol: string;
  /** As clients of FAPI and spot name it. */
  readonly alias: string;
  readonly status: number;
  readonly mark: number;
  readonly index: number;
  /** Of the last trade. */
  readonly last: number;
}
