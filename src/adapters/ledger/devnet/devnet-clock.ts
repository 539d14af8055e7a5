// The development ledger's time: the system's, or one that only moves when it is told to. Record times
// strictly increase either way, in microseconds.

export class DevnetClock {
  #lastUs = 0;
  #manualMs: number | null;

  constructor(startMs: number | null) {
    this.#manualMs = startMs;
  }

  now(): number {
    return this.#manualMs ?? Date.now();
  }

  /** Moves a manual clock; false where the clock is the system's. */
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
