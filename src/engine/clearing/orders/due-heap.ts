// A priority queue of ids by a numeric key: deadlines by time, triggers by price. A binary heap of (key, id) in plain
// arrays. Entries are not removed when they become obsolete: such dead entries are dropped when they are popped or when
// the heap has grown.

import { assert, present } from "../../../core/assert.ts";

const compactFrom = 1024;

export class DueHeap {
  readonly #keys: number[] = [];
  readonly #ids: number[] = [];
  /** Size at which the heap is scanned for dead entries: twice the number alive after the last scan, at least 1,024. */
  #compactAt = compactFrom;
  readonly #isAlive: (key: number, id: number) => boolean;

  /** `isAlive` returns whether an entry is still valid. */
  constructor(isAlive: (key: number, id: number) => boolean) {
    this.#isAlive = isAlive;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** The smallest key, or +∞. */
  get firstKey(): number {
    return this.#keys[0] ?? Number.POSITIVE_INFINITY;
  }

  push(key: number, id: number): void {
    if (this.size >= this.#compactAt) this.#compact();
    this.#keys.push(key);
    this.#ids.push(id);
    this.#rise(this.size - 1);
  }

  /**
   * Removes the first live entry whose key is at most `key`, ordered by key and then id, and returns its id; −1 if
   * none. Drops dead entries on the way.
   */
  popUpTo(key: number): number {
    while (this.firstKey <= key) {
      const firstKey = this.firstKey;
      const id = this.#pop();
      if (this.#isAlive(firstKey, id)) return id;
    }
    return -1;
  }

  #pop(): number {
    const id = present(this.#ids[0], "the heap must have a first entry");
    const lastKey = present(this.#keys.pop(), "the heap must have a last entry");
    const lastId = present(this.#ids.pop(), "the heap must have a last entry");
    if (this.size > 0) {
      this.#keys[0] = lastKey;
      this.#ids[0] = lastId;
      this.#sink(0);
    }
    return id;
  }

  #compact(): void {
    const alive: [number, number][] = [];
    for (const [index, key] of this.#keys.entries()) {
      const id = present(this.#ids[index], "every key of the heap must have an id");
      if (this.#isAlive(key, id)) alive.push([key, id]);
    }
    alive.sort(([a, first], [b, second]) => a - b || first - second);
    // A sorted list is already a heap.
    this.#keys.length = 0;
    this.#ids.length = 0;
    for (const [key, id] of alive) {
      this.#keys.push(key);
      this.#ids.push(id);
    }
    this.#compactAt = Math.max(compactFrom, 2 * alive.length);
  }

  #isBefore(a: number, b: number): boolean {
    const first = present(this.#keys[a], "a heap entry's key");
    const second = present(this.#keys[b], "a heap entry's key");
    if (first !== second) return first < second;
    return present(this.#ids[a], "a heap entry's id") < present(this.#ids[b], "a heap entry's id");
  }

  #swap(a: number, b: number): void {
    for (const list of [this.#keys, this.#ids]) {
      const kept = present(list[a], "a heap entry");
      list[a] = present(list[b], "a heap entry");
      list[b] = kept;
    }
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      const left = 2 * at + 1;
      if (left >= this.size) return;
      const right = left + 1;
      const least = right < this.size && this.#isBefore(right, left) ? right : left;
      if (!this.#isBefore(least, at)) return;
      this.#swap(at, least);
      assert(least > at, "an entry that sinks in the heap must move to a larger index");
      at = least;
    }
  }
}
