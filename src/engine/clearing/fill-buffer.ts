// Fills of one matcher's request until its end arrives, in order, as parallel columns that are
// reused. They belong to one order at a time, because a matcher finishes one before the next.

import { assert } from "../../core/assert.ts";
import { matchesPerOrderMax } from "../../core/limits.ts";

export class FillBuffer {
  readonly makerSlots = new Int32Array(matchesPerOrderMax);
  readonly prices = new Int32Array(matchesPerOrderMax);
  readonly qtys = new Float64Array(matchesPerOrderMax);
  #takerSlot = 0;
  #count = 0;
  #qty = 0;

  get count(): number {
    return this.#count;
  }

  /** Lots of all fills together. */
  get qty(): number {
    return this.#qty;
  }

  /** The slot of the order that took; meaningless while there are no fills. */
  get takerSlot(): number {
    return this.#takerSlot;
  }

  /** Adds a fill; asserts that it is of the same order as those before, and within the bound. */
  add(takerSlot: number, makerSlot: number, price: number, qty: number): void {
    assert(this.#count < matchesPerOrderMax, "a sweep stays within its bound");
    assert(this.#count === 0 || this.#takerSlot === takerSlot, "fills are of one order at a time");
    this.#takerSlot = takerSlot;
    this.makerSlots[this.#count] = makerSlot;
    this.prices[this.#count] = price;
    this.qtys[this.#count] = qty;
    this.#count++;
    this.#qty += qty;
  }

  clear(): void {
    this.#count = 0;
    this.#qty = 0;
  }
}
