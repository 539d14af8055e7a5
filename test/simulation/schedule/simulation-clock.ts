// Time in a simulation run. It advances with the schedule, seldom jumps by minutes, and seldom goes back. The
// ledger's clock follows it with a changing offset of some seconds.

import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";

/** A forward jump is shorter than this, in minutes. */
const jumpMinutes = 12;
const minuteUs = 60_000_000;
/** Largest offset of the ledger's clock; it changes in one of this many steps of the clock. */
const skewMsMax = 10_000;
const skewOneIn = 20;
/** A clock that is set back is at most this far below its latest time. */
const backUsMax = 3_000_000;

export class SimulationClock {
  /** A tick may wait in its ring over one or two jumps of the clock while orders overtake it. */
  static readonly slackUs = 3 * jumpMinutes * minuteUs;

  nowUs = 0;
  #latestUs = 0;
  #skewMs = 0;
  /** Number of jumps of the clock, and of the ledger's clock. */
  jumps = 0;
  skews = 0;

  get nowMs(): number {
    return Math.floor(this.nowUs / 1000);
  }

  /** Time of the ledger's clock; the ledger itself keeps its time from going back. */
  get ledgerMs(): number {
    return this.nowMs + this.#skewMs;
  }

  pass(us: number): void {
    this.nowUs += us;
    this.#latestUs = Math.max(this.#latestUs, this.nowUs);
  }

  /** Advances past the latest time shown. */
  passOn(ms: number): void {
    this.nowUs = Math.max(this.nowUs, this.#latestUs);
    this.pass(ms * 1000);
  }

  /** Advances the time; seldom jumps by minutes or goes back. */
  step(random: SeededRandom): void {
    const dice = random.below(100);
    const ahead = dice < 90 ? random.below(200_000) : minuteUs * random.below(jumpMinutes);
    if (dice < 4) this.nowUs = Math.max(this.nowUs - 2_000_000, this.#latestUs - backUsMax);
    else this.pass(ahead);
    if (dice < 4 || dice >= 90) this.jumps++;
    if (random.below(skewOneIn) > 0) return;
    this.#skewMs = random.below(2 * skewMsMax + 1) - skewMsMax;
    this.skews++;
  }
}
