// One side of a book: queues of orders by price, the best always at hand.
//
// Prices become ranks, higher is better, so that both sides are the same code: a bid's rank is its
// price, an ask's the negated price. A window of consecutive ranks around the touch is dense: index
// = rank − base, head and tail of the queue in one array, occupancy in a bitmap. Ranks below the
// window are in a sorted list. When the touch leaves the window, the window moves: all its levels
// are pushed on the list and those in the new window popped off again. Orders carry their price and
// not their level, so a move touches levels only. Invariant: the list is worse than the window, and
// the window is empty only when the list is.

import { assert } from "../../core/assert.ts";
import { wordAt } from "../../core/cells.ts";
import { priceTicksMax } from "../../core/limits.ts";
import type { Side } from "../../core/orders.ts";
import { FarLevels } from "./far-levels.ts";
import { Occupancy } from "./occupancy.ts";
import { nextWord, noSlot, type OrderPool, previousWord } from "./order-pool.ts";

/** Worse than every rank: the best of an empty side, and what follows the worst level. */
export const noRank = -priceTicksMax - 1;

/** Levels in the window: 2 % of a price of 600,000 ticks below the touch, in 128 KiB a side. */
const windowLevels = 2 ** 14;

/** Room below the touch after a move; the quarter above is for a touch that improves. */
const levelsBelowTouch = (windowLevels * 3) / 4;

/** A touch fallen below this part of the window pulls the window after it. */
const lowWater = windowLevels / 4;

assert(priceTicksMax + windowLevels < 2 ** 31, "bases and ranks fit 32 bits");

/** Where a price stands on a side: higher is better. Its own inverse but for the type. */
export function rankOf(side: Side, price: number): number {
  // Negated where `side` is 1, without a branch: sides come at random.
  return (price ^ -side) + side;
}

/** The queues of one side. */
export class PriceLadder {
  /** The best rank, `noRank` while the side is empty. */
  best = noRank;
  /** Orders on this side. */
  count = 0;
  #base = 0;
  /** The pool's words: links live with the orders. */
  readonly #words: Int32Array;
  readonly #occupancy = new Occupancy(windowLevels);
  /** Head and tail of each window level's queue, side by side. */
  readonly #queues = new Int32Array(windowLevels * 2).fill(noSlot);
  readonly #far = new FarLevels();

  constructor(pool: OrderPool) {
    this.#words = pool.words;
  }

  /** Puts an order of the pool at the end of its price's queue. */
  append(rank: number, slot: number): void {
    const index = rank - this.#base;
    if (index < 0 || index >= windowLevels) {
      this.#appendOutside(rank, slot);
      return;
    }
    const words = this.#words;
    const queues = this.#queues;
    const at = index << 1;
    const tail = wordAt(queues, at + 1);
    if (tail === noSlot) {
      queues[at] = slot;
      this.#occupancy.set(index);
      if (rank > this.best) this.best = rank;
    } else {
      words[(tail << 3) + nextWord] = slot;
    }
    queues[at + 1] = slot;
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
    if (previous !== noSlot && next !== noSlot) return;
    const index = rank - this.#base;
    if (index < 0) {
      this.#removeEndOutside(rank, previous, next);
      return;
    }
    if (previous === noSlot) this.#queues[index << 1] = next;
    if (next === noSlot) this.#queues[(index << 1) + 1] = previous;
    if (previous === next) this.#emptied(rank, index);
  }

  /** First order in the queue of an occupied rank. */
  head(rank: number): number {
    const index = rank - this.#base;
    if (index >= 0) return wordAt(this.#queues, index << 1);
    const far = this.#far.indexOf(rank);
    return far < 0 ? noSlot : this.#far.head(far);
  }

  /** The best occupied rank worse than `rank`, `noRank` where there is none. */
  nextWorse(rank: number): number {
    const index = this.#occupancy.highestBelow(rank - this.#base);
    if (index >= 0) return this.#base + index;
    const far = this.#far.firstAtLeast(rank) - 1;
    return far < 0 ? noRank : this.#far.rank(far);
  }

  /** A level of the window lost its last order. */
  #emptied(rank: number, index: number): void {
    this.#occupancy.clear(index);
    if (rank !== this.best) return;
    const below = this.#occupancy.highestBelow(index);
    if (below >= 0) {
      this.best = this.#base + below;
    } else if (this.#far.count > 0) {
      this.#moveTo(this.#far.rank(this.#far.count - 1));
    } else {
      this.best = noRank;
    }
  }

  #appendOutside(rank: number, slot: number): void {
    if (this.best === noRank || rank > this.best) this.#moveTo(rank);
    else if (this.best - this.#base < lowWater) this.#moveTo(this.best);
    if (rank >= this.#base) this.append(rank, slot);
    else this.#appendFar(rank, slot);
  }

  #appendFar(rank: number, slot: number): void {
    const words = this.#words;
    const far = this.#far;
    const index = far.firstAtLeast(rank);
    let tail = noSlot;
    if (index < far.count && far.rank(index) === rank) {
      tail = far.tail(index);
      words[(tail << 3) + nextWord] = slot;
      far.setTail(index, slot);
    } else {
      far.insert(index, rank, { head: slot, tail: slot });
    }
    words[(slot << 3) + previousWord] = tail;
    words[(slot << 3) + nextWord] = noSlot;
    this.count++;
  }

  #removeEndOutside(rank: number, previous: number, next: number): void {
    const index = this.#far.indexOf(rank);
    assert(index >= 0, "a resting order's price has a level");
    if (previous === next) {
      this.#far.removeAt(index);
      return;
    }
    if (previous === noSlot) this.#far.setHead(index, next);
    else this.#far.setTail(index, previous);
  }

  /** Moves the window so that `touch`, the best rank there is or will be, stands at its place. */
  #moveTo(touch: number): void {
    const queues = this.#queues;
    const far = this.#far;
    for (let index = 0; index < windowLevels; index++) {
      const head = wordAt(queues, index << 1);
      if (head !== noSlot) far.push(this.#base + index, head, wordAt(queues, (index << 1) + 1));
    }
    queues.fill(noSlot);
    this.#occupancy.clearAll();
    this.#base = touch - levelsBelowTouch;
    this.best = far.count > 0 ? far.rank(far.count - 1) : noRank;
    assert(this.best <= touch, "the window moves to the touch");
    while (far.count > 0 && far.rank(far.count - 1) >= this.#base) this.#pull();
  }

  /** Brings the best far level into the window. */
  #pull(): void {
    const last = this.#far.count - 1;
    const index = this.#far.rank(last) - this.#base;
    this.#queues[index << 1] = this.#far.head(last);
    this.#queues[(index << 1) + 1] = this.#far.tail(last);
    this.#occupancy.set(index);
    this.#far.pop();
  }
}
