// The venue's own time: the wall clock as long as it is believed, held against a monotonic clock. A small
// difference is taken over gradually; one beyond a bound holds the time, which then goes on by the monotonic
// clock alone until the wall clock comes back or an operator accepts it.
//
//   trusted ──difference beyond the bound──▶ held ──difference within it, or accepted──▶ trusted
//
// Times are milliseconds. Nothing here reads a clock.

/** Both clocks of the machine at one moment. */
export interface ClockReading {
  /** UTC, as the machine has it. */
  readonly wallMs: number;
  /** Goes on whatever the wall clock is set to; stands still while the machine sleeps. */
  readonly monotonicMs: number;
}

/** What a look found. */
export type ClockChange = "none" | "held" | "recovered" | "slept";

export interface ClockGuardParts {
  /** Time of the venue less monotonic time. */
  readonly offsetMs: number;
  readonly isHeld: boolean;
  readonly startedAt: ClockReading;
  /** The largest difference that is taken over. */
  readonly stepMs: number;
  /** How long the machine has slept since it started; asked only where the clocks differ. */
  readonly asleepMs: () => number;
}

/** Differences below this are readings of two clocks that were not taken at once. */
const noiseMs = 2;
/** How much of the time that passes a correction may add or take away. */
const slewShare = 0.1;
/** What is told of sleep comes in hundredths of a second. */
const asleepMsMin = 100;

export class ClockGuard {
  readonly #parts: ClockGuardParts;
  #offsetMs: number;
  #heldSinceMs: number | null;
  #differenceMs: number;
  #asleepMs: number;
  #lastMonotonicMs: number;

  constructor(parts: ClockGuardParts) {
    const { offsetMs, isHeld, startedAt, asleepMs } = parts;
    this.#parts = parts;
    this.#offsetMs = offsetMs;
    this.#heldSinceMs = isHeld ? startedAt.monotonicMs + offsetMs : null;
    this.#differenceMs = startedAt.wallMs - startedAt.monotonicMs - offsetMs;
    this.#asleepMs = asleepMs();
    this.#lastMonotonicMs = startedAt.monotonicMs;
  }

  /** The venue's time less monotonic time. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** The venue's time at which it was held; null while the wall clock is trusted. */
  get heldSinceMs(): number | null {
    return this.#heldSinceMs;
  }

  /** The wall clock less the venue's time, at the last look. */
  get differenceMs(): number {
    return this.#differenceMs;
  }

  /** How long the machine had slept at the last look that asked. */
  get asleepMs(): number {
    return this.#asleepMs;
  }

  /** Compares the clocks; to be called several times a second. */
  look(reading: ClockReading): ClockChange {
    const elapsedMs = reading.monotonicMs - this.#lastMonotonicMs;
    this.#lastMonotonicMs = reading.monotonicMs;
    this.#differenceMs = differenceOf(reading, this.#offsetMs);
    const { stepMs } = this.#parts;
    // Time went on while the machine slept: that is no step of the wall clock.
    const hasSlept = Math.abs(this.#differenceMs) > stepMs && this.#addSleep(reading);
    const isFar = Math.abs(this.#differenceMs) > stepMs;
    const wasHeld = this.#heldSinceMs !== null;
    if (isFar) {
      this.#heldSinceMs ??= reading.monotonicMs + this.#offsetMs;
      if (!wasHeld) return "held";
    } else {
      this.#heldSinceMs = null;
      this.#slew(elapsedMs);
      if (wasHeld) return "recovered";
    }
    return hasSlept ? "slept" : "none";
  }

  /** Takes the wall clock's word at once; answers by how much the venue's time changes. */
  accept(reading: ClockReading): number {
    const stepMs = differenceOf(reading, this.#offsetMs);
    this.#offsetMs += stepMs;
    this.#heldSinceMs = null;
    this.#differenceMs = 0;
    return stepMs;
  }

  #addSleep(reading: ClockReading): boolean {
    const sleptMs = this.#parts.asleepMs() - this.#asleepMs;
    if (sleptMs < asleepMsMin) return false;
    this.#asleepMs += sleptMs;
    this.#offsetMs += sleptMs;
    this.#differenceMs = differenceOf(reading, this.#offsetMs);
    return true;
  }

  #slew(elapsedMs: number): void {
    if (Math.abs(this.#differenceMs) < noiseMs) return;
    const most = elapsedMs * slewShare;
    const change = Math.min(Math.max(this.#differenceMs, -most), most);
    this.#offsetMs += change;
    this.#differenceMs -= change;
  }
}

function differenceOf({ wallMs, monotonicMs }: ClockReading, offsetMs: number): number {
  return wallMs - monotonicMs - offsetMs;
}
