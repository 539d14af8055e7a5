// The price levels of one side that lie outside its dense window, sorted so that the best is last.
//
// Few orders live out here, so a lookup is a binary search and an insertion moves what is better.
// The best is last because levels next to the window come and go most, and because the window
// spills by pushing and refills by popping. Memory doubles when it is full and never shrinks.

import { assert } from "../../core/assert.ts";
import { wordAt } from "../../core/cells.ts";

const initialCapacity = 64;

/** Sorted levels: a rank (higher is better) with the first and last slot of its queue. */
export class FarLevels {
  count = 0;
  #ranks = new Int32Array(initialCapacity);
  #heads = new Int32Array(initialCapacity);
  #tails = new Int32Array(initialCapacity);

  /** Index of the first level whose rank is at least `rank`; `count` where all are worse. */
  firstAtLeast(rank: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.rank(middle) < rank) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Index of exactly this rank, −1 where it has no level. */
  indexOf(rank: number): number {
    const index = this.firstAtLeast(rank);
    return index < this.count && this.rank(index) === rank ? index : -1;
  }

  rank(index: number): number {
    return wordAt(this.#ranks, index);
  }

  head(index: number): number {
    return wordAt(this.#heads, index);
  }

  tail(index: number): number {
    return wordAt(this.#tails, index);
  }

  setHead(index: number, slot: number): void {
    this.#heads[index] = slot;
  }

  setTail(index: number, slot: number): void {
    this.#tails[index] = slot;
  }

  /** Puts a level in its place, which must be where the order of ranks wants it. */
  insert(index: number, rank: number, queue: { head: number; tail: number }): void {
    assert(index === 0 || this.rank(index - 1) < rank, "what lies below is worse");
    assert(index === this.count || this.rank(index) > rank, "what lies above is better");
    if (this.count === this.#ranks.length) this.#grow();
    this.#ranks.copyWithin(index + 1, index, this.count);
    this.#heads.copyWithin(index + 1, index, this.count);
    this.#tails.copyWithin(index + 1, index, this.count);
    this.#put(index, rank, queue.head, queue.tail);
    this.count++;
  }

  /** Adds a level better than all others. */
  push(rank: number, head: number, tail: number): void {
    assert(this.count === 0 || this.rank(this.count - 1) < rank, "a pushed level is the best");
    if (this.count === this.#ranks.length) this.#grow();
    this.#put(this.count, rank, head, tail);
    this.count++;
  }

  removeAt(index: number): void {
    assert(index >= 0 && index < this.count, "a removed level exists");
    this.#ranks.copyWithin(index, index + 1, this.count);
    this.#heads.copyWithin(index, index + 1, this.count);
    this.#tails.copyWithin(index, index + 1, this.count);
    this.count--;
  }

  /** Forgets the best level. */
  pop(): void {
    assert(this.count > 0, "a popped level exists");
    this.count--;
  }

  #put(index: number, rank: number, head: number, tail: number): void {
    this.#ranks[index] = rank;
    this.#heads[index] = head;
    this.#tails[index] = tail;
  }

  #grow(): void {
    this.#ranks = doubled(this.#ranks);
    this.#heads = doubled(this.#heads);
    this.#tails = doubled(this.#tails);
  }
}

function doubled(from: Int32Array): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(from.length * 2);
  grown.set(from);
  return grown;
}
