// Time in a simulation run. It advances with the schedule, seldom jumps by minutes, and seldom goes back. The ledger's
// clock follows it at a changing distance of up to ten seconds.

import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";

/** The clock jumps forward by less than this many minutes. */
const jumpMinutes = 12;
const minuteUs = 60_000_000;
/**
 * Largest difference between the ledger's clock and the venue's. It changes in one of `skewOneIn` steps of the clock.
 */
const skewMsMax = 10_000;
const skewOneIn = 20;
/** Largest difference in microseconds between the clock's latest time and an earlier time to which it is set back. */
const backUsMax = 3_000_000;

export class SimulationClock {
  /**
   * Maximum number of microseconds by which a command's time may be older than that of an earlier command: a tick may
   * wait in its ring over one or two jumps of the clock while orders overtake it.
   */
  static readonly slackUs = 3 * jumpMinutes * minuteUs;

  nowUs = 0;
  #latestUs = 0;
  #skewMs = 0;
  /** How often the venue's clock jumped or went back, and how often the ledger clock's distance from it changed. */
  jumps = 0;
  skews = 0;

  get nowMs(): number {
    return Math.floor(this.nowUs / 1000);
  }

  /** Returns the time of the ledger's clock in ms. It may go back; the ledger keeps its own time from doing so. */
  get ledgerMs(): number {
    return this.nowMs + this.#skewMs;
  }

  pass(us: number): void {
    this.nowUs += us;
    this.#latestUs = Math.max(this.#latestUs, this.nowUs);
  }

  /** Advances to `ms` milliseconds after the latest time that the clock ever had. */
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
