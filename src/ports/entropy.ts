// Randomness comes in from outside, so that tests can repeat a run.

export interface Entropy {
  /** `count` bytes nobody can foresee. */
  bytes(count: number): Uint8Array;
  /** `length` of the characters A–Z, a–z and 0–9, each equally likely. */
  text(length: number): string;
}
