// When a gateway last heard its leader, and what time it is there. All times are in microseconds.

import { leaderLostMs } from "../../../core/bus-limits.ts";

export class HeardLeader {
  #heardUs = Number.NEGATIVE_INFINITY;
  /** The leader's time in its newest message. */
  #leaderUs = 0;
  /** Time of the newest message from a leader that takes commands from here; 0 before the first. */
  #servedUs = 0;

  /** `isServing`: the leader takes commands from here. */
  hear(nowUs: number, leaderUs: number, isServing: boolean): void {
    this.#heardUs = nowUs;
    this.#leaderUs = leaderUs;
    if (isServing) this.#servedUs = nowUs;
  }

  isHere(nowUs: number): boolean {
    return nowUs - this.#heardUs < leaderLostMs * 1000;
  }

  /**
   * The leader's time, as far as this gateway knows it: the time in its newest message plus the time since that message
   * arrived. It is behind by the message's journey, so a duration from it never ends too late.
   */
  leaderTimeUs(nowUs: number): number {
    return Math.floor(this.#leaderUs + nowUs - this.#heardUs);
  }

  /** Milliseconds since a leader was last heard that takes commands from here; 0 before there was one. */
  awayMs(nowUs: number): number {
    return this.#servedUs === 0 ? 0 : Math.max(0, Math.round((nowUs - this.#servedUs) / 1000));
  }
}
