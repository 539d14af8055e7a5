// What came of one matcher's request until its end arrives, in order, as parallel columns that are
// reused: fills, and resting orders that were reduced, removed or only met instead. They belong to one order at
// a time, because a matcher finishes one before the next.

import { assert } from "../../../core/assert.ts";
import { matchesPerOrderMax, recordsPerMatchMax } from "../../../core/limits.ts";
import type { RemovalReason } from "../../../core/match-messages.ts";

/** What happened to a resting order that the request met. */
export const MatchKind = { filled: 0, reduced: 1, removed: 2, met: 3 } as const;
export type MatchKind = (typeof MatchKind)[keyof typeof MatchKind];

const recordsMax = matchesPerOrderMax * recordsPerMatchMax;

export class FillBuffer {
  readonly kinds = new Uint8Array(recordsMax);
  readonly makerSlots = new Int32Array(recordsMax);
  /** Ticks of a fill; the RemovalReason of a removal. */
  readonly prices = new Int32Array(recordsMax);
  /** Lots traded, taken off both orders, or left of the order removed. */
  readonly qtys = new Float64Array(recordsMax);
  #takerSlot = 0;
  #count = 0;
  #qty = 0;

  get count(): number {
    return this.#count;
  }

  /** Lots that the order of the request has lost: all fills and reductions together. */
  get qty(): number {
    return this.#qty;
  }

  /** The slot of the order that took; meaningless while there is nothing. */
  get takerSlot(): number {
    return this.#takerSlot;
  }

  /** Adds a fill; asserts that it is of the same order as those before, and within the bound. */
  add(takerSlot: number, makerSlot: number, price: number, qty: number): void {
    this.#push(MatchKind.filled, takerSlot, makerSlot, qty);
    this.prices[this.#count - 1] = price;
    this.#qty += qty;
  }

  /** Adds lots that both orders lost without trading; asserts as `add` does. */
  reduce(takerSlot: number, makerSlot: number, qty: number): void {
    this.#push(MatchKind.reduced, takerSlot, makerSlot, qty);
    this.#qty += qty;
  }

  /** Adds a resting order that left with `remaining` lots; asserts as `add` does. */
  remove(takerSlot: number, makerSlot: number, reason: RemovalReason, remaining: number): void {
    this.#push(MatchKind.removed, takerSlot, makerSlot, remaining);
    this.prices[this.#count - 1] = reason;
  }

  /** Adds a resting order of the same account at which the order of the request ends. */
  meet(takerSlot: number, makerSlot: number): void {
    this.#push(MatchKind.met, takerSlot, makerSlot, 0);
  }

  clear(): void {
    this.#count = 0;
    this.#qty = 0;
  }

  #push(kind: MatchKind, takerSlot: number, makerSlot: number, qty: number): void {
    assert(this.#count < recordsMax, "a sweep stays within its bound");
    assert(this.#count === 0 || this.#takerSlot === takerSlot, "fills are of one order at a time");
    this.#takerSlot = takerSlot;
    this.kinds[this.#count] = kind;
    this.makerSlots[this.#count] = makerSlot;
    this.qtys[this.#count] = qty;
    this.#count++;
  }
}
