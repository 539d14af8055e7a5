// Coins that clearing holds until they are settled on the ledger. Types only; amounts are in minor units.

/** The amount that a batch delivers to an account. Clearing holds it until the batch is confirmed. */
export interface SettledReceipt {
  readonly account: number;
  readonly asset: number;
  /** Above 0. */
  readonly amount: bigint;
}

/** A release sent to clearing. */
export interface CoinRelease {
  readonly releaseId: number;
  readonly account: number;
  readonly asset: number;
  readonly amount: bigint;
  /** The release was sent when the journal had reached this seq. */
  readonly seqBefore: number;
}

export interface SettledCoinStore {
  /** Releases that were sent and whose outcome is unknown. */
  openReleases(): Promise<CoinRelease[]>;
  /**
   * Stores and returns releases, one per account and asset, of what confirmed batches delivered and was not
   * released.
   */
  prepareReleases(seqBefore: number): Promise<CoinRelease[]>;
  /** Removes releases that are done and restores the amounts of those that were not. */
  finishReleases(done: readonly number[], notDone: readonly number[]): Promise<void>;
}
