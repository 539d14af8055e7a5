// The development ledger's time: that of its process, or one that only moves when it is told to. Record times
// strictly increase either way, in microseconds.

export class DevnetClock {
  #lastUs = 0;
  #manualMs: number | null;

  readonly #now: () => number;

  /** `startMs`: of a clock that is told to move; null for `now`. */
  constructor(startMs: number | null, now: () => number) {
    this.#manualMs = startMs;
    this.#now = now;
  }

  now(): number {
    return this.#manualMs ?? this.#now();
  }

  /** Of the process, which the ends of tokens are held against. */
  processMs(): number {
    return this.#now();
  }

  /** Moves a manual clock; false where the clock moves by itself. */
  advance(ms: number): boolean {
    if (this.#manualMs === null) return false;
    this.#manualMs += ms;
    return true;
  }

  /** Later than every record time before it, as ISO 8601 with microseconds. */
  recordTime(): string {
    this.#lastUs = Math.max(this.#lastUs + 1, this.now() * 1000);
    const iso = new Date(Math.floor(this.#lastUs / 1000)).toISOString();
    const micros = String(this.#lastUs % 1000).padStart(3, "0");
    return iso.replace("Z", `${micros}Z`);
  }
}
