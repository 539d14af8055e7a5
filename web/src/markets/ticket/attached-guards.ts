// The take profit and the stop loss that an open order brings: which orders of a spot list they are, and why the venue would
// refuse other ones. Independent of page and network.

import { shown } from "../../decimal-text.ts";
import { exact } from "../exact.ts";
import type { Market } from "../market.ts";
import { numberFault } from "../order-ticket.ts";
import type { Side } from "../ticket-requests.ts";

/** Trigger prices; an empty text for none. */
export interface AttachedPrices {
  readonly takeProfit: string;
  readonly stopLoss: string;
}

interface ListedOrder {
  readonly side: Side;
  readonly status: string;
  readonly qty: string;
}

/** What decides of an order of a list what it is: its type on the surface of spot markets, and its trigger. */
interface ListedTerms {
  readonly type: string;
  readonly stopPrice?: string;
}

/**
 * Returns the working order of a spot list that buys, and what sells at the market what it buys; null for a list with
 * anything else, such as one of two orders that are both open.
 */
export function attachedInList<T extends ListedOrder>(
  list: readonly T[],
  termsOf: (order: T) => ListedTerms | undefined,
): { readonly working: T; readonly prices: AttachedPrices } | null {
  const isPending = ({ status }: T) => status === "PENDING_NEW";
  const [working, another] = list.filter((order) => !isPending(order));
  const isPlain = working !== undefined && /^LIMIT/.test(termsOf(working)?.type ?? "");
  if (!isPlain || another !== undefined || working.side !== "BUY" || list.length < 2) return null;
  const prices = { TAKE_PROFIT: "", STOP_LOSS: "" };
  for (const order of list.filter(isPending)) {
    const { type, stopPrice = "" } = termsOf(order) ?? {};
    const isGuard = type === "TAKE_PROFIT" || type === "STOP_LOSS";
    if (!isGuard || order.side !== "SELL" || Number(order.qty) !== 0) return null;
    prices[type] = stopPrice;
  }
  return { working, prices: { takeProfit: prices.TAKE_PROFIT, stopLoss: prices.STOP_LOSS } };
}

/**
 * Why the venue would refuse the prices; null if it would not. A take profit is beyond the order's own price and a stop loss
 * on the other side of it (NAT-51); on spot, where both are measured when the order is filled, the same keeps them from
 * triggering at once.
 */
export function attachedFault(
  { side, price }: { readonly side: Side; readonly price: string | null },
  { takeProfit, stopLoss }: AttachedPrices,
  { tick, priceMax, pricePlaces }: Pick<Market, "tick" | "priceMax" | "pricePlaces">,
): string | null {
  const entry = exact(price);
  const guards = [
    ["Take profit", takeProfit, side === "BUY"],
    ["Stop loss", stopLoss, side === "SELL"],
  ] as const;
  for (const [name, text, isAbove] of guards) {
    if (text === "") continue;
    const fault = numberFault(name, text, tick, priceMax);
    const own = exact(text);
    if (fault !== null || own === null || entry === null) return fault;
    if (isAbove ? own <= entry : own >= entry) {
      return `${name}: ${isAbove ? "above" : "below"} ${shown(price, pricePlaces)}, the price of the order`;
    }
  }
  return null;
}
