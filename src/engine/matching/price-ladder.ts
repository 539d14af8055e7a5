// One side of a book: queues of orders by price, the best always at hand.
//
// Prices become ranks, higher is better, so that both sides are the same code: a bid's rank is its
// price, an ask's the negated price. Each rank that holds orders is a level, whose queue's ends lie at its place;
// the links between lie with the orders. What an operation costs does not depend on where prices are.

import { assert } from "../../core/assert.ts";
import { wordAt } from "../../core/cells.ts";
import { LevelSet, noPlace } from "../level-set.ts";
import { nextWord, noSlot, type OrderPool, previousWord } from "./order-pool.ts";

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
  append(rank: number, slot: number): void {
    const words = this.#words;
    const queues = this.#queues;
    let place = this.#levels.find(rank);
    let tail = noSlot;
    if (place === noPlace) {
      place = this.#levels.add(rank);
      queues[place << 1] = slot;
    } else {
      tail = wordAt(queues, (place << 1) + 1);
      words[(tail << 3) + nextWord] = slot;
    }
    queues[(place << 1) + 1] = slot;
    words[(slot << 3) + previousWord] = tail;
    words[(slot << 3) + nextWord] = noSlot;
    this.count++;
  }

  /** Takes an order out of its price's queue. */
  remove(rank: number, slot: number): void {
    const words = this.#words;
    const previous = wordAt(words, (slot << 3) + previousWord);
    const next = wordAt(words, (slot << 3) + nextWord);
    this.count--;
    if (previous !== noSlot) words[(previous << 3) + nextWord] = next;
    if (next !== noSlot) words[(next << 3) + previousWord] = previous;
    if (previous === next) {
      // Only the end of a queue on both sides is the same.
      this.#levels.remove(rank);
      return;
    }
    if (previous !== noSlot && next !== noSlot) return;
    const place = this.#levels.find(rank);
    assert(place !== noPlace, "a resting order's price has a level");
    if (previous === noSlot) this.#queues[place << 1] = next;
    else this.#queues[(place << 1) + 1] = previous;
  }

  /** First order in the queue of a rank, `noSlot` where it has none. */
  head(rank: number): number {
    const place = this.#levels.find(rank);
    return place === noPlace ? noSlot : wordAt(this.#queues, place << 1);
  }

  /** The best occupied rank worse than `rank`, `noRank` where there is none. */
  nextWorse(rank: number): number {
    return this.#levels.nextBelow(rank);
  }
}
