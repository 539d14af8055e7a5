// Client order ids in use: those of open orders and of orders closed in the last ten minutes. Open addressing over
// typed arrays, because at full load millions are remembered. A key is (account, 64-bit hash of the id). If two ids of
// one account share the hash, the second is refused as a duplicate: that account has to choose another id; other
// accounts are not affected.
//
//   remember(open) ──closed──▶ expiring, queued by time ──ten minutes of event time──▶ forgotten

import { ascendingOrder } from "../../../core/ascending-order.ts";
import { assert, numberAt, present, wordAt } from "../../../core/assert.ts";
import { clientIdMemoryMs } from "../../../core/limits.ts";
import { type ClientIdKey, clientIdKey } from "./client-id-key.ts";

const memoryUs = clientIdMemoryMs * 1000;
const firstCapacity = 1024;

/** All remembered ids as columns, as snapshots keep them. */
export interface ClientIdEntries {
  account: Int32Array;
  first: Int32Array;
  second: Int32Array;
  orderId: Float64Array;
  /** Microseconds at which the order closed; 0 while it is open. */
  closedUs: Float64Array;
}

export class ClientIdIndex {
  /** Microseconds of the next expiry; +∞ if none is scheduled. */
  expiresUs = Number.POSITIVE_INFINITY;
  #capacity = firstCapacity;
  #entries = emptyEntries(firstCapacity);
  #count = 0;
  /** Closed ids in order of closing, from `#queueHead` on, four numbers each: account, two hashes, time of closing. */
  #queue: number[] = [];
  #queueHead = 0;

  /** Number of remembered ids. */
  get count(): number {
    return this.#count;
  }

