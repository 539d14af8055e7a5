// When a gateway last heard its leader, what time it is there, and since when the bus is lost. All times are in
// microseconds.

import { leaderLostMs } from "../../../core/bus-limits.ts";

export class HeardLeader {
  #heardUs = Number.NEGATIVE_INFINITY;
  /** The leader's time in its newest message. */
  #leaderUs = 0;
  /** Time of the newest message from a leader that takes commands from here; 0 before the first. */
  #servedUs = 0;
  /** When the connection to the bus was lost; null while there is one. */
  #busLostUs: number | null = null;

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

  busChanged(isConnected: boolean, nowUs: number): void {
    this.#busLostUs = isConnected ? null : nowUs;
  }

  /** Milliseconds without a leader that takes commands from here, 0 before there was one, and without the bus. */
  away(nowUs: number): { readonly leaderAwayMs: number; readonly busAwayMs: number } {
    const since = (fromUs: number) => Math.max(0, Math.round((nowUs - fromUs) / 1000));
    return {
      leaderAwayMs: this.#servedUs === 0 ? 0 : since(this.#servedUs),
      busAwayMs: this.#busLostUs === null ? 0 : since(this.#busLostUs),
    };
  }
}
