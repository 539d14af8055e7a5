// How often clearing refused for each reason since the venue's start: one writer, any reader.

import { assert } from "../core/assert.ts";

/** Reasons are three digits. */
const reasonsMax = 1000;

export class RefusalCounts {
  readonly #f64: Float64Array;

  /** Zeroed memory. */
  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(reasonsMax * Float64Array.BYTES_PER_ELEMENT);
  }

  constructor(memory: SharedArrayBuffer) {
    this.#f64 = new Float64Array(memory);
    assert(this.#f64.length === reasonsMax, "memory of refusal counts");
  }

  /** Clearing only: refused once more for `reason`. */
  count(reason: number): void {
    // One writer, and readers for whom one more or less is the same: no atomics.
    this.#f64[reason] = (this.#f64[reason] ?? 0) + 1;
  }

  /** Refusals for `reason` so far. */
  of(reason: number): number {
    return this.#f64[reason] ?? 0;
  }
}
