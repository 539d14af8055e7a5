// What is kept of a perpetual market at each turn of an interval: how much is open, at which prices, and how the
// accounts that hold it are divided. Aggregates alone: nothing of one account can be read from them.

/** Every sample stands at a multiple of this. */
export const sampleIntervalMs = 300_000;

/** Accounts that a group has at least where its division is told; fewer would tell what one of them holds. */
export const dividedAccountsMin = 3;

/** How the accounts of a group stand: how many are long or short, and with how many lots together. */
export interface Division {
  readonly longAccounts: number;
  readonly shortAccounts: number;
  readonly longLots: bigint;
  readonly shortLots: bigint;
}

export interface MarketSample {
  readonly atMs: number;
  /** Lots that are held long, and so many are short. */
  readonly openLots: bigint;
  /** Ticks; 0 where there was none. */
  readonly mark: number;
  readonly index: number;
  /** All accounts that hold the market. */
  readonly all: Division;
  /** The fifth of them with the most equity. */
  readonly top: Division;
}

/** Whether a division says nothing of one account: enough of them, and not all on one side. */
export function isTellable({ longAccounts, shortAccounts }: Division): boolean {
  const accounts = longAccounts + shortAccounts;
  return accounts >= dividedAccountsMin && longAccounts > 0 && shortAccounts > 0;
}
