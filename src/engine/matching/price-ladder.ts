// One side of a book: queues of orders by price, the best always at hand.
//
// Prices become ranks, higher is better, so that both sides are the same code: a bid's rank is its
// price, an ask's the negated price. Each rank that holds orders is a level, whose queue's ends lie at its place;
// the links between lie with the orders. What an operation costs does not depend on where prices are.

import { assert } from "../../core/assert.ts";
import { wordAt } from "../../core/cells.ts";
import { rowRanks } from "../level-memory.ts";
import { LevelSet } from "../level-set.ts";
import { nextWord, noLine, type OrderPool, previousWord } from "./order-pool.ts";

/** The queues of one side. */
export class PriceLadder {
  /** Orders on this side. */
  count = 0;
  /** The pool's words: links live with the orders. */
  readonly #words: Int32Array;
  readonly #levels: LevelSet;
  /** Head and tail of each level's queue, side by side. */
  readonly #queues: Int32Array;

  constructor(pool: OrderPool) {
    this.#words = pool.words;
    this.#levels = new LevelSet(pool.levels);
    this.#queues = pool.queues;
  }

  /** The best rank, `noRank` while the side is empty. */
  get best(): number {
    return this.#levels.best;
  }

  /** Puts an order of the pool at the end of its price's queue. */
  append(rank: number, line: number): void {
    const words = this.#words;
    const queues = this.#queues;
    let place = this.#levels.find(rank);
    const tail = wordAt(queues, (place << 1) + 1);
    if (tail === noLine) {
      place = this.#levels.add(rank);
      queues[place << 1] = line;
    } else {
      words[(tail << 3) + nextWord] = line;
    }
    queues[(place << 1) + 1] = line;
    words[(line << 3) + previousWord] = tail;
    words[(line << 3) + nextWord] = noLine;
    this.count++;
  }

  /** Takes an order out of its price's queue. */
  remove(rank: number, line: number): void {
    const words = this.#words;
    const previous = wordAt(words, (line << 3) + previousWord);
    const next = wordAt(words, (line << 3) + nextWord);
    this.count--;
    // Where there is no neighbour, nobody's line is written.
    words[(previous << 3) + nextWord] = next;
    words[(next << 3) + previousWord] = previous;
    if (previous !== noLine && next !== noLine) return;
    const queues = this.#queues;
    const place = this.#levels.find(rank);
    assert(place >= rowRanks, "a resting order's price has a level");
    if (previous === noLine) queues[place << 1] = next;
    if (next === noLine) queues[(place << 1) + 1] = previous;
    // Only the end of a queue on both sides is the same.
    if (previous === next) this.#levels.remove(rank);
  }

  /** First order in the queue of a rank, `noLine` where it has none. */
  head(rank: number): number {
    return wordAt(this.#queues, this.#levels.find(rank) << 1);
  }

  /** The best occupied rank worse than `rank`, `noRank` where there is none. */
  nextWorse(rank: number): number {
    return this.#levels.nextBelow(rank);
  }
}
