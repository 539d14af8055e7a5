// Which open orders are the take profit and the stop loss of a position. Independent of the page.

import type { Side } from "../ticket-requests.ts";

export type Guard = "TAKE_PROFIT_MARKET" | "STOP_MARKET";

/** What this file reads of a position. */
export interface Held {
  readonly symbol: string;
  readonly side: "LONG" | "SHORT";
}

interface OpenOrder {
  readonly symbol: string;
  readonly side: Side;
  readonly type: string;
}

/** The side of an order that closes the position. */
export function closingSide({ side }: Pick<Held, "side">): Side {
  return side === "LONG" ? "SELL" : "BUY";
}

/**
 * The order that closes the whole position at a profit or at a loss; undefined without one. An order of the position's
 * own side cannot close it: it is left from an earlier position, and is none of its guards. `triggerOf` has the trigger of
 * an order that closes a whole position, and undefined for others. Of several orders, the first that the price meets.
 */
export function guardAmong<T extends OpenOrder>(
  orders: readonly T[],
  position: Held,
  type: Guard,
  triggerOf: (order: T) => string | undefined,
): T | undefined {
  const side = closingSide(position);
  const all = orders.filter(
    (order) =>
      order.symbol === position.symbol &&
      order.side === side &&
      order.type === type &&
      triggerOf(order) !== undefined,
  );
  const isHighestFirst = (side === "SELL") === (type === "STOP_MARKET");
  const heightOf = (order: T) => Number(triggerOf(order)) * (isHighestFirst ? 1 : -1);
  return all.sort((one, other) => heightOf(other) - heightOf(one))[0];
}
