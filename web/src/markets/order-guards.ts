// The user's own limits on orders: a confirmation before each order, the largest value, the largest distance of a limit
// price from the mark, and how much worse than the best price a market order may trade.

import { grouped, shown } from "../decimal-text.ts";
import { exact, sizeOf, times } from "./exact.ts";
import type { Market } from "./market.ts";

export interface OrderGuards {
  readonly confirms: boolean;
  /** In the quote asset; empty for no limit. */
  readonly valueMax: string;
  /** In percent of the mark; empty for no limit. */
  readonly distanceMax: string;
  /** In percent of the best price; empty for a plain market order. */
  readonly slippageMax: string;
}

export const noGuards: OrderGuards = {
  confirms: false,
  valueMax: "",
  distanceMax: "",
  slippageMax: "",
};

/** What the guards look at. Texts are decimal; the reference is the mark, or the last price on spot. */
export interface GuardedOrder {
  readonly value: string | undefined;
  /** The limit price; empty without one. */
  readonly price: string;
  readonly reference: string | undefined;
}

/** Returns why the user's own limits forbid an order; null if they do not. */
export function guardFault(
  { value, price, reference }: GuardedOrder,
  { valueMax, distanceMax }: OrderGuards,
  { quote }: Market,
): string | null {
  const [units, most] = [exact(value), exact(valueMax)];
  if (most !== null && units !== null && units > most) {
    return `Your own limit: an order of at most ${grouped(valueMax)} ${quote}. This one is ${shown(value, 2)} ${quote}.`;
  }
  const [limit, mark, share] = [exact(price), exact(reference), exact(distanceMax)];
  if (limit === null || mark === null || share === null || mark === 0n) return null;
  if (sizeOf(limit - mark) * 100n <= times(mark, share)) return null;
  return `Your own limit: a price at most ${grouped(distanceMax)} % from ${grouped(reference ?? "")}.`;
}
