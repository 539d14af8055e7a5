// The venue's time: follows the wall clock while it is plausible, checked against a monotonic clock. A small
// difference is corrected gradually. If the difference exceeds the bound, the time is held: it runs on the
// monotonic clock alone until the wall clock is within the bound again or an operator accepts the wall clock.
//
//   trusted ──difference beyond the bound──▶ held ──difference within it, or accepted──▶ trusted
//
// Times are milliseconds. Nothing here reads a clock.

/** Both clocks of the machine at one moment. */
export interface ClockReading {
  /** UTC, by the machine. */
  readonly wallMs: number;
  /** Unaffected by changes of the wall clock; does not advance while the machine sleeps. */
  readonly monotonicMs: number;
}

/** The result of a check. */
export type ClockChange = "none" | "held" | "recovered" | "slept";

export interface ClockGuardParts {
  /** Venue time minus monotonic time. */
  readonly offsetMs: number;
  readonly isHeld: boolean;
  readonly startedAt: ClockReading;
  /** The largest difference that is corrected gradually. */
  readonly stepMs: number;
  /** Returns how long the machine has slept since boot; called only if the clocks differ. */
  readonly asleepMs: () => number;
}

/** Smaller differences are ignored, because the two clocks are read one after the other. */
const noiseMs = 2;
/** Share of elapsed time by which a correction may speed up or slow down the time. */
const slewShare = 0.1;
/** Shortest sleep that counts; the system reports sleep in hundredths of a second. */
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

  /** Venue time minus monotonic time. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** The venue's time when it was held; null while the wall clock is trusted. */
  get heldSinceMs(): number | null {
    return this.#heldSinceMs;
  }

  /** Wall clock minus venue time, at the last check. */
  get differenceMs(): number {
    return this.#differenceMs;
  }

  /** How long the machine had slept since boot, as of the last reading. */
  get asleepMs(): number {
    return this.#asleepMs;
  }

  /** Compares the clocks; call it several times a second. */
  look(reading: ClockReading): ClockChange {
    const elapsedMs = reading.monotonicMs - this.#lastMonotonicMs;
    this.#lastMonotonicMs = reading.monotonicMs;
    this.#differenceMs = differenceOf(reading, this.#offsetMs);
    const { stepMs } = this.#parts;
    // Time that passed while the machine slept is not a step of the wall clock.
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

  /** Adopts the wall clock at once; returns the change of the venue's time. */
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
