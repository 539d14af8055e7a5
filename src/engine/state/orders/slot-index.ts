// Slots of open orders by order id: open addressing over one typed array, because a Map with boxed numbers took more
// time than the rest of an order's processing. Ids are hashed although they are sequential: indexing by their low bits
// would put consecutive orders into one long run, and removing one would scan the whole run.
//
// An entry has only the low half of an id, which differs for almost all open orders. The whole id is in the order's
// column, which is read only if the low half is equal.

import { assert, numberAt, wordAt } from "../../../core/assert.ts";

const firstCapacity = 1024;
/** Words per entry: low half of the id, slot + 1 (0 if empty). */
const entryWords = 2;
const slotWord = 1;
/** 2^32 divided by the golden ratio: its multiples spread evenly, especially those of sequential ids. */
const spread = 0x9e3779b1;

export class SlotIndex {
  readonly #orderIds: Float64Array;
  #entries = new Int32Array(entryWords * firstCapacity);
  /** Number of low hash bits that the index does not use. */
  #shift = shiftOf(firstCapacity);
  #count = 0;

  /** `orderIds` has the id of each order in the index, by slot. */
  constructor(orderIds: Float64Array) {
    this.#orderIds = orderIds;
  }

  get count(): number {
    return this.#count;
  }

  /** The slot of an order, or −1. */
  slotOf(orderId: number): number {
    return wordAt(this.#entries, this.#find(orderId) + slotWord) - 1;
  }

  /** Adds the order in `slot`; asserts that it is new. */
  add(slot: number): void {
    const orderId = numberAt(this.#orderIds, slot);
    assert(orderId > 0, "an order id must be positive");
    if (this.#count * 2 * entryWords >= this.#entries.length) this.#grow();
    const at = this.#find(orderId);
    assert(this.#isEmpty(at), "an order must be added only once");
    this.#set(at, orderId | 0, slot + 1);
    this.#count++;
  }

  /** Removes an order; asserts that it exists. Later entries of its probe run move back. */
  remove(orderId: number): void {
    const entries = this.#entries;
    const mask = entries.length - 1;
    let hole = this.#find(orderId);
    assert(!this.#isEmpty(hole), "an order must be in the index when it is removed");
    for (let at = hole; ; ) {
      at = (at + entryWords) & mask;
      if (this.#isEmpty(at)) break;
      const low = wordAt(entries, at);
      const home = indexOf(low, this.#shift);
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      this.#set(hole, low, wordAt(entries, at + slotWord));
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
  #find(orderId: number): number {
    const entries = this.#entries;
    const mask = entries.length - 1;
    const low = orderId | 0;
    let at = indexOf(low, this.#shift);
    for (;;) {
      const slot = wordAt(entries, at + slotWord) - 1;
      if (slot < 0) return at;
      if (entries[at] === low && this.#orderIds[slot] === orderId) return at;
      at = (at + entryWords) & mask;
    }
  }

  #isEmpty(at: number): boolean {
    return this.#entries[at + slotWord] === 0;
  }

  #set(at: number, low: number, slotAndOne: number): void {
    this.#entries[at] = low;
    this.#entries[at + slotWord] = slotAndOne;
  }

  #grow(): void {
    const before = this.#entries;
    this.#entries = new Int32Array(2 * before.length);
    this.#shift = shiftOf((2 * before.length) / entryWords);
    for (let from = 0; from < before.length; from += entryWords) {
      const slotAndOne = wordAt(before, from + slotWord);
      if (slotAndOne === 0) continue;
      const low = wordAt(before, from);
      let at = indexOf(low, this.#shift);
      while (!this.#isEmpty(at)) at = (at + entryWords) & (this.#entries.length - 1);
      this.#set(at, low, slotAndOne);
    }
  }
}

/** The home index of an id with this low half, from the upper bits of the product, which depend on all of its bits. */
function indexOf(low: number, shift: number): number {
  return (Math.imul(low, spread) >>> shift) * entryWords;
}

/** The number of unused hash bits for a capacity, which must be a power of two. */
function shiftOf(capacity: number): number {
  return Math.clz32(capacity) + 1;
}
