// Reference prices from outside the venue: by market and origin the price in ticks and its expiry. A price is valid
// until an event ends it, so decisions do not depend on a clock.

import { assert, numberAt } from "../../../core/assert.ts";
import { type IndexOrigin, indexOriginCount } from "../../../core/perpetuals/index-price.ts";

export class ReferencePrices {
  /** Ticks by market × number of origins + origin; 0 for none. */
  readonly price: Float64Array;
  /** Microseconds UTC. */
  readonly untilUs: Float64Array;

  constructor(marketCount: number) {
    this.price = new Float64Array(marketCount * indexOriginCount);
    this.untilUs = new Float64Array(marketCount * indexOriginCount);
  }

  /** Sets an origin's price; 0 ticks removes it. */
  set(market: number, origin: IndexOrigin, price: number, untilUs: number): void {
    assert(
      price >= 0 && price > 0 === untilUs > 0,
      "an expiry must be given if, and only if, there is a price",
    );
    const index = market * indexOriginCount + origin;
    this.price[index] = price;
    this.untilUs[index] = untilUs;
  }

  /** An origin's price in ticks and its expiry; both 0 if it has none. */
  of(market: number, origin: IndexOrigin): { readonly price: number; readonly untilUs: number } {
    const index = market * indexOriginCount + origin;
    return { price: numberAt(this.price, index), untilUs: numberAt(this.untilUs, index) };
  }

  /** The price of the first origin, in order of priority, that has one; 0 if none has. */
  best(market: number): number {
    for (let origin = 0; origin < indexOriginCount; origin++) {
      const price = numberAt(this.price, market * indexOriginCount + origin);
      if (price > 0) return price;
    }
    return 0;
  }

  /** Whether the origin's price is past its expiry. */
  hasRunOut(market: number, origin: IndexOrigin, atUs: number): boolean {
    const index = market * indexOriginCount + origin;
    return numberAt(this.price, index) > 0 && numberAt(this.untilUs, index) <= atUs;
  }
}
