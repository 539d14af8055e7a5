// The development ledger's time: the time of its process, or a manual clock. With either clock, record times strictly
// increase, in microseconds.

export class DevnetClock {
  #lastUs = 0;
  #manualMs: number | null;

  readonly #now: () => number;

  /** `startMs` is the start of a manual clock; null makes the clock follow `now`. */
  constructor(startMs: number | null, now: () => number) {
    this.#manualMs = startMs;
    this.#now = now;
  }

  now(): number {
    return this.#manualMs ?? this.#now();
  }

  /** Returns the time of the process, by which the expiry of tokens is checked. */
  processMs(): number {
    return this.#now();
  }

  /** Advances a manual clock by `ms`; returns false for a clock that follows `now`. */
  advance(ms: number): boolean {
    if (this.#manualMs === null) return false;
    this.#manualMs += ms;
    return true;
  }

  /** Returns a record time later than all earlier ones, as ISO 8601 with microseconds. */
  recordTime(): string {
    this.#lastUs = Math.max(this.#lastUs + 1, this.now() * 1000);
    const iso = new Date(Math.floor(this.#lastUs / 1000)).toISOString();
    const micros = String(this.#lastUs % 1000).padStart(3, "0");
    return iso.replace("Z", `${micros}Z`);
  }
}
