// Prices of the levels of a book, for orders that name a level instead of a price.

import type { Market } from "../../../core/markets.ts";
import type { Side } from "../../../core/orders.ts";
import type { ReadModel } from "../read-model.ts";

/** A market with the books from which prices are taken. */
export interface MarketBook {
  readonly market: Market;
  readonly model: Pick<ReadModel, "view">;
}

/** Ticks of a level of the committed book, counted from the best price, which is level 1; 0 if there is no such level. */
export function priceOfLevel({ market, model }: MarketBook, side: Side, level: number): number {
  let passed = 0;
  let found = 0;
  model.view(market).depth.visit(side, level, (price) => {
    passed++;
    if (passed === level) found = price;
  });
  return found;
}
