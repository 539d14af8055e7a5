// A histogram in shared memory: one thread writes, any thread reads. Each bucket is twice as wide as the one before,
// which is precise enough for latencies and batch sizes, and counting a value costs only three stores.
//
//   Float64 0     1       2 … 2 + buckets
//   ┌───────────┬───────┬─────────────────────────┐
//   │ sum       │ count │ values ≤ 2^i × least …  │   the last bucket takes everything larger
//   └───────────┴───────┴─────────────────────────┘
//
// A reader may see a sum that includes one value more than the count, which is acceptable for monitoring.

const bucketCount = 24;
const sumIndex = 0;
const countIndex = 1;
const bucketsIndex = 2;
const words = bucketsIndex + bucketCount + 1;

export class SharedHistogram {
  readonly #f64: Float64Array;
  readonly #least: number;

  static readonly bytes = words * 8;

  /** Uses the histogram at `offset` of `memory`; its first bucket holds values ≤ `least`. */
  constructor(memory: SharedArrayBuffer, offset: number, least: number) {
    this.#f64 = new Float64Array(memory, offset, words);
    this.#least = least;
  }

  /** Counts a value ≥ 0. Only the thread that owns the histogram calls this. */
  record(value: number): void {
    const ratio = value / this.#least;
    const bucket = ratio <= 1 ? 0 : Math.min(Math.ceil(Math.log2(ratio)), bucketCount);
    this.#add(sumIndex, value);
    this.#add(countIndex, 1);
    this.#add(bucketsIndex + bucket, 1);
  }

  get sum(): number {
    return this.#f64[sumIndex] ?? 0;
  }

  get count(): number {
    return this.#f64[countIndex] ?? 0;
  }

  /** Returns upper bounds and cumulative counts, as Prometheus expects; the last bound is ∞. */
  cumulative(): { bound: number; count: number }[] {
    let count = 0;
    return Array.from({ length: bucketCount + 1 }, (_, bucket) => {
      count += this.#f64[bucketsIndex + bucket] ?? 0;
      const bound = bucket === bucketCount ? Number.POSITIVE_INFINITY : this.#least * 2 ** bucket;
      return { bound, count };
    });
  }

  #add(index: number, value: number): void {
    this.#f64[index] = (this.#f64[index] ?? 0) + value;
  }
}
