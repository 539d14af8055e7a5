// Slots of open orders by order id: open addressing over one typed array, because a Map with boxed numbers took more
// time than the rest of an order's processing. Ids are hashed although they are sequential: indexing by their low bits
// would put consecutive orders into one long run, and removing one would scan the whole run.

import { assert, wordAt } from "../../../core/assert.ts";

const firstCapacity = 1024;
/** Words per entry: low and high half of the id, slot + 1 (0 if empty), padding. */
const entryWords = 4;
const highWord = 1;
const slotWord = 2;
/** 2^32 divided by the golden ratio: its multiples spread evenly, especially those of sequential ids. */
const spread = 0x9e3779b1;

export class SlotIndex {
  #entries = new Int32Array(entryWords * firstCapacity);
  /** Number of low hash bits that the index does not use. */
  #shift = shiftOf(firstCapacity);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The slot of an order, or −1. */
  slotOf(orderId: number): number {
    if (!Number.isSafeInteger(orderId)) return -1;
    const index = this.#find(orderId | 0, highOf(orderId));
    return wordAt(this.#entries, index + slotWord) - 1;
  }

  /** Adds an order; asserts that it is new. */
  add(orderId: number, slot: number): void {
    assert(orderId > 0, "an order id must be positive");
    if (this.#count * 2 * entryWords >= this.#entries.length) this.#grow();
    const index = this.#find(orderId | 0, highOf(orderId));
    assert(this.#isEmpty(index), "an order must be added only once");
    this.#set(index, orderId | 0, highOf(orderId), slot + 1);
    this.#count++;
  }

  /** Removes an order; asserts that it exists. Later entries of its probe run move back. */
  remove(orderId: number): void {
    const entries = this.#entries;
    const mask = entries.length - 1;
    let hole = this.#find(orderId | 0, highOf(orderId));
    assert(!this.#isEmpty(hole), "an order must be in the index when it is removed");
    for (let at = hole; ; ) {
      at = (at + entryWords) & mask;
      if (this.#isEmpty(at)) break;
      const low = wordAt(entries, at);
      const high = wordAt(entries, at + highWord);
      const home = indexOf(low, high, this.#shift);
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      this.#set(hole, low, high, wordAt(entries, at + slotWord));
      hole = at;
    }
    entries[hole + slotWord] = 0;
    this.#count--;
  }

  /** Reserves room for `count` orders at once; growing step by step would move each of them many times. */
  reserve(count: number): void {
    while (count * 2 * entryWords > this.#entries.length) this.#grow();
  }

  /** The entry of an id, or the empty one where it would go. */
  #find(low: number, high: number): number {
    const entries = this.#entries;
    const mask = entries.length - 1;
    let at = indexOf(low, high, this.#shift);
    while (entries[at + slotWord] !== 0) {
      if (entries[at] === low && entries[at + highWord] === high) return at;
      at = (at + entryWords) & mask;
    }
    return at;
  }

  #isEmpty(at: number): boolean {
    return this.#entries[at + slotWord] === 0;
  }

  #set(at: number, low: number, high: number, slotAndOne: number): void {
    this.#entries[at] = low;
    this.#entries[at + highWord] = high;
    this.#entries[at + slotWord] = slotAndOne;
  }

  #grow(): void {
    const before = this.#entries;
    this.#entries = new Int32Array(2 * before.length);
    this.#shift = shiftOf((2 * before.length) / entryWords);
    for (let at = 0; at < before.length; at += entryWords) {
      const slotAndOne = wordAt(before, at + slotWord);
      if (slotAndOne === 0) continue;
      const low = wordAt(before, at);
      const high = wordAt(before, at + highWord);
      this.#set(this.#find(low, high), low, high, slotAndOne);
    }
  }
}

/** The high half of an id; its low half is the id as an int32. */
function highOf(orderId: number): number {
  return Math.floor(orderId / 2 ** 32) | 0;
}

/** The home index of an id, from the upper bits of the product, which depend on all bits of the id. */
function indexOf(low: number, high: number, shift: number): number {
  return (Math.imul(low ^ Math.imul(high, spread), spread) >>> shift) * entryWords;
}

/** The number of unused hash bits for a capacity, which must be a power of two. */
function shiftOf(capacity: number): number {
  return Math.clz32(capacity) + 1;
}
