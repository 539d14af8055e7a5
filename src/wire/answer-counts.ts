// Counts, for each HTTP status, how many answers the fronts of a venue have sent since it started. Each front writes its
// own row, and any thread reads the sums: whichever front answers a scrape tells of all of them.

import { assert } from "../core/assert.ts";

/** Statuses have three digits. */
const statusesMax = 600;

export class AnswerCounts {
  readonly #f64: Float64Array;
  readonly #own: number;

  /** Returns zeroed memory for the counts of `fronts` fronts. */
  static allocate(fronts: number): SharedArrayBuffer {
    return new SharedArrayBuffer(fronts * statusesMax * Float64Array.BYTES_PER_ELEMENT);
  }

  /** `front` is the index of the front that writes; a reader may pass any. */
  constructor(memory: SharedArrayBuffer, front = 0) {
    this.#f64 = new Float64Array(memory);
    this.#own = front * statusesMax;
    assert(this.#own < this.#f64.length, "the memory must have a row for the front");
  }

  /** Counts an answer of this front. */
  count(status: number): void {
    // No atomics: a row has one writer, and readers tolerate an error of one.
    const at = this.#own + status;
    this.#f64[at] = (this.#f64[at] ?? 0) + 1;
  }

  /** The number of answers of all fronts with this status. */
  of(status: number): number {
    let sum = 0;
    for (let at = status; at < this.#f64.length; at += statusesMax) sum += this.#f64[at] ?? 0;
    return sum;
  }

  /** Each status that was sent, with its number of answers. */
  all(): [status: number, count: number][] {
    const statuses = Array.from({ length: statusesMax }, (_, status) => status);
    return statuses.flatMap((status): [number, number][] => {
      const count = this.of(status);
      return count > 0 ? [[status, count]] : [];
    });
  }
}
