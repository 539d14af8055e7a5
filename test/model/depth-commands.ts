// Random changes that compare market depth with its simplest implementation: a map of lots by price and a sorted list
// of prices. The middle of the changed prices at times falls by up to 80 % at once or rises to up to five times its
// value. After each change the best prices must be equal, and at intervals everything.

import assert from "node:assert/strict";
import { priceTicksMax } from "../../src/core/limits.ts";
import { Side } from "../../src/core/orders.ts";
import {
  DepthBook,
  type DepthChanges,
  DepthMemory,
} from "../../src/engine/market-data/depth-book.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";

export interface DepthComparison {
  seed: number;
  changes: number;
  /** Largest number of resting quantities. Each is later removed at once, removed in parts, or stays. */
  restingMax: number;
  /** Number of changes between two full comparisons. */
  lookEvery: number;
  /** Prices are less than 2 to this power away from the middle; at most 27. */
  spreadBits: number;
}

type Level = [price: number, lots: number];

/** The simplest implementation of one side's depth. */
class PlainSide {
  readonly prices: number[] = [];
  readonly touched = new Set<number>();
  readonly #lots = new Map<number, number>();
  readonly #away: 1 | -1;

  constructor(side: Side) {
    this.#away = side === Side.buy ? -1 : 1;
  }

  lotsAt(price: number): number {
    return this.#lots.get(price) ?? 0;
  }

  change(price: number, lots: number): void {
    const had = this.lotsAt(price);
    this.touched.add(price);
    if (had + lots === 0) {
      this.#lots.delete(price);
      this.prices.splice(this.#placeOf(price), 1);
      return;
    }
    this.#lots.set(price, had + lots);
    if (had === 0) this.prices.splice(this.#placeOf(price), 0, price);
  }

  levels(limit: number): Level[] {
    return this.prices.slice(0, limit).map((price) => [price, this.lotsAt(price)]);
  }

  takeTouched(): Level[] {
    const levels = [...this.touched].map((price): Level => [price, this.lotsAt(price)]);
    this.touched.clear();
    return levels;
  }

  /** Returns how many prices are better. */
  #placeOf(price: number): number {
    let [low, high] = [0, this.prices.length];
    while (low < high) {
      const half = (low + high) >> 1;
      if (((this.prices[half] ?? 0) - price) * this.#away < 0) low = half + 1;
      else high = half;
    }
    return low;
  }
}

function levelsOf(visit: (visitor: (price: number, lots: number) => void) => void): Level[] {
  const levels: Level[] = [];
  visit((price, lots) => levels.push([price, lots]));
  return levels;
}

/**
 * Makes the same changes to both implementations and throws at the first difference. Returns the largest number of
 * simultaneous levels.
 */
export function compareDepth(options: DepthComparison): number {
  const comparison = new Comparison(options);
  for (let change = 0; change < options.changes; change++) {
    comparison.step(change);
    if (change % options.lookEvery === 0) comparison.compare(change);
  }
  comparison.compare(options.changes);
  return comparison.levelsMost;
}

interface Resting {
  readonly side: Side;
  readonly price: number;
  lots: number;
}

class Comparison {
  levelsMost = 0;
  readonly #options: DepthComparison;
  readonly #random: SeededRandom;
  readonly #book: DepthBook;
  readonly #changes: DepthChanges;
  readonly #plain = [new PlainSide(Side.buy), new PlainSide(Side.sell)] as const;
  readonly #resting: Resting[] = [];
  #middle = 5_000_000;

  constructor(options: DepthComparison) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.#book = new DepthBook(new DepthMemory(options.restingMax));
    this.#changes = this.#book.watch();
  }

  step(change: number): void {
    const { restingMax } = this.#options;
    const isFilling = Math.floor(change / (3 * restingMax)) % 3 !== 2;
    const isRemoval = this.#random.below(100) < (isFilling ? 25 : 75);
    if (this.#resting.length === restingMax || isRemoval) this.#remove();
    else this.#add();
    for (const side of [Side.buy, Side.sell]) {
      const best = this.#plain[side].prices[0] ?? 0;
      if (this.#book.best(side) !== best)
        assert.fail(`the best price of side ${side} differs after change ${change}`);
    }
  }

  compare(change: number): void {
    const book = this.#book;
    this.levelsMost = Math.max(this.levelsMost, book.levels(Side.buy) + book.levels(Side.sell));
    for (const side of [Side.buy, Side.sell]) {
      const plain = this.#plain[side];
      const count = plain.prices.length;
      const message = `side ${side} must be equal in both implementations after change ${change}`;
      assert.equal(book.levels(side), count, message);
      for (const limit of [20, count + 1]) {
        const levels = levelsOf((visitor) => book.visit(side, limit, visitor));
        assert.deepEqual(levels, plain.levels(limit), message);
      }
      const changed = levelsOf((visitor) => this.#changes.take(side, visitor));
      assert.deepEqual(changed, plain.takeTouched(), message);
    }
  }

  #add(): void {
    const random = this.#random;
    const side = random.below(2) === 0 ? Side.buy : Side.sell;
    const distance = random.below(2 ** random.below(this.#options.spreadBits + 1));
    const price = this.#jumped() + (side === Side.buy ? -distance : distance);
    const added = {
      side,
      price: Math.min(Math.max(price, 1), priceTicksMax),
      lots: 1 + random.below(9),
    };
    this.#resting.push(added);
    this.#book.add(side, added.price, added.lots);
    this.#plain[side].change(added.price, added.lots);
  }

  /** Removes a resting quantity, at once or in part. */
  #remove(): void {
    const at = this.#random.below(this.#resting.length);
    const found = this.#resting[at];
    const last = this.#resting.at(-1);
    if (found === undefined || last === undefined) return;
    const isPart = this.#random.below(3) === 0;
    const lots = isPart ? 1 + this.#random.below(found.lots) : found.lots;
    this.#book.remove(found.side, found.price, lots);
    this.#plain[found.side].change(found.price, -lots);
    found.lots -= lots;
    if (found.lots > 0) return;
    this.#resting[at] = last;
    this.#resting.pop();
  }

  /** Returns the middle, which at times jumps to a fifth or up to five times its value. */
  #jumped(): number {
    const random = this.#random;
    if (random.below(this.#options.restingMax) > 0) return this.#middle;
    const percent = random.below(2) === 0 ? 20 + random.below(80) : 100 + random.below(400);
    const jumped = Math.floor((this.#middle * percent) / 100);
    this.#middle = Math.min(Math.max(jumped, 200_000), 800_000_000);
    return this.#middle;
  }
}
