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
 * own side cannot close it: it is left from an earlier position, and is none of its guards.
 */
export function guardAmong<T extends OpenOrder>(
  orders: readonly T[],
  position: Held,
  type: Guard,
  closesPosition: (order: T) => boolean,
): T | undefined {
  return orders.find(
    (order) =>
      order.symbol === position.symbol &&
      order.side === closingSide(position) &&
      order.type === type &&
      closesPosition(order),
  );
}
