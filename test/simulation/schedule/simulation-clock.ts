// Time in a simulation run: it passes as the schedule says, seldom jumps by minutes, and seldom goes back.
// The ledger's clock goes with it, some seconds before or behind, now more and now less.

import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";

/** The clock is set forward by less than so many minutes. */
const jumpMinutes = 12;
const minuteUs = 60_000_000;
/** The ledger's clock is not further off than so much, and changes with one step of the clock in so many. */
const skewMsMax = 10_000;
const skewOneIn = 20;
/** Set back, it is never further behind the latest time it showed. */
const backUsMax = 3_000_000;

export class SimulationClock {
  /** A tick may wait in its ring while the clock jumps once or twice, and orders overtake it. */
  static readonly slackUs = 3 * jumpMinutes * minuteUs;

  nowUs = 0;
  #latestUs = 0;
  #skewMs = 0;
  /** How often it jumped, and how often the ledger's did. */
  jumps = 0;
  skews = 0;

  get nowMs(): number {
    return Math.floor(this.nowUs / 1000);
  }

  /** What the ledger's clock shows; that of a ledger never goes back, which is the ledger's business. */
  get ledgerMs(): number {
    return this.nowMs + this.#skewMs;
  }

  pass(us: number): void {
    this.nowUs += us;
    this.#latestUs = Math.max(this.#latestUs, this.nowUs);
  }

  /** It passes behind whatever was the latest. */
  passOn(ms: number): void {
    this.nowUs = Math.max(this.nowUs, this.#latestUs);
    this.pass(ms * 1000);
  }

  /** Time goes on, seldom by minutes, seldom backwards. */
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
