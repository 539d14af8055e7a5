// The venue's times in shared memory. The main thread compares the machine's clocks and stores the offset from
// monotonic time, which all threads share; the other threads only read. A venue that can be rewound also has a market's
// time, which runs from a base at its own speed; without one, the last four fields stay 0.
//
//   BigInt64 0      1                        2                  3         4                   5                6
//   ┌──────────────┬────────────────────────┬──────────────────┬─────────┬───────────────────┬────────────────┬───────┐
//   │ offset in µs │ held since in ms, or 0 │ difference in ms │ version │ market's ms, base │ base, mono µs  │ speed │
//   └──────────────┴────────────────────────┴──────────────────┴─────────┴───────────────────┴────────────────┴───────┘

const offsetIndex = 0;
const heldIndex = 1;
const differenceIndex = 2;
/** Odd while the fields after it are being written; 0 if there is no market's time. */
const versionIndex = 3;
const marketIndex = 4;
const anchorIndex = 5;
/** In thousandths; 0 while the market's time is paused. */
const speedIndex = 6;
const words = 7;

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

  /** Whether the market has a time of its own. It is stored before any other thread starts, and stays. */
  hasMarketTime(): boolean {
    return Atomics.load(this.#i64, versionIndex) !== 0n;
  }

  /** The market's time in whole ms at the monotonic time `monotonicMs`. Only for a buffer with one. */
  marketMs(monotonicMs: number): number {
    for (;;) {
      // The version is read before and after the fields: if it is odd or has changed, base and speed may not belong
      // together. The writer needs less than a microsecond, so a reader rarely looks twice.
      const version = Atomics.load(this.#i64, versionIndex);
      const baseMs = Number(Atomics.load(this.#i64, marketIndex));
      const anchorUs = Number(Atomics.load(this.#i64, anchorIndex));
      const speed = Number(Atomics.load(this.#i64, speedIndex)) / 1000;
      if (version % 2n !== 0n || Atomics.load(this.#i64, versionIndex) !== version) continue;
      return Math.floor(baseMs + Math.max(0, monotonicMs - anchorUs / 1000) * speed);
    }
  }

  /** How many times as fast as real time the market's time runs; 0 while it is paused. */
  marketSpeed(): number {
    // Only the pace of looks depends on it, so it need not fit the base.
    return Number(Atomics.load(this.#i64, speedIndex)) / 1000;
  }

  /** Stores that the market's time is `ms` at `monotonicMs` and runs at `speed`. Only the main thread calls this. */
  storeMarket(ms: number, monotonicMs: number, speed: number): void {
    // Odd while the fields change, and even afterwards, so that no reader takes a base with another speed.
    Atomics.add(this.#i64, versionIndex, 1n);
    Atomics.store(this.#i64, marketIndex, BigInt(Math.floor(ms)));
    Atomics.store(this.#i64, anchorIndex, BigInt(Math.round(monotonicMs * 1000)));
    Atomics.store(this.#i64, speedIndex, BigInt(Math.round(speed * 1000)));
    Atomics.add(this.#i64, versionIndex, 1n);
  }
}