  /** The order that uses or recently used `clientId`, or 0. */
  orderOf(account: number, clientId: string): number {
    const { first, second } = clientIdKey(account, clientId);
    const slot = this.#find(account, first, second);
    return numberAt(this.#entries.orderId, slot);
  }

  /** Whether an open order, or one that closed less than ten minutes before `nowUs`, uses `clientId`. */
  isUsed(account: number, clientId: string, nowUs: number): boolean {
    const { first, second } = clientIdKey(account, clientId);
    const slot = this.#find(account, first, second);
    if (numberAt(this.#entries.orderId, slot) === 0) return false;
    const closedUs = numberAt(this.#entries.closedUs, slot);
    return closedUs === 0 || closedUs + memoryUs > nowUs;
  }

  /** Whether an open order uses `clientId`. */
  isOpen(account: number, clientId: string): boolean {
    const { first, second } = clientIdKey(account, clientId);
    const slot = this.#find(account, first, second);
    return numberAt(this.#entries.orderId, slot) > 0 && this.#entries.closedUs[slot] === 0;
  }

  /** Remembers the id of an opening order; asserts that no open order has it. */
  open(account: number, clientId: string, orderId: number): void {
    assert(orderId > 0, "an order id must be positive");
    const { first, second } = clientIdKey(account, clientId);
    const slot = this.#room(account, first, second);
    if (numberAt(this.#entries.orderId, slot) === 0) {
      this.#fill(slot, account, first, second, orderId, 0);
      return;
    }
    const isClosed = numberAt(this.#entries.closedUs, slot) > 0;
    assert(isClosed, "two open orders must not have one client id");
    // What is queued for the closed order is passed over when its time comes.
    this.#entries.orderId[slot] = orderId;
    this.#entries.closedUs[slot] = 0;
  }

  /** Starts the ten minutes for the client id of a closing order, given by its key. */
  close(account: number, { first, second }: ClientIdKey, closedUs: number): void {
    const slot = this.#find(account, first, second);
    assert(
      numberAt(this.#entries.orderId, slot) > 0,
      "a client id must be stored when its order is closed",
    );
    assert(this.#entries.closedUs[slot] === 0, "an order must be closed only once");
    this.#entries.closedUs[slot] = closedUs;
    this.#queue.push(account, first, second, closedUs);
    this.#noteNext();
  }

  /** Forgets an id immediately; asserts that it is remembered and not queued to expire. */
  forget(account: number, clientId: string): void {
    const { first, second } = clientIdKey(account, clientId);
    const slot = this.#find(account, first, second);
    assert(
      this.#entries.closedUs[slot] === 0,
      "a client id that waits for its expiry must not be removed early",
    );
    this.#remove(slot);
  }

  /** Forgets the ids whose ten minutes are over at `nowUs`. */
  expire(nowUs: number): void {
    while (this.#queueHead < this.#queue.length) {
      const closedUs = this.#queued(3);
      if (closedUs + memoryUs > nowUs) break;
      const slot = this.#find(this.#queued(0), this.#queued(1), this.#queued(2));
      // Another order may have the id since.
      const isLast = numberAt(this.#entries.closedUs, slot) === closedUs;
      if (isLast && numberAt(this.#entries.orderId, slot) > 0) this.#remove(slot);
      this.#queueHead += 4;
    }
    if (this.#queueHead > 65_536 && this.#queueHead * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#queueHead);
      this.#queueHead = 0;
    }
    this.#noteNext();
  }

  #noteNext(): void {
    const isWaiting = this.#queueHead < this.#queue.length;
    this.expiresUs = isWaiting ? this.#queued(3) + memoryUs : Number.POSITIVE_INFINITY;
  }

  /** All remembered ids, in an order independent of their history. */
  capture(): ClientIdEntries {
    const from = this.#entries;
    const slots = new Int32Array(this.#count);
    const ids = new Float64Array(this.#count);
    let found = 0;
    for (let slot = 0; slot < this.#capacity; slot++) {
      const orderId = numberAt(from.orderId, slot);
      if (orderId === 0) continue;
      slots[found] = slot;
      ids[found++] = orderId;
    }
    const order = ascendingOrder(ids);
    const to = emptyEntries(this.#count);
    for (let index = 0; index < order.length; index++) {
      copyEntry(from, wordAt(slots, wordAt(order, index)), to, index);
    }
    return to;
  }

  /** Loads what `capture` returned; asserts that the index is empty. */
  restore(entries: ClientIdEntries): void {
    assert(this.#count === 0, "the index must be empty when it is restored");
    const { length } = entries.orderId;
    while (length * 2 > this.#capacity) this.#grow();
    const closed: number[] = [];
    for (let index = 0; index < length; index++) {
      const closedUs = numberAt(entries.closedUs, index);
      const orderId = numberAt(entries.orderId, index);
      const account = wordAt(entries.account, index);
      const [first, second] = [wordAt(entries.first, index), wordAt(entries.second, index)];
      const slot = this.#room(account, first, second);
      assert(orderId > 0, "an order id must be positive");
      assert(numberAt(this.#entries.orderId, slot) === 0, "a client id must be stored only once");
      this.#fill(slot, account, first, second, orderId, closedUs);
      if (closedUs > 0) closed.push(index);
    }
    const closedUs = Float64Array.from(closed, (index) => numberAt(entries.closedUs, index));
    for (const at of ascendingOrder(closedUs)) {
      const index = present(closed[at], "every closed id must have an index");
      this.#queue.push(
        wordAt(entries.account, index),
        wordAt(entries.first, index),
        wordAt(entries.second, index),
        numberAt(entries.closedUs, index),
      );
    }
    this.#noteNext();
  }

  /** The slot of a key, or the free slot where it would go. */
  #find(account: number, first: number, second: number): number {
    const mask = this.#capacity - 1;
    const entries = this.#entries;
    let slot = first & mask;
    while (numberAt(entries.orderId, slot) !== 0) {
      const isSame =
        entries.first[slot] === first &&
        entries.second[slot] === second &&
        entries.account[slot] === account;
      if (isSame) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** A field of the oldest closed id. */
  #queued(field: number): number {
    return present(this.#queue[this.#queueHead + field], "the queue must contain the closed id");
  }

  /** The slot of a key as `#find` returns it, after room for one more id has been made. */
  #room(account: number, first: number, second: number): number {
    if (this.#count * 2 >= this.#capacity) this.#grow();
    return this.#find(account, first, second);
  }

  /** Stores an id in a free slot. */
  #fill(
    slot: number,
    account: number,
    first: number,
    second: number,
    orderId: number,
    closedUs: number,
  ): void {
    this.#entries.account[slot] = account;
    this.#entries.first[slot] = first;
    this.#entries.second[slot] = second;
    this.#entries.orderId[slot] = orderId;
    this.#entries.closedUs[slot] = closedUs;
    this.#count++;
  }

  /** Removes a slot and moves later entries of its probe run back, so that runs stay contiguous. */
  #remove(slot: number): void {
    const entries = this.#entries;
    const mask = this.#capacity - 1;
    assert(numberAt(entries.orderId, slot) > 0, "an id must be stored when it is removed");
    let hole = slot;
    let at = (slot + 1) & mask;
    while (numberAt(entries.orderId, at) !== 0) {
      const home = wordAt(entries.first, at) & mask;
      const distance = (at - home) & mask;
      if (distance >= ((at - hole) & mask)) {
        copyEntry(entries, at, entries, hole);
        hole = at;
      }
      at = (at + 1) & mask;
    }
    entries.orderId[hole] = 0;
    this.#count--;
  }

  #grow(): void {
    const old = this.#entries;
    const oldCapacity = this.#capacity;
    this.#capacity *= 2;
    this.#entries = emptyEntries(this.#capacity);
    for (let slot = 0; slot < oldCapacity; slot++) {
      if (numberAt(old.orderId, slot) === 0) continue;
      const to = this.#find(
        wordAt(old.account, slot),
        wordAt(old.first, slot),
        wordAt(old.second, slot),
      );
      copyEntry(old, slot, this.#entries, to);
    }
  }
}

function emptyEntries(capacity: number): ClientIdEntries {
  return {
    account: new Int32Array(capacity),
    first: new Int32Array(capacity),
    second: new Int32Array(capacity),
    orderId: new Float64Array(capacity),
    closedUs: new Float64Array(capacity),
  };
}

function copyEntry(from: ClientIdEntries, at: number, to: ClientIdEntries, index: number): void {
  to.account[index] = wordAt(from.account, at);
  to.first[index] = wordAt(from.first, at);
  to.second[index] = wordAt(from.second, at);
  to.orderId[index] = numberAt(from.orderId, at);
  to.closedUs[index] = numberAt(from.closedUs, at);
}
