// Which of a fixed number of levels hold orders: one bit a level, and above it one bit a word, so
// that the next occupied level is found in a handful of steps however far away it is.
//
// Two tiers, not three: at 16,384 levels the upper tier is 16 words, which a scan crosses in
// nanoseconds. It knows indexes only; what they mean is the ladder's business.

import { assert } from "../../core/assert.ts";
import { wordAt } from "../../core/cells.ts";

/** Bits for levels 0 … size − 1, all empty at first. */
export class Occupancy {
  readonly #words: Int32Array;
  readonly #summary: Int32Array;

  constructor(size: number) {
    assert(size >= 1024 && size % 1024 === 0, "both tiers consist of whole words");
    this.#words = new Int32Array(size >>> 5);
    this.#summary = new Int32Array(size >>> 10);
  }

  set(index: number): void {
    const word = index >>> 5;
    this.#words[word] = wordAt(this.#words, word) | (1 << (index & 31));
    const upper = word >>> 5;
    this.#summary[upper] = wordAt(this.#summary, upper) | (1 << (word & 31));
  }

  clear(index: number): void {
    const word = index >>> 5;
    const bits = wordAt(this.#words, word) & ~(1 << (index & 31));
    this.#words[word] = bits;
    if (bits !== 0) return;
    const upper = word >>> 5;
    this.#summary[upper] = wordAt(this.#summary, upper) & ~(1 << (word & 31));
  }

  clearAll(): void {
    this.#words.fill(0);
    this.#summary.fill(0);
  }

  /** The highest occupied index below `index`, −1 where there is none. */
  highestBelow(index: number): number {
    if (index <= 0) return -1;
    const last = index - 1;
    const word = last >>> 5;
    const bits = wordAt(this.#words, word) & (-1 >>> (31 - (last & 31)));
    if (bits !== 0) return (word << 5) + 31 - Math.clz32(bits);
    return this.#highestInWordsBelow(word);
  }

  #highestInWordsBelow(word: number): number {
    if (word === 0) return -1;
    const last = word - 1;
    let upper = last >>> 5;
    let bits = wordAt(this.#summary, upper) & (-1 >>> (31 - (last & 31)));
    while (bits === 0) {
      if (upper === 0) return -1;
      upper--;
      bits = wordAt(this.#summary, upper);
    }
    const found = (upper << 5) + 31 - Math.clz32(bits);
    return (found << 5) + 31 - Math.clz32(wordAt(this.#words, found));
  }
}
