// What the agents of a made market believe it to be worth: a random walk with a drift, a leap at the begin of a phase, and a
// goal at its end, which it reaches exactly. All in whole thousandths of a tick.

import type { ScriptPhase } from "../../../schemas/market-script.ts";
import type { SeededRandom } from "../load/seeded-random.ts";
import { billion, ppbOf, shareOf } from "./whole-shares.ts";

/** Thousandths of a tick. */
export const partsPerTick = 1000;
const turnsPerMinute = 600;
/** The value stays within this multiple of the first one and its inverse. */
const awayMax = 50;
const percentParts = 1_000_000;

export class FairValue {
  readonly #firstParts: number;
  #parts: number;
  #volatilityPpb = 0;
  #trendPpb = 0;
  #goal: { readonly parts: number; turnsLeft: number } | null = null;

  /** Begins at `ticks`. */
  constructor(ticks: number) {
    this.#firstParts = ticks * partsPerTick;
    this.#parts = this.#firstParts;
  }

  /** In thousandths of a tick. */
  get parts(): number {
    return this.#parts;
  }

  /** Begins a phase that has so many turns. */
  enter({ value }: ScriptPhase, turns: number): void {
    // The square root is exact to the last bit on every machine, and rounded to parts of a billion here.
    this.#volatilityPpb = Math.round(ppbOf(value.volatility_bps) / Math.sqrt(turnsPerMinute));
    this.#trendPpb = Math.round(ppbOf(value.trend_bps) / turnsPerMinute);
    this.#move(percentOf(this.#parts, value.jump_percent));
    const way =
      value.return_percent === undefined
        ? percentOf(this.#parts, value.move_percent ?? 0)
        : percentOf(this.#firstParts - this.#parts, value.return_percent);
    const hasGoal = value.return_percent !== undefined || value.move_percent !== undefined;
    this.#goal = hasGoal ? { parts: this.#bounded(this.#parts + way), turnsLeft: turns } : null;
  }

  /** Moves the value and its goal by so many parts of a billion. */
  push(ppb: number): void {
    this.#move(shareOf(this.#parts, ppb, billion));
    if (this.#goal === null) return;
    const { parts, turnsLeft } = this.#goal;
    this.#goal = { parts: this.#bounded(parts + shareOf(parts, ppb, billion)), turnsLeft };
  }

  /** Goes one turn on. */
  walk(random: SeededRandom): void {
    const shock = shareOf(this.#parts, this.#volatilityPpb * normal(random), billion * 1000);
    const goal = this.#goal;
    if (goal === null) this.#move(shock + shareOf(this.#parts, this.#trendPpb, billion));
    else if (goal.turnsLeft > 1)
      this.#move(shock + shareOf(goal.parts - this.#parts, 1, goal.turnsLeft--));
    else {
      this.#parts = goal.parts;
      this.#goal = null;
    }
  }

  #move(parts: number): void {
    this.#parts = this.#bounded(this.#parts + parts);
  }

  #bounded(parts: number): number {
    const [least, most] = [Math.ceil(this.#firstParts / awayMax), this.#firstParts * awayMax];
    return Math.min(most, Math.max(least, parts));
  }
}

function percentOf(parts: number, percent: number): number {
  return shareOf(parts, Math.round((percent * percentParts) / 100), percentParts);
}

/** About normally distributed, with a standard deviation of 1000: the sum of twelve uniform numbers, centred. */
function normal(random: SeededRandom): number {
  let sum = -6000;
  for (let draw = 0; draw < 12; draw++) sum += random.below(1001);
  return sum;
}
