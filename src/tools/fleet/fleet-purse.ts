// What one of the fleet has gained and what it is left holding, from what the venue says of its account.
// Both count from the first look, so that money given or withdrawn before does not matter.

import { type FleetMarket, type Holding, holdingOf } from "./fleet-market.ts";
import type { ReferencePrices } from "./reference-prices.ts";

/** How often the account is looked at. */
const lookMs = 5_000;

interface Surface {
  readonly markets: readonly FleetMarket[];
  first: Holding | null;
  last: Holding | null;
  nextMs: number;
}

export class FleetPurse {
  readonly #prices: ReferencePrices;
  readonly #surfaces: readonly Surface[];

  constructor(markets: readonly FleetMarket[], prices: ReferencePrices) {
    this.#prices = prices;
    this.#surfaces = [true, false]
      .map((isSpot) => markets.filter((market) => market.isSpot === isSpot))
      .filter((some) => some.length > 0)
      .map((some) => ({ markets: some, first: null, last: null, nextMs: 0 }));
  }

  /** Whether every surface has been looked at. */
  get isKnown(): boolean {
    return this.#surfaces.every(({ first }) => first !== null);
  }

  /** A market of the surface to be looked at now, which then is not for a while; null if none is. */
  due(nowMs: number): FleetMarket | null {
    const surface = this.#surfaces.find(({ nextMs }) => nextMs <= nowMs);
    if (surface === undefined) return null;
    surface.nextMs = nowMs + lookMs;
    return surface.markets[0] ?? null;
  }

  /** Takes the answer to a look at the surface of `market`. */
  take(market: FleetMarket, body: unknown): void {
    const surface = this.#surfaces.find(({ markets }) => markets[0]?.isSpot === market.isSpot);
    if (surface === undefined) return;
    surface.last = holdingOf(surface.markets, body);
    surface.first ??= surface.last;
  }

  /** What it holds of `market` more than in the beginning, in the base asset. */
  inventory(market: FleetMarket): number {
    const surface = this.#surfaces.find(({ markets }) => markets.includes(market));
    const { first, last } = surface ?? {};
    return (last?.base.get(market.symbol) ?? 0) - (first?.base.get(market.symbol) ?? 0);
  }

  /** What it has gained, in the quote asset, its inventory at the prices of now. */
  gain(): number {
    let sum = 0;
    for (const { markets, first, last } of this.#surfaces) {
      sum += (last?.quote ?? 0) - (first?.quote ?? 0);
      for (const market of markets) {
        // What a position has gained is in its margin balance already.
        if (market.isSpot) sum += this.inventory(market) * this.#prices.of(market);
      }
    }
    return sum;
  }
}
