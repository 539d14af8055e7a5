// Randomness is injected, so that tests can repeat a run.

export interface Entropy {
  /** `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
  /** `length` of the characters A–Z, a–z and 0–9, each equally likely. */
  text(length: number): string;
}
