// Sends clearing the ticks on which it does its time-driven work. While clearing has none before a known time, ticks
// before that time are left out, and neither the main thread nor an idle clearing thread wakes for them. When a command
// ends such a quiet time, clearing rings the main thread's bell, so the next tick is as punctual as any other.

import type { Agent } from "../../adapters/runtime/agent.ts";
import type { RingClearingClient } from "../../adapters/runtime/ring-clearing-client.ts";
import type { MarketClock } from "../../adapters/runtime/venue-clock.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";

/** Longest time in ms without a tick. If the venue's clock is set back, clearing's known time is too late. */
const gapMsMax = 1_000;

/**
 * Longest time in ms without a look at the venue's clock, which may be set or run faster while its time is corrected.
 * It equals the interval of the main thread's heartbeats, so it causes no wake-ups of its own.
 */
const lookMsMax = 200;

export interface ClearingTicksParts {
  readonly clearing: Pick<RingClearingClient, "tick" | "doWork" | "hasWork" | "onClose">;
  readonly counters: Pick<CountersBuffer, "quietUntilUs">;
  /** The market's time; while it is paused, no ticks are sent (REW-11). */
  readonly clock: Pick<MarketClock, "nowUs" | "dutyMs" | "untilMs" | "isPaused">;
  /** Ticks are sent at multiples of this many ms of the monotonic time. */
  readonly tickMs: number;
  readonly monotonicMs: () => number;
  /** Calls `run` once after `delayMs`, unless the returned function is called before. */
  readonly later: (run: () => void, delayMs: number) => () => void;
}

/** The main thread's agent: it sends ticks, and receives the replies to this thread's own commands. */
export class ClearingTicks implements Agent {
  readonly roleName = "main";
  readonly #parts: ClearingTicksParts;
  #tickedMs: number;
  #lookedMs: number;
  #plannedUs = -1;
  #nextLookMs = Number.POSITIVE_INFINITY;
  #cancelLook: () => void = () => undefined;

  constructor(parts: ClearingTicksParts) {
    this.#parts = parts;
    this.#tickedMs = parts.monotonicMs();
    this.#lookedMs = this.#tickedMs;
    this.#plan();
  }

  doWork(): number {
    if (this.#hasNewTime()) this.#plan();
    return this.#parts.clearing.doWork();
  }

  hasWork(): boolean {
    return this.#hasNewTime() || this.#parts.clearing.hasWork();
  }

  onClose(): void {
    this.stop();
    this.#parts.clearing.onClose();
  }

  /** Sends no more ticks. */
  stop(): void {
    this.#cancelLook();
    this.#nextLookMs = Number.NEGATIVE_INFINITY;
  }

  #hasNewTime(): boolean {
    return this.#parts.counters.quietUntilUs() !== this.#plannedUs;
  }

  /** Plans the first look at which a tick may be needed. A planned look is never put off, only brought forward. */
  #plan(): void {
    const { counters, clock, tickMs, monotonicMs, later } = this.#parts;
    this.#plannedUs = counters.quietUntilUs();
    const nowMs = monotonicMs();
    const quietMs = clock.untilMs(this.#plannedUs);
    // A timer may fire slightly early; the next look is then not due at the same multiple again.
    const fromMs = Math.max(nowMs, this.#lookedMs + tickMs / 2);
    const quietEndMs = Math.ceil((nowMs + quietMs) / tickMs) * tickMs;
    const dueMs = Math.min(
      Math.max(multipleAfter(fromMs, tickMs), quietEndMs),
      multipleAfter(fromMs, Math.ceil(lookMsMax / tickMs) * tickMs),
    );
    if (dueMs >= this.#nextLookMs) return;
    this.#cancelLook();
    this.#nextLookMs = dueMs;
    this.#cancelLook = later(() => this.#look(), Math.ceil(dueMs - nowMs));
  }

  #look(): void {
    const { clearing, counters, clock, tickMs, monotonicMs } = this.#parts;
    this.#nextLookMs = Number.POSITIVE_INFINITY;
    const nowMs = monotonicMs();
    this.#lookedMs = nowMs;
    const isQuiet = clock.nowUs() < counters.quietUntilUs();
    const isGapLong = nowMs - this.#tickedMs + lookMsMax > gapMsMax + tickMs / 2;
    if (!clock.isPaused() && (!isQuiet || isGapLong)) {
      this.#tickedMs = nowMs;
      clearing.tick(clock.dutyMs());
    }
    this.#plan();
  }
}

/** Returns the first multiple of `everyMs` after `ms`. */
function multipleAfter(ms: number, everyMs: number): number {
  return (Math.floor(ms / everyMs) + 1) * everyMs;
}
