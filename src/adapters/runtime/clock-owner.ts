// Maintains the venue's time. It compares the machine's clocks several times a second and stores the difference of
// venue time and monotonic time in shared memory, where the clocks of all threads read it.

import { type ClockChange, ClockGuard } from "../../services/clock/clock-guard.ts";
import type { ClockRecord } from "../../services/clock/start-time.ts";
import { ClockBuffer } from "../../wire/clock-buffer.ts";
import { alignedInterval } from "./aligned-interval.ts";
import { asleepMs, monotonicMs, readClocks } from "./system-clock.ts";

/**
 * Interval of the clock checks in milliseconds, unless another is given. A jump of the wall clock is noticed within this time. In a running
 * venue, nothing else takes the time from the wall clock.
 */
const defaultLookMs = 200;

export interface ClockOwnerParts {
  /** Memory of a `ClockBuffer`. */
  readonly memory: SharedArrayBuffer;
  /** Initial difference of venue time and monotonic time, in ms. */
  readonly offsetMs: number;
  readonly isHeld: boolean;
  /** Largest difference in ms that is corrected gradually. */
  readonly stepMs: number;
  /** Interval of the clock checks in ms. */
  readonly lookMs?: number;
  /** Called on each change, with the difference of wall clock and venue time in ms. */
  readonly onChange: (change: Exclude<ClockChange, "none">, differenceMs: number) => void;
}

export class ClockOwner {
  readonly #parts: ClockOwnerParts;
  readonly #buffer: ClockBuffer;
  readonly #guard: ClockGuard;
  readonly #stopLooking: () => void;

  /** Starts the checks at once. Their timer does not keep the process alive. */
  constructor(parts: ClockOwnerParts) {
    this.#parts = parts;
    this.#buffer = new ClockBuffer(parts.memory);
    this.#guard = new ClockGuard({ ...parts, startedAt: readClocks(), asleepMs });
    this.#look();
    this.#stopLooking = alignedInterval(() => this.#look(), parts.lookMs ?? defaultLookMs);
  }

  /** Sets venue time to the wall clock at once; returns the change in ms. */
  accept(): number {
    const stepMs = this.#guard.accept(readClocks());
    this.#store();
    return stepMs;
  }

  /** Returns the clock record to store for the next start of the venue; it is valid within the same boot. */
  record(bootId: string): ClockRecord {
    const { offsetMs, asleepMs: slept } = this.#guard;
    return { bootId, monotonicMs: monotonicMs(), offsetMs, asleepMs: slept };
  }

  get heldSinceMs(): number | null {
    return this.#guard.heldSinceMs;
  }

  close(): void {
    this.#stopLooking();
  }

  #look(): void {
    const change = this.#guard.look(readClocks());
    this.#store();
    if (change !== "none") this.#parts.onChange(change, this.#guard.differenceMs);
  }

  #store(): void {
    const { offsetMs, heldSinceMs, differenceMs } = this.#guard;
    this.#buffer.store(offsetMs * 1000, heldSinceMs ?? 0, differenceMs);
  }
}
