// Assets and their scales. An asset's id is its index in the balance arrays and never changes.

/** One asset the venue keeps balances in. */
export interface Asset {
  /** 0 … assetsMax − 1. */
  readonly id: number;
  readonly code: string;
  /** Decimal places of the minor unit, 0 … 8. */
  readonly decimals: number;
}
