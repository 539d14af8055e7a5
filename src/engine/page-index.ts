// Which of 2^20 pages are in use. Tier 0 has one bit per page; each of the three tiers above has one bit per word of
// the tier below. So the next page in use is found in a few steps, however far away it is.
//
//   tier 3       1 word    ┐ one bit says that a word
//   tier 2      32 words   │ of the tier below has one
//   tier 1   1,024 words   ┘
//   tier 0  32,768 words     one bit a page
//
// The index stores only page numbers; the level set defines what a page is.

import { assert, wordAt } from "../core/assert.ts";
import { reservedMemory } from "../core/reserved-memory.ts";

/** Pages 0 … pagesMax − 1 can be in use. */
export const pagesMax = 2 ** 20;

/** Start of each tier. */
const tierStarts = Int32Array.of(0, 2 ** 15, 2 ** 15 + 2 ** 10, 2 ** 15 + 2 ** 10 + 2 ** 5);
const words = 2 ** 15 + 2 ** 10 + 2 ** 5 + 1;
const tiers = 4;

assert(32 ** tiers === pagesMax, "the highest tier of the index must be one word");

/** A set of page numbers, empty at first. */
export class PageIndex {
  readonly #words = new Int32Array(reservedMemory(4 * words));

  add(page: number): void {
    let index = page;
    for (let tier = 0; tier < tiers; tier++) {
      const at = wordAt(tierStarts, tier) + (index >>> 5);
      const bits = wordAt(this.#words, at);
      this.#words[at] = bits | (1 << (index & 31));
      if (bits !== 0) return;
      index >>>= 5;
    }
  }

  remove(page: number): void {
    let index = page;
    for (let tier = 0; tier < tiers; tier++) {
      const at = wordAt(tierStarts, tier) + (index >>> 5);
      const bits = wordAt(this.#words, at) & ~(1 << (index & 31));
      this.#words[at] = bits;
      if (bits !== 0) return;
      index >>>= 5;
    }
  }

  /** The highest page in use below `page`, −1 if none. */
  highestBelow(page: number): number {
    let index = page;
    for (let tier = 0; tier < tiers; tier++) {
      const word = index >>> 5;
      const below = (1 << (index & 31)) - 1;
      const bits = wordAt(this.#words, wordAt(tierStarts, tier) + word) & below;
      if (bits !== 0) return this.#descend(tier, (word << 5) + 31 - Math.clz32(bits));
      index = word;
    }
    return -1;
  }

  /** The highest page in use among the pages that bit `index` of `tier` covers. */
  #descend(tier: number, index: number): number {
    let found = index;
    for (let at = tier - 1; at >= 0; at--) {
      const bits = wordAt(this.#words, wordAt(tierStarts, at) + found);
      found = (found << 5) + 31 - Math.clz32(bits);
    }
    return found;
  }
}
