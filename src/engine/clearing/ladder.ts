// One side of a book as far as it is measured: lots by price, best first. What is measured is what it costs
// to fill a value there: a few orders at a price of fantasy are no depth.

import { divCeil } from "../../core/amounts.ts";
import { assert } from "../../core/assert.ts";
import { basisParts } from "../../core/index-price.ts";
import { Side } from "../../core/orders.ts";

const parts = BigInt(basisParts);

interface Level {
  readonly price: number;
  lots: number;
}

export class Ladder {
  readonly side: Side;
  /** Minor units of one tick and lot. */
  readonly #unit: bigint;
  readonly #levels: Level[] = [];

  constructor(side: Side, unitsPerTickLot: number) {
    this.side = side;
    this.#unit = BigInt(unitsPerTickLot);
  }

  clear(): void {
    this.#levels.length = 0;
  }

  /** Puts an order's lots to their price. */
  add(price: number, lots: number): void {
    assert(price > 0 && lots > 0, "an open order has a price and lots");
    const at = this.#placeOf(price);
    const level = this.#levels[at];
    if (level?.price === price) level.lots += lots;
    else this.#levels.splice(at, 0, { price, lots });
  }

  /**
   * Average price, in thousandths of a tick, to fill `value` minor units; rounded away from the middle.
   * 0 where less than that rests here. Spec RSK-23.
   */
  impactPrice(value: bigint): number {
    assert(value > 0n, "what is filled is worth something");
    let [left, filled, lots] = [value, 0n, 0n];
    for (const level of this.#levels) {
      const price = BigInt(level.price) * this.#unit;
      const here = BigInt(level.lots);
      const needed = divCeil(left, price);
      const taken = needed < here ? needed : here;
      filled += taken * price;
      lots += taken;
      left -= taken * price;
      if (left <= 0n) return this.#averageOf(filled, lots);
    }
    return 0;
  }

  /** Minor units that rest at `price` ticks or better. Spec RSK-37. */
  valueUntil(price: number): bigint {
    assert(price >= 0, "a bound is a price");
    let value = 0n;
    for (const level of this.#levels) {
      if (this.side === Side.buy ? level.price < price : level.price > price) break;
      value += BigInt(level.price) * BigInt(level.lots) * this.#unit;
    }
    return value;
  }

  #averageOf(filled: bigint, lots: bigint): number {
    assert(lots > 0n, "an average is of lots");
    const whole = lots * this.#unit;
    const isBid = this.side === Side.buy;
    return Number(isBid ? (filled * parts) / whole : divCeil(filled * parts, whole));
  }

  /** Where a price is, or would be. */
  #placeOf(price: number): number {
    let [low, high] = [0, this.#levels.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#levels[middle]?.price ?? 0;
      const isBetter = this.side === Side.buy ? other > price : other < price;
      if (isBetter) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
