// Coins that clearing holds until they are settled on the ledger. Types only; amounts are in minor units.

/** The amount that a settlement batch delivers to an account. Clearing holds it until the batch is confirmed. */
export interface SettledReceipt {
  readonly account: number;
  readonly asset: number;
  /** Above 0. */
  readonly amount: bigint;
}

/** A release of held coins that was sent to clearing. */
export interface CoinRelease {
  readonly releaseId: number;
  readonly account: number;
  readonly asset: number;
  readonly amount: bigint;
  /** Seq of the journal's last event when the release was sent. */
  readonly seqBefore: number;
}

export interface SettledCoinStore {
  /** Returns releases that were sent and whose outcome is unknown. */
  openReleases(): Promise<CoinRelease[]>;
  /**
   * Stores and returns releases of the amounts that confirmed batches delivered and that are not released yet: one
   * release per account and asset.
   */
  prepareReleases(seqBefore: number): Promise<CoinRelease[]>;
  /**
   * Removes the releases in `done`. Restores the amounts of the releases in `notDone`, so that they are released again
   * later.
   */
  finishReleases(done: readonly number[], notDone: readonly number[]): Promise<void>;
}
