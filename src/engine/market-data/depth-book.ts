// Aggregated depth of one market: quantity per price level and side, best first. It receives the quantities that
// orders add to the book or take off it, and does not know the orders. It can be crossed by orders of one account. A
// level exists while it has lots. The cost of a change or a lookup does not depend on prices or on the number of
// levels.

import { assert, numberAt } from "../../core/assert.ts";
import { Side } from "../../core/orders.ts";
import { reservedMemory } from "../../core/reserved-memory.ts";
import { LevelMemory, rowRanks } from "../level-memory.ts";
import { LevelSet, noRank, rankOf } from "../level-set.ts";

/** Shared memory of one thread's books: for `levelsMax` levels in total. */
export class DepthMemory {
  readonly levels: LevelMemory;
  /** Lots of each level by index, 0 for none. */
  readonly lots: Float64Array;

  constructor(levelsMax: number) {
    this.levels = new LevelMemory(levelsMax);
    this.lots = new Float64Array(reservedMemory(8 * rowRanks * (levelsMax + 1)));
  }
}

class DepthLevels {
  readonly side: Side;
  /** Number of levels. */
  count = 0;
  readonly #levels: LevelSet;
  readonly #lots: Float64Array;

  constructor(side: Side, memory: DepthMemory) {
    this.side = side;
    this.#levels = new LevelSet(memory.levels);
    this.#lots = memory.lots;
  }

  /** Best price in ticks, 0 for none. */
  get best(): number {
    return this.#priceOf(this.#levels.best);
  }

  /** The next price worse than this one, 0 for none. */
  nextWorse(price: number): number {
    return this.#priceOf(this.#levels.nextBelow(rankOf(this.side, price)));
  }

  /** Lots at a price; 0 for none. */
  lotsAt(price: number): number {
    return numberAt(this.#lots, this.#levels.find(rankOf(this.side, price)));
  }

  /** Adds lots (above 0) at a price (1 … priceTicksMax). */
  add(price: number, lots: number): void {
    assert(lots > 0 && price > 0, "the quantity that is added to a level must be positive");
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

  /** Removes lots at a price; asserts that they exist. */
  remove(price: number, lots: number): void {
    const rank = rankOf(this.side, price);
    const index = this.#levels.find(rank);
    const left = numberAt(this.#lots, index) - lots;
    assert(
      lots > 0 && left >= 0,
      "the quantity that is removed from a level must be positive and not above the quantity of the level",
    );
    this.#lots[index] = left;
    if (left > 0) return;
    this.#levels.remove(rank);
    this.count--;
  }

  #priceOf(rank: number): number {
    return rank === noRank ? 0 : rankOf(this.side, rank);
  }
}

/** Receives one level: ticks and lots. */
export type LevelVisitor = (price: number, qty: number) => void;

/** Receives one changed level: ticks, lots, and the lots that it had before; 0 for none. */
export type ChangeVisitor = (price: number, qty: number, before: number) => void;

/** The levels of a book that changed, for one reader. */
export class DepthChanges {
  readonly #book: DepthBook;
  /** By side: prices whose quantity changed since the last `take`, with the lots that they had then. */
  readonly #touched: readonly [Map<number, number>, Map<number, number>] = [new Map(), new Map()];

  constructor(book: DepthBook) {
    this.#book = book;
  }

  /** Passes to `visitor` every level of a side that has changed since the previous call; a removed level has 0 lots. */
  take(side: Side, visitor: ChangeVisitor): void {
    const touched = this.#touched[side];
    for (const [price, before] of touched) visitor(price, this.#book.qtyAt(side, price), before);
    touched.clear();
  }

  /** Notes a level that is about to change. */
  note(side: Side, price: number): void {
    const touched = this.#touched[side];
    if (!touched.has(price)) touched.set(price, this.#book.qtyAt(side, price));
  }
}

export class DepthBook {
  readonly #sides: readonly [DepthLevels, DepthLevels];
  /** The readers of changes; empty while changes are not recorded. */
  #watchers: readonly DepthChanges[] = [];

  constructor(memory: DepthMemory) {
    this.#sides = [new DepthLevels(Side.buy, memory), new DepthLevels(Side.sell, memory)];
  }

  /** Starts recording the levels that change from now on, until `unwatch`. */
  watch(): DepthChanges {
    const changes = new DepthChanges(this);
    this.#watchers = [...this.#watchers, changes];
    return changes;
  }

  unwatch(changes: DepthChanges): void {
    this.#watchers = this.#watchers.filter((watcher) => watcher !== changes);
  }

  /** Lots at a price; 0 for none. */
  qtyAt(side: Side, price: number): number {
    return this.#sides[side].lotsAt(price);
  }

  /** Adds `qty` lots at `price`. */
  add(side: Side, price: number, qty: number): void {
    for (const watcher of this.#watchers) watcher.note(side, price);
    this.#sides[side].add(price, qty);
  }

  /** Removes `qty` lots from a level; asserts that they exist. */
  remove(side: Side, price: number, qty: number): void {
    for (const watcher of this.#watchers) watcher.note(side, price);
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

  /** Passes at most `limit` levels of a side to `visitor`, best first. */
  visit(side: Side, limit: number, visitor: LevelVisitor): void {
    const levels = this.#sides[side];
    let price = levels.best;
    for (let handed = 0; handed < limit && price !== 0; handed++) {
      visitor(price, levels.lotsAt(price));
      price = levels.nextWorse(price);
    }
  }
}
