// The venue's time in shared memory. The main thread compares the machine's clocks and stores the offset
// from monotonic time, which is one for all threads; the others only read.
//
//   BigInt64 0      1                        2
//   ┌──────────────┬────────────────────────┬──────────────────┐
//   │ offset in µs │ held since in ms, or 0 │ difference in ms │
//   └──────────────┴────────────────────────┴──────────────────┘

const offsetIndex = 0;
const heldIndex = 1;
const differenceIndex = 2;
const words = 3;

export class ClockBuffer {
  readonly #i64: BigInt64Array;

  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(words * BigInt64Array.BYTES_PER_ELEMENT);
  }

  /** The times in `buffer`, which `allocate` made. */
  constructor(buffer: SharedArrayBuffer) {
    this.#i64 = new BigInt64Array(buffer);
  }

  /** The venue's time less monotonic time, in microseconds. */
  offsetUs(): number {
    // Untorn is all a reader needs: each value is a right time.
    return Number(Atomics.load(this.#i64, offsetIndex));
  }

  /** The venue's time in ms at which the wall clock was no longer believed; 0 while it is. */
  heldSinceMs(): number {
    // A reader that meets the new offset with the old word is one look of main's late, no more.
    return Number(Atomics.load(this.#i64, heldIndex));
  }

  /** The wall clock less the venue's time in ms, when main looked last. */
  differenceMs(): number {
    // A figure for people.
    return Number(Atomics.load(this.#i64, differenceIndex));
  }

  /** Main only. */
  store(offsetUs: number, heldSinceMs: number, differenceMs: number): void {
    // Held before the offset: duties stop no later than the time they would be done by.
    Atomics.store(this.#i64, heldIndex, BigInt(Math.round(heldSinceMs)));
    Atomics.store(this.#i64, offsetIndex, BigInt(Math.round(offsetUs)));
    Atomics.store(this.#i64, differenceIndex, BigInt(Math.round(differenceMs)));
  }
}
