// One side of a recorded book with all of its levels, sorted by price, so that the best ones are read at once.

import type { PastLevel } from "./past-events.ts";

export class DepthSide {
  /** 1 if the best price is the smallest, −1 if it is the largest. */
  readonly #sign: 1 | -1;
  /** Prices × sign, ascending, so that the best comes first. */
  readonly #keys: number[] = [];
  readonly #qtys: number[] = [];

  constructor(side: "bids" | "asks") {
    this.#sign = side === "asks" ? 1 : -1;
  }

  clear(): void {
    this.#keys.length = 0;
    this.#qtys.length = 0;
  }

  /** Sets the lots of a price; 0 removes the level. */
  set(price: number, qty: number): void {
    const key = price * this.#sign;
    const at = this.#indexOf(key);
    const isThere = this.#keys[at] === key;
    if (qty === 0) {
      if (!isThere) return;
      this.#keys.splice(at, 1);
      this.#qtys.splice(at, 1);
    } else if (isThere) this.#qtys[at] = qty;
    else {
      this.#keys.splice(at, 0, key);
      this.#qtys.splice(at, 0, qty);
    }
  }

  /** The best `count` levels, best first. */
  best(count: number): PastLevel[] {
    return this.#keys
      .slice(0, count)
      .map((key, at): PastLevel => [key * this.#sign, this.#qtys[at] ?? 0]);
  }

  /** The index of the first level at `key` or behind it. */
  #indexOf(key: number): number {
    let [from, to] = [0, this.#keys.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#keys[middle] ?? 0) < key) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
