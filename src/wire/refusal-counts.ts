// Counts, for each reason, how many commands clearing has refused since the venue started. Clearing writes the counts,
// and any number of threads read them.

import { assert } from "../core/assert.ts";

/** Reason codes have three digits. */
const reasonsMax = 1000;

export class RefusalCounts {
  readonly #f64: Float64Array;

  /** Returns zeroed memory for the counts. */
  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(reasonsMax * Float64Array.BYTES_PER_ELEMENT);
  }

  constructor(memory: SharedArrayBuffer) {
    this.#f64 = new Float64Array(memory);
    assert(this.#f64.length === reasonsMax, "the memory must have the size of the refusal counts");
  }

  /** Clearing only: counts one more refusal for `reason`. */
  count(reason: number): void {
    // No atomics: there is one writer, and readers tolerate an error of one.
    this.#f64[reason] = (this.#f64[reason] ?? 0) + 1;
  }

  /** Returns the number of refusals for `reason` so far. */
  of(reason: number): number {
    return this.#f64[reason] ?? 0;
  }
}
