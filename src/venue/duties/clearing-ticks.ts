// Sends clearing the ticks on which it does its time-driven work. While clearing has none before a known time, ticks
// before that time are left out, so that they do not wake an idle clearing thread.

import type { RingClearingClient } from "../../adapters/runtime/ring-clearing-client.ts";
import type { VenueClock } from "../../adapters/runtime/venue-clock.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";

/** Longest time in ms without a tick. If the venue's clock is set back, clearing's known time is too late. */
const gapMsMax = 1_000;

export interface ClearingTicksParts {
  readonly clearing: Pick<RingClearingClient, "tick">;
  readonly counters: Pick<CountersBuffer, "quietUntilUs">;
  readonly clock: Pick<VenueClock, "nowUs" | "dutyMs">;
  readonly tickMs: number;
}

export class ClearingTicks {
  readonly #parts: ClearingTicksParts;
  #msSinceTick = 0;

  constructor(parts: ClearingTicksParts) {
    this.#parts = parts;
  }

  /** Must be called every `tickMs` milliseconds: sends a tick, unless clearing needs none. */
  look(): void {
    const { clearing, counters, clock, tickMs } = this.#parts;
    this.#msSinceTick += tickMs;
    const isQuiet = clock.nowUs() < counters.quietUntilUs();
    if (isQuiet && this.#msSinceTick < gapMsMax) return;
    this.#msSinceTick = 0;
    clearing.tick(clock.dutyMs());
  }
}
