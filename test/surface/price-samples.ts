// Returns the prices that an event adds to candles of mark, index and premium, as the projection does.

import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { PriceSeries } from "../../src/core/price-series.ts";

export interface PriceSample {
  /** Market id plus the number of the price series (mark, index or premium). */
  readonly id: number;
  readonly price: number;
}

export function priceSamplesOf(event: VenueEvent): PriceSample[] {
  if (event.kind === EventKind.premiumSampled) {
    return [{ id: event.market + PriceSeries.premium, price: Number(event.premium) }];
  }
  if (event.kind !== EventKind.marked) return [];
  const { market, mark, index } = event;
  const prices = [
    { id: market + PriceSeries.mark, price: mark },
    { id: market + PriceSeries.index, price: index },
  ];
  return prices.filter(({ price }) => price > 0);
}
