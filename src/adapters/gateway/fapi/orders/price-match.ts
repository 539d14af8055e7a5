// Price matching: an order that names a level of the book instead of a price. The level's price is read once, from the
// committed book when the request arrives; from then on the order is like any other limit order. Spec FAP-65.

import { opposite, type Side } from "../../../../core/orders.ts";
import { type MarketBook, priceOfLevel } from "../../orders/book-level.ts";
import { refused } from "../../requests/surface-error.ts";
import { noLevelToMatch } from "../error-map.ts";
import type { MarketInView } from "./price-decimals.ts";

/** A market in a view, with the books from which prices are matched. */
export type BookInView = MarketInView & MarketBook;

/** Opponent: the side that the order would trade with. Queue: its own side. `level` counts from the best price. */
const levels = {
  OPPONENT: { isOpposite: true, level: 1 },
  OPPONENT_5: { isOpposite: true, level: 5 },
  OPPONENT_10: { isOpposite: true, level: 10 },
  OPPONENT_20: { isOpposite: true, level: 20 },
  QUEUE: { isOpposite: false, level: 1 },
  QUEUE_5: { isOpposite: false, level: 5 },
  QUEUE_10: { isOpposite: false, level: 10 },
  QUEUE_20: { isOpposite: false, level: 20 },
} as const;

export type PriceMatch = keyof typeof levels;

/** Whether an order takes its price from a level of the book. */
export function isMatched(match: PriceMatch | "NONE" | undefined): match is PriceMatch {
  return match !== undefined && match !== "NONE";
}

/** Ticks of the price level that `match` names for an order of `side`; refused if the book has no such level. */
export function matchedPrice(match: PriceMatch, side: Side, book: BookInView): number {
  const { isOpposite, level } = levels[match];
  const price = priceOfLevel(book, isOpposite ? opposite(side) : side, level);
  return price > 0 ? price : refused(noLevelToMatch);
}
