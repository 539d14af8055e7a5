// Keeps a process's time: compares the machine's clocks several times a second and stores what follows in
// shared memory, where every thread's clock reads it.

import { type ClockChange, ClockGuard } from "../../services/clock/clock-guard.ts";
import type { ClockRecord } from "../../services/clock/start-time.ts";
import { ClockBuffer } from "../../wire/clock-buffer.ts";
import { asleepMs, monotonicMs, readClocks } from "./system-clock.ts";

/** A step is noticed this late at most; nobody reads the wall clock meanwhile. */
const lookMs = 100;

export interface ClockOwnerParts {
  /** Of `ClockBuffer`. */
  readonly memory: SharedArrayBuffer;
  /** The time it begins with, less monotonic time. */
  readonly offsetMs: number;
  readonly isHeld: boolean;
  /** The largest difference that is taken over. */
  readonly stepMs: number;
  /** Told of each change; the wall clock less the venue's time in ms. */
  readonly onChange: (change: Exclude<ClockChange, "none">, differenceMs: number) => void;
}

export class ClockOwner {
  readonly #parts: ClockOwnerParts;
  readonly #buffer: ClockBuffer;
  readonly #guard: ClockGuard;
  readonly #timer: NodeJS.Timeout;

  /** Begins at once. The timer keeps nobody alive. */
  constructor(parts: ClockOwnerParts) {
    this.#parts = parts;
    this.#buffer = new ClockBuffer(parts.memory);
    this.#guard = new ClockGuard({ ...parts, startedAt: readClocks(), asleepMs });
    this.#look();
    this.#timer = setInterval(() => this.#look(), lookMs);
    this.#timer.unref();
  }

  /** Takes the wall clock's word at once; answers by how many ms the time changes. */
  accept(): number {
    const stepMs = this.#guard.accept(readClocks());
    this.#store();
    return stepMs;
  }

  /** What the next start is told, if it is one of the same start of the machine. */
  record(bootId: string): ClockRecord {
    const { offsetMs, asleepMs: slept } = this.#guard;
    return { bootId, monotonicMs: monotonicMs(), offsetMs, asleepMs: slept };
  }

  get heldSinceMs(): number | null {
    return this.#guard.heldSinceMs;
  }

  close(): void {
    clearInterval(this.#timer);
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
