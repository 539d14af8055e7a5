// When the steps of a start or of a handover ended, so that a slow change of leader can be explained afterwards.

import { monotonicMs } from "../adapters/runtime/system-clock.ts";

export class StepTimes<Step extends string> {
  readonly #beganMs: number;
  /** Milliseconds from the beginning to the end of each step, by `<step>Ms`. */
  readonly ms: Record<string, number> = {};

  /** `beganMs`: monotonic time in ms from which steps are counted. */
  constructor(beganMs: number = monotonicMs()) {
    this.#beganMs = beganMs;
  }

  done(step: Step): void {
    this.ms[`${step}Ms`] = Math.round(monotonicMs() - this.#beganMs);
  }
}
