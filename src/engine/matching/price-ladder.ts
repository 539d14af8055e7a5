// One side of a book: queues of orders by price, the best always at hand.
//
// Prices become ranks, higher is better, so that both sides are the same code: a bid's rank is its
// price, an ask's the negated price. Each rank that holds orders is a level, whose place says where the end of its
// queue lies; all links lie in the pool. What an operation costs does not depend on where prices are.

import { wordAt } from "../../core/assert.ts";
import { LevelSet } from "../level-set.ts";
import { nextWord, type OrderPool, previousWord, wordsPerEnd } from "./order-pool.ts";

/** The queues of one side. */
export class PriceLadder {
  /** The pool's words: links live with the orders. */
  readonly #words: Int32Array;
  readonly #levels: LevelSet;
  /** The end at place 0; each place has one, side by side. */
  readonly #firstEnd: number;

  constructor(pool: OrderPool) {
    this.#words = pool.words;
    this.#levels = new LevelSet(pool.levels);
    this.#firstEnd = pool.firstEnd;
  }

  /** The best rank, `noRank` while the side is empty. */
  get best(): number {
    return this.#levels.best;
  }

  /** Puts an order of the pool at the end of its price's queue. */
  append(rank: number, line: number): void {
    const words = this.#words;
    const levels = this.#levels;
    const found = levels.find(rank);
    // Asked of the bits, which are few: the end of one far level among thousands is not at hand, and of a new level
    // it is written only.
    const isThere = levels.has(found);
    const end = this.#firstEnd + (isThere ? found : levels.add(rank)) * wordsPerEnd;
    const last = isThere ? wordAt(words, end + previousWord) : end;
    words[last + nextWord] = line;
    words[end + previousWord] = line;
    words[line + previousWord] = last;
    words[line + nextWord] = end;
  }

  /** Takes out a level, which the order alone there has just left (`OrderPool.unlink`). */
  removeLevel(rank: number): void {
    this.#levels.remove(rank);
  }

  /** The end of a level's queue, as a line: the first order is next to it, and it is next to the last. */
  end(rank: number): number {
    return this.#firstEnd + this.#levels.find(rank) * wordsPerEnd;
  }

  /** The best occupied rank worse than `rank`, `noRank` where there is none. */
  nextWorse(rank: number): number {
    return this.#levels.nextBelow(rank);
  }
}
