// What an event adds to candles of prices that are not traded, as the projection has it.

import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { PriceSeries } from "../../src/core/price-series.ts";

export interface PriceSample {
  /** The market's id within the series. */
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
