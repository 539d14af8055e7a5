// Randomness is injected, so that tests can repeat a run.

export interface Entropy {
  /** Returns `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
  /** Returns `length` random characters from A–Z, a–z and 0–9, each equally likely. */
  text(length: number): string;
}
