// What settlement keeps of coins that clearing holds until they are on the ledger. Types only; amounts
// are in minor units.

/** What the fills of a batch bring to an account, which clearing holds until the batch is confirmed. */
export interface SettledReceipt {
  readonly account: number;
  readonly asset: number;
  /** Above 0. */
  readonly amount: bigint;
}

/** What clearing is asked to free. */
export interface CoinRelease {
  readonly releaseId: number;
  readonly account: number;
  readonly asset: number;
  readonly amount: bigint;
  /** It was asked for behind this seq of the journal. */
  readonly seqBefore: number;
}

export interface SettledCoinStore {
  /** Releases that were asked for, of which nobody knows whether they were done. */
  openReleases(): Promise<CoinRelease[]>;
  /** Writes down, one an account and asset, what confirmed batches have brought and nobody has freed. */
  prepareReleases(seqBefore: number): Promise<CoinRelease[]>;
  /** Forgets releases that are done, and gives back what those that were not done were to free. */
  finishReleases(done: readonly number[], notDone: readonly number[]): Promise<void>;
}
