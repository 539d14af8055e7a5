// The venue's time in shared memory. The main thread compares the machine's clocks and stores the offset from
// monotonic time, which all threads share; the other threads only read.
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

  /** The times in `buffer`, which comes from `allocate`. */
  constructor(buffer: SharedArrayBuffer) {
    this.#i64 = new BigInt64Array(buffer);
  }

  /** The venue's time minus monotonic time, in microseconds. */
  offsetUs(): number {
    // Readers only need a value that is not torn: every stored offset is valid.
    return Number(Atomics.load(this.#i64, offsetIndex));
  }

  /** The venue's time in ms since which the wall clock is distrusted; 0 while it is trusted. */
  heldSinceMs(): number {
    // No ordering is needed: a reader that sees the new offset with the old value of this field is behind by at most
    // one check of the main thread.
    return Number(Atomics.load(this.#i64, heldIndex));
  }

  /** The wall clock minus the venue's time in ms, at the main thread's last check. */
  differenceMs(): number {
    // Only operators read this value, so no ordering is needed.
    return Number(Atomics.load(this.#i64, differenceIndex));
  }

  /** Stores the venue's time. Only the main thread calls this. */
  store(offsetUs: number, heldSinceMs: number, differenceMs: number): void {
    // The held time is stored before the offset, so that scheduled tasks see that the clock is distrusted before they
    // see a time that would trigger them.
    Atomics.store(this.#i64, heldIndex, BigInt(Math.round(heldSinceMs)));
    Atomics.store(this.#i64, offsetIndex, BigInt(Math.round(offsetUs)));
    Atomics.store(this.#i64, differenceIndex, BigInt(Math.round(differenceMs)));
  }
}
