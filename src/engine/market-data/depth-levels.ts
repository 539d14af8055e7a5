// Lots by price of one side of a market, best first. It knows no orders, no clock and no matching; a level exists
// while it has lots. What a change or a look costs does not depend on where prices are or how many there are.

import { assert } from "../../core/assert.ts";
import { numberAt } from "../../core/cells.ts";
import type { Side } from "../../core/orders.ts";
import { reservedMemory } from "../../core/reserved-memory.ts";
import { LevelMemory, rowRanks } from "../level-memory.ts";
import { LevelSet, noRank, rankOf } from "../level-set.ts";

/** What the books of one thread stand on: for `levelsMax` levels of all of them together. */
export class DepthMemory {
  readonly levels: LevelMemory;
  /** Lots of each level by its place, 0 where there is none. */
  readonly lots: Float64Array;

  constructor(levelsMax: number) {
    this.levels = new LevelMemory(levelsMax);
    this.lots = new Float64Array(reservedMemory(8 * rowRanks * (levelsMax + 1)));
  }
}

export class DepthLevels {
  readonly side: Side;
  /** Levels there are. */
  count = 0;
  readonly #levels: LevelSet;
  readonly #lots: Float64Array;

  constructor(side: Side, memory: DepthMemory) {
    this.side = side;
    this.#levels = new LevelSet(memory.levels);
    this.#lots = memory.lots;
  }

  /** Best price in ticks, 0 where there is none. */
  get best(): number {
    return this.#priceOf(this.#levels.best);
  }

  /** The best price worse than this one, 0 where there is none. */
  nextWorse(price: number): number {
    return this.#priceOf(this.#levels.nextBelow(rankOf(this.side, price)));
  }

  /** Lots at a price; 0 where there is no level. */
  lotsAt(price: number): number {
    return numberAt(this.#lots, this.#levels.find(rankOf(this.side, price)));
  }

  /** Puts lots (above 0) to their price (1 … priceTicksMax). */
  add(price: number, lots: number): void {
    assert(lots > 0 && price > 0, "a level gains a positive quantity");
    const rank = rankOf(this.side, price);
    const place = this.#levels.find(rank);
    const had = numberAt(this.#lots, place);
    if (had > 0) {
      this.#lots[place] = had + lots;
      return;
    }
    this.#lots[this.#levels.add(rank)] = lots;
    this.count++;
  }

  /** Takes lots from their price; asserts that it had them. */
  remove(price: number, lots: number): void {
    const rank = rankOf(this.side, price);
    const place = this.#levels.find(rank);
    const left = numberAt(this.#lots, place) - lots;
    assert(lots > 0 && left >= 0, "a level loses what it had");
    this.#lots[place] = left;
    if (left > 0) return;
    this.#levels.remove(rank);
    this.count--;
  }

  #priceOf(rank: number): number {
    return rank === noRank ? 0 : rankOf(this.side, rank);
  }
}
