// One side of a book: queues of orders by price, with the best price cached.
//
// Prices become ranks, higher is better, so that both sides share the code: a bid's rank is its price, an ask's the
// negated price. Each rank with orders is a level, whose index locates its queue end; all links are in the pool. The
// cost of an operation does not depend on prices.

import { wordAt } from "../../core/assert.ts";
import { LevelSet } from "../level-set.ts";
import { nextWord, type OrderPool, previousWord, wordsPerEnd } from "./order-pool.ts";

/** The queues of one side. */
export class PriceLadder {
  /** The pool's words, which contain the links between orders. */
  readonly #words: Int32Array;
  readonly #levels: LevelSet;
  /** The line of the queue end for index 0; the ends of all indexes are adjacent in memory. */
  readonly #firstEnd: number;

  constructor(pool: OrderPool) {
    this.#words = pool.words;
    this.#levels = new LevelSet(pool.levels);
    this.#firstEnd = pool.firstEnd;
  }

  /** The best rank, `noRank` for an empty side. */
  get best(): number {
    return this.#levels.best;
  }

  /** Appends an order of the pool to its price's queue. */
  append(rank: number, line: number): void {
    const words = this.#words;
    const levels = this.#levels;
    const found = levels.find(rank);
    // Checks the level's bit instead of reading its queue end: bits are compact, but the queue end of a distant level
    // is usually not in the cache, and for a new level it is only written.
    const isThere = levels.has(found);
    const end = this.#firstEnd + (isThere ? found : levels.add(rank)) * wordsPerEnd;
    const last = isThere ? wordAt(words, end + previousWord) : end;
    words[last + nextWord] = line;
    words[end + previousWord] = line;
    words[line + previousWord] = last;
    words[line + nextWord] = end;
  }

  /** Removes a level whose last order has just left (`OrderPool.unlink`). */
  removeLevel(rank: number): void {
    this.#levels.remove(rank);
  }

  /** The end of a level's queue, as a line: its next is the first order, its previous the last. */
  end(rank: number): number {
    return this.#firstEnd + this.#levels.find(rank) * wordsPerEnd;
  }

  /** The next rank worse than `rank` with orders, `noRank` if none. */
  nextWorse(rank: number): number {
    return this.#levels.nextBelow(rank);
  }
}
