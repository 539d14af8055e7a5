// One side of a measured book: computes the average price at which a value can be filled. A few small orders at an
// absurd price hardly change this average, as they would change the best price.
//
// Orders are added unsorted. A walk visits them best first and stops when the value is filled, usually after a few
// orders. Orders not visited yet are in a heap; a visited order moves to the sorted part after the heap, where the next
// walk finds it. Orders of one price need not be adjacent.
//
//   [ heap, the best first | visited, the best last ]

import { assert, numberAt, wordAt } from "../../../core/assert.ts";
import type { TickLot } from "../../../core/money/amounts.ts";
import { divCeil } from "../../../core/money/amounts.ts";
import { Side } from "../../../core/orders.ts";
import { basisParts } from "../../../core/perpetuals/index-price.ts";

const parts = BigInt(basisParts);
const firstCapacity = 64;

export class Ladder {
  readonly side: Side;
  /** `#unit`: value of one tick × lot, in parts of a minor unit; `#perUnit`: how many such parts a minor unit has. */
  readonly #unit: bigint;
  readonly #perUnit: bigint;
  /** Higher is better: a bid's price, an ask's price negated. */
  #ranks = new Int32Array(firstCapacity);
  #lots = new Float64Array(firstCapacity);
  #count = 0;
  /** Orders in the heap; −1 while they are unsorted. */
  #heaped = -1;

  constructor(side: Side, { units, parts: perUnit }: TickLot) {
    this.side = side;
    this.#unit = BigInt(units);
    this.#perUnit = BigInt(perUnit);
  }

  clear(): void {
    this.#count = 0;
    this.#heaped = -1;
  }

  /** Adds an order's lots at its price. */
  add(price: number, lots: number): void {
    assert(price > 0 && lots > 0, "an open order must have a positive price and quantity");
    if (this.#count === this.#ranks.length) this.#grow();
    this.#ranks[this.#count] = this.side === Side.buy ? price : -price;
    this.#lots[this.#count] = lots;
    this.#count++;
    this.#heaped = -1;
  }

  /**
   * Average price to fill `value` minor units, in thousandths of a tick, rounded away from the middle of the book; 0
   * if the side has less than `value`. Spec RSK-23.
   */
  impactPrice(value: bigint): number {
    assert(value > 0n, "the value to fill must be positive");
    // Computed in parts of a minor unit, so that nothing is rounded before the average.
    let [left, filled, lots] = [value * this.#perUnit, 0n, 0n];
    for (let turn = 0; turn < this.#count; turn++) {
      const at = this.#indexOf(turn);
      const price = BigInt(Math.abs(wordAt(this.#ranks, at))) * this.#unit;
      const here = BigInt(numberAt(this.#lots, at));
      const needed = divCeil(left, price);
      const taken = needed < here ? needed : here;
      filled += taken * price;
      lots += taken;
      left -= taken * price;
      if (left <= 0n) return this.#averageOf(filled, lots);
    }
    return 0;
  }

  /** Minor units resting at `price` ticks or better, rounded down. Spec RSK-37. */
  valueUntil(price: number): bigint {
    assert(price >= 0, "a price bound must not be negative");
    const bound = this.side === Side.buy ? price : -price;
    let value = 0n;
    for (let at = 0; at < this.#count; at++) {
      const rank = wordAt(this.#ranks, at);
      if (rank < bound) continue;
      value += BigInt(Math.abs(rank)) * BigInt(numberAt(this.#lots, at)) * this.#unit;
    }
    return value / this.#perUnit;
  }

  #averageOf(filled: bigint, lots: bigint): number {
    assert(lots > 0n, "an average price needs a positive quantity");
    const whole = lots * this.#unit;
    const isBid = this.side === Side.buy;
    return Number(isBid ? (filled * parts) / whole : divCeil(filled * parts, whole));
  }

  /**
   * Index of the order at rank `turn`, 0 for the best. Moves orders from the heap to the sorted part as far as
   * necessary.
   */
  #indexOf(turn: number): number {
    if (this.#heaped < 0) {
      this.#heaped = this.#count;
      for (let at = (this.#count >> 1) - 1; at >= 0; at--) this.#sink(at);
    }
    const index = this.#count - 1 - turn;
    while (this.#heaped > index) {
      this.#heaped--;
      this.#swap(0, this.#heaped);
      this.#sink(0);
    }
    return index;
  }

  /** Moves the entry at `from` down the heap past better ones. */
  #sink(from: number): void {
    const ranks = this.#ranks;
    for (let at = from; ; ) {
      let better = 2 * at + 1;
      if (better >= this.#heaped) return;
      const other = better + 1;
      if (other < this.#heaped && wordAt(ranks, other) > wordAt(ranks, better)) better = other;
      if (wordAt(ranks, better) <= wordAt(ranks, at)) return;
      this.#swap(at, better);
      at = better;
    }
  }

  #swap(one: number, other: number): void {
    const [rank, lots] = [wordAt(this.#ranks, one), numberAt(this.#lots, one)];
    this.#ranks[one] = wordAt(this.#ranks, other);
    this.#lots[one] = numberAt(this.#lots, other);
    this.#ranks[other] = rank;
    this.#lots[other] = lots;
  }

  #grow(): void {
    const [ranks, lots] = [this.#ranks, this.#lots];
    this.#ranks = new Int32Array(2 * ranks.length);
    this.#lots = new Float64Array(2 * lots.length);
    this.#ranks.set(ranks);
    this.#lots.set(lots);
  }
}
