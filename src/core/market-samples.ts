// Periodic samples of a perpetual market: open interest, prices, and how its holders divide into longs and shorts. The
// samples are aggregates and reveal nothing about a single account.

/** Every sample time is a multiple of this. */
export const sampleIntervalMs = 300_000;

/**
 * Smallest group of accounts whose long-short division is published; a smaller group would reveal a single account.
 */
export const dividedAccountsMin = 3;

/** How the accounts of a group are divided: how many are long and short, and with how many lots. */
export interface Division {
  readonly longAccounts: number;
  readonly shortAccounts: number;
  readonly longLots: bigint;
  readonly shortLots: bigint;
}

export interface MarketSample {
  readonly atMs: number;
  /** Lots held long, equal to the lots held short. */
  readonly openLots: bigint;
  /** Mark and index in ticks; 0 if the market had none. */
  readonly mark: number;
  readonly index: number;
  /** All accounts with a position in the market. */
  readonly all: Division;
  /** The fifth of the accounts in `all` (rounded up) that have the highest equity. */
  readonly top: Division;
}

/** Whether a division reveals no single account: enough accounts, and not all on one side. */
export function isTellable({ longAccounts, shortAccounts }: Division): boolean {
  const accounts = longAccounts + shortAccounts;
  return accounts >= dividedAccountsMin && longAccounts > 0 && shortAccounts > 0;
}
