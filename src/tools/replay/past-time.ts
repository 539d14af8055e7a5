// When history's events are due: at once, or at a multiple of the speed at which they happened, counted from the first one.

import { setTimeout as sleep } from "node:timers/promises";

export class PastTime {
  readonly #speed: number;
  #firstUs = 0;
  #startedMs = Number.NaN;

  /** `speed`: seconds of history in one second; infinite for as fast as possible. */
  constructor(speed: number) {
    this.#speed = speed;
  }

  get isPaced(): boolean {
    return this.#speed !== Number.POSITIVE_INFINITY;
  }

  /** Starts the time with the first event; later calls change nothing. */
  begin(firstUs: number): void {
    if (!Number.isNaN(this.#startedMs)) return;
    this.#firstUs = firstUs;
    this.#startedMs = performance.now();
  }

  /** Real milliseconds until the time of `atUs`; negative if it has passed. */
  waitMs(atUs: number): number {
    if (!this.isPaced) return 0;
    return this.#startedMs + (atUs - this.#firstUs) / 1000 / this.#speed - performance.now();
  }

  /** History's time now; at full speed that of the event. */
  nowUs(eventUs: number): number {
    if (!this.isPaced) return eventUs;
    return this.#firstUs + (performance.now() - this.#startedMs) * 1000 * this.#speed;
  }

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(Math.max(1, ms), undefined, { signal }).catch(() => undefined);
  }
}
