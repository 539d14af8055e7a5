// Counts, for each HTTP status, how many answers the fronts of a venue have sent since it started. Each front writes its
// own row, and any thread reads the sums: whichever front answers a scrape tells of all of them.

import { assert } from "../core/assert.ts";

/** Statuses have three digits. */
const statusesMax = 600;

export class AnswerCounts {
  readonly #f64: Float64Array;

  /** Returns zeroed memory for the counts of `fronts` fronts. */
  static allocate(fronts: number): SharedArrayBuffer {
    return new SharedArrayBuffer(fronts * statusesMax * Float64Array.BYTES_PER_ELEMENT);
  }

  /** The row of a front, by status: only that front writes it. No atomics, because readers tolerate an error of one. */
  static rowOf(memory: SharedArrayBuffer, front: number): Float64Array {
    const bytes = statusesMax * Float64Array.BYTES_PER_ELEMENT;
    assert((front + 1) * bytes <= memory.byteLength, "the memory must have a row for the front");
    return new Float64Array(memory, front * bytes, statusesMax);
  }

  constructor(memory: SharedArrayBuffer) {
    this.#f64 = new Float64Array(memory);
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
