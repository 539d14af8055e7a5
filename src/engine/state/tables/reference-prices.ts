// Prices from outside the venue as events left them: by market and origin the ticks and until when they
// hold. A price stands until its end is journaled, so that what is decided rests on no clock.

import { assert, numberAt } from "../../../core/assert.ts";
import { type IndexOrigin, indexOriginCount } from "../../../core/perpetuals/index-price.ts";

export class ReferencePrices {
  /** Ticks by market × origins + origin; 0 where nobody says anything. */
  readonly price: Float64Array;
  /** Microseconds UTC. */
  readonly untilUs: Float64Array;

  constructor(marketCount: number) {
    this.price = new Float64Array(marketCount * indexOriginCount);
    this.untilUs = new Float64Array(marketCount * indexOriginCount);
  }

  /** Takes over what an origin says from now on, or with 0 ticks that it says nothing. */
  set(market: number, origin: IndexOrigin, price: number, untilUs: number): void {
    assert(price >= 0 && price > 0 === untilUs > 0, "a price holds for a time, none for none");
    const index = market * indexOriginCount + origin;
    this.price[index] = price;
    this.untilUs[index] = untilUs;
  }

  /** The price of the origin that is believed first among those that say one; 0 if none does. */
  best(market: number): number {
    for (let origin = 0; origin < indexOriginCount; origin++) {
      const price = numberAt(this.price, market * indexOriginCount + origin);
      if (price > 0) return price;
    }
    return 0;
  }

  /** Whether a price of the origin stands whose time is over. */
  hasRunOut(market: number, origin: IndexOrigin, atUs: number): boolean {
    const index = market * indexOriginCount + origin;
    return numberAt(this.price, index) > 0 && numberAt(this.untilUs, index) <= atUs;
  }
}
