// The largest position at each leverage, from the market's tiers. The size is computed at the mark, as if all orders
// that would enlarge the position had filled.

import { assert, numberAt } from "../../core/assert.ts";
import { leverageMax } from "../../core/limits.ts";
import { isPerpetual, type Market, type MarketTable } from "../../core/markets.ts";

const perMarket = leverageMax + 1;

export class LeverageTiers {
  /** By market and leverage: the largest value in ticks × lots; infinite if the last tier allows the leverage. */
  readonly #caps: Float64Array;

  constructor(table: MarketTable) {
    this.#caps = new Float64Array(table.markets.length * perMarket).fill(Number.POSITIVE_INFINITY);
    for (const market of table.markets.filter(isPerpetual)) {
      for (let leverage = 1; leverage <= leverageMax; leverage++) {
        this.#caps[market.id * perMarket + leverage] = largestValue(market, leverage);
      }
    }
  }

  /**
   * Whether a position of `lots`, at `price` ticks per lot, may use the leverage. The product is exact up to the cap;
   * a larger product may be rounded, but still exceeds the cap.
   */
  allow(market: number, leverage: number, lots: number, price: number): boolean {
    assert(leverage >= 1 && leverage <= leverageMax, "the leverage must be within its bounds");
    assert(price >= 0, "a price must not be negative");
    return lots * price <= numberAt(this.#caps, market * perMarket + leverage);
  }
}

/** The largest position value in ticks × lots; 0 for a leverage that no tier allows. */
function largestValue({ marginTiers, tickLot }: Market, leverage: number): number {
  let largest = 0;
  for (const tier of marginTiers) {
    if (tier.leverageMax < leverage) break;
    if (tier.notionalMax === null) return Number.POSITIVE_INFINITY;
    largest = (Number(tier.notionalMax) * tickLot.parts) / tickLot.units;
  }
  return largest;
}
