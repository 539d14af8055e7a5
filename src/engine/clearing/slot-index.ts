// Slots of open orders by order id: open addressing over typed arrays, because a map of boxed
// numbers cost more than all else that an order does. Order ids count up, so their low bits spread
// them evenly by themselves.

import { assert } from "../../core/assert.ts";
import { numberAt, wordAt } from "../../core/cells.ts";

const firstCapacity = 1024;

export class SlotIndex {
  #mask = firstCapacity - 1;
  /** 0 stands for an empty place; no order has that id. */
  #ids = new Float64Array(firstCapacity);
  #slots = new Int32Array(firstCapacity);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The slot of an order, or −1. */
  slotOf(orderId: number): number {
    const place = this.#find(orderId);
    return orderId > 0 && numberAt(this.#ids, place) === orderId ? wordAt(this.#slots, place) : -1;
  }

  /** Adds an order; asserts that it is new. */
  add(orderId: number, slot: number): void {
    assert(orderId > 0, "an order id is positive");
    if (this.#count * 2 > this.#mask) this.#grow();
    const place = this.#find(orderId);
    assert(this.#ids[place] === 0, "an order is added once");
    this.#ids[place] = orderId;
    this.#slots[place] = slot;
    this.#count++;
  }

  /** Removes an order; asserts that it is here. Later entries of its run move back. */
  remove(orderId: number): void {
    let hole = this.#find(orderId);
    assert(this.#ids[hole] === orderId && orderId > 0, "an order that is removed was here");
    const mask = this.#mask;
    for (let at = (hole + 1) & mask; this.#ids[at] !== 0; at = (at + 1) & mask) {
      const home = homeOf(numberAt(this.#ids, at), mask);
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      this.#ids[hole] = numberAt(this.#ids, at);
      this.#slots[hole] = wordAt(this.#slots, at);
      hole = at;
    }
    this.#ids[hole] = 0;
    this.#count--;
  }

  /** Slots of all orders by ascending id; for snapshots and hashes, not for the hot path. */
  sorted(): Int32Array {
    const ids = this.#ids.filter((orderId) => orderId > 0).sort();
    return Int32Array.from(ids, (orderId) => this.slotOf(orderId));
  }

  /** The place of an id, or the empty place where it would go. */
  #find(orderId: number): number {
    const ids = this.#ids;
    const mask = this.#mask;
    let place = homeOf(orderId, mask);
    for (let id = ids[place]; id !== 0 && id !== orderId; id = ids[place]) {
      place = (place + 1) & mask;
    }
    return place;
  }

  #grow(): void {
    const ids = this.#ids;
    const slots = this.#slots;
    const capacity = ids.length * 2;
    this.#mask = capacity - 1;
    this.#ids = new Float64Array(capacity);
    this.#slots = new Int32Array(capacity);
    for (let place = 0; place < ids.length; place++) {
      const orderId = numberAt(ids, place);
      if (orderId === 0) continue;
      const to = this.#find(orderId);
      this.#ids[to] = orderId;
      this.#slots[to] = wordAt(slots, place);
    }
  }
}

/** Low 32 bits of a 53-bit id: they alone tell apart ids that lie near each other. */
function homeOf(orderId: number, mask: number): number {
  return (orderId | 0) & mask;
}
