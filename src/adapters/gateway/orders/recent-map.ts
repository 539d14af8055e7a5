// A map that forgets what is old, in two generations: when the young one is full it becomes the old
// one, whose entries go together. Deleting the oldest entry of a large Map one by one walks over all
// that were deleted before it.

import { assert } from "../../../core/assert.ts";

export class RecentMap<K, V> {
  readonly #kept: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /** Keeps the latest `kept` entries at least, twice as many at most. */
  constructor(kept: number) {
    assert(kept > 0, "something is kept");
    this.#kept = kept;
  }

  get(key: K): V | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: K, value: V): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#kept) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
