// Aggregated depth of one market: quantity per price level and side, best first. Fed with what rests and what
// leaves; it knows no orders, no clock and no matching, and may show a book crossed by orders of one account.
// A level exists while it has lots; what a change or a look costs does not depend on where prices are or how
// many there are.

import { assert, numberAt } from "../../core/assert.ts";
import { Side } from "../../core/orders.ts";
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

class DepthLevels {
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
    const index = this.#levels.find(rank);
    const had = numberAt(this.#lots, index);
    if (had > 0) {
      this.#lots[index] = had + lots;
      return;
    }
    this.#lots[this.#levels.add(rank)] = lots;
    this.count++;
  }

  /** Takes lots from their price; asserts that it had them. */
  remove(price: number, lots: number): void {
    const rank = rankOf(this.side, price);
    const index = this.#levels.find(rank);
    const left = numberAt(this.#lots, index) - lots;
    assert(lots > 0 && left >= 0, "a level loses what it had");
    this.#lots[index] = left;
    if (left > 0) return;
    this.#levels.remove(rank);
    this.count--;
  }

  #priceOf(rank: number): number {
    return rank === noRank ? 0 : rankOf(this.side, rank);
  }
}

/** One level handed out: ticks and lots. */
export type LevelVisitor = (price: number, qty: number) => void;

export class DepthBook {
  readonly #sides: readonly [DepthLevels, DepthLevels];

  /** Prices whose quantity changed since they were last asked for; null while nobody asks. */
  #touched: readonly [Set<number>, Set<number>] | null = null;

  constructor(memory: DepthMemory) {
    this.#sides = [new DepthLevels(Side.buy, memory), new DepthLevels(Side.sell, memory)];
  }

  /** Begins or ends to remember which levels change. */
  watch(isWatched: boolean): void {
    if (isWatched !== (this.#touched !== null)) {
      this.#touched = isWatched ? [new Set(), new Set()] : null;
    }
  }

  /** Hands out every level of a side that changed since the last time, with 0 lots if it is gone. */
  takeChanges(side: Side, visitor: LevelVisitor): void {
    const touched = this.#touched?.[side];
    if (touched === undefined) return;
    for (const price of touched) visitor(price, this.qtyAt(side, price));
    touched.clear();
  }

  /** Lots at a price; 0 where there is no level. */
  qtyAt(side: Side, price: number): number {
    return this.#sides[side].lotsAt(price);
  }

  /** `qty` lots more rest at `price`. */
  add(side: Side, price: number, qty: number): void {
    if (this.#touched !== null) this.#touched[side].add(price);
    this.#sides[side].add(price, qty);
  }

  /** `qty` lots left the level; asserts that it had them. */
  remove(side: Side, price: number, qty: number): void {
    if (this.#touched !== null) this.#touched[side].add(price);
    this.#sides[side].remove(price, qty);
  }

  /** Best price of a side in ticks, 0 if it is empty. */
  best(side: Side): number {
    return this.#sides[side].best;
  }

  /** Number of levels of a side. */
  levels(side: Side): number {
    return this.#sides[side].count;
  }

  /** Hands out at most `limit` levels of a side, best first. */
  visit(side: Side, limit: number, visitor: LevelVisitor): void {
    const levels = this.#sides[side];
    let price = levels.best;
    for (let handed = 0; handed < limit && price !== 0; handed++) {
      visitor(price, levels.lotsAt(price));
      price = levels.nextWorse(price);
    }
  }
}
