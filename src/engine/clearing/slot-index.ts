// Slots of open orders by order id: open addressing over typed arrays, because a map of boxed
// numbers cost more than all else that an order does. Order ids count up, so their low bits spread
// them evenly by themselves.

import { assert } from "../../core/assert.ts";
import { numberAt } from "../../core/cells.ts";

const firstCapacity = 1024;

export class SlotIndex {
  #mask = firstCapacity - 1;
  /** By place an order's id and its slot, side by side; id 0 stands for an empty place, no order has it. */
  #entries = new Float64Array(2 * firstCapacity);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The slot of an order, or −1. */
  slotOf(orderId: number): number {
    const place = this.#find(orderId);
    return orderId > 0 && this.#idAt(place) === orderId ? numberAt(this.#entries, place + 1) : -1;
  }

  /** Adds an order; asserts that it is new. */
  add(orderId: number, slot: number): void {
    assert(orderId > 0, "an order id is positive");
    if (this.#count * 2 > this.#mask) this.#grow();
    const place = this.#find(orderId);
    assert(this.#idAt(place) === 0, "an order is added once");
    this.#set(place, orderId, slot);
    this.#count++;
  }

  /** Removes an order; asserts that it is here. Later entries of its run move back. */
  remove(orderId: number): void {
    let hole = this.#find(orderId);
    assert(this.#idAt(hole) === orderId && orderId > 0, "an order that is removed was here");
    const last = 2 * this.#mask;
    for (let at = (hole + 2) & last; this.#idAt(at) !== 0; at = (at + 2) & last) {
      const home = placeOf(this.#idAt(at), this.#mask);
      if (((at - home) & last) < ((at - hole) & last)) continue;
      this.#set(hole, this.#idAt(at), numberAt(this.#entries, at + 1));
      hole = at;
    }
    this.#entries[hole] = 0;
    this.#count--;
  }

  /** Slots of all orders by ascending id; for snapshots and hashes, not for the hot path. */
  sorted(): Int32Array {
    const ids = this.#entries.filter((value, at) => at % 2 === 0 && value > 0).sort();
    return Int32Array.from(ids, (orderId) => this.slotOf(orderId));
  }

  /** The place of an id, or the empty place where it would go: an even index into the entries. */
  #find(orderId: number): number {
    const entries = this.#entries;
    const last = 2 * this.#mask;
    let place = placeOf(orderId, this.#mask);
    for (let id = entries[place]; id !== 0 && id !== orderId; id = entries[place]) {
      place = (place + 2) & last;
    }
    return place;
  }

  #idAt(place: number): number {
    return numberAt(this.#entries, place);
  }

  #set(place: number, orderId: number, slot: number): void {
    this.#entries[place] = orderId;
    this.#entries[place + 1] = slot;
  }

  #grow(): void {
    const before = this.#entries;
    this.#mask = 2 * this.#mask + 1;
    this.#entries = new Float64Array(2 * before.length);
    for (let place = 0; place < before.length; place += 2) {
      const orderId = numberAt(before, place);
      if (orderId !== 0) this.#set(this.#find(orderId), orderId, numberAt(before, place + 1));
    }
  }
}

/** Where an id belongs: by its low 32 bits, which alone tell apart ids that lie near each other. */
function placeOf(orderId: number, mask: number): number {
  return 2 * ((orderId | 0) & mask);
}
