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

/** The price at which an order is filled, as far as known, and what it is. */
interface Entry {
  readonly side: Side;
  readonly price: string | null | undefined;
  readonly what: string;
}

/**
 * Returns which of the prices is on the wrong side of the entry; null if none is, or while the entry is unknown. A take profit
 * is beyond it and a stop loss on the other side (NAT-51); on spot, where the venue measures both when the order is filled and
 * drops one that would trigger at once, the same keeps the protection.
 */
export function attachedSideFault(
  { side, price, what }: Entry,
  { takeProfit, stopLoss }: AttachedPrices,
  pricePlaces: number,
): string | null {
  const entry = exact(price) ?? 0n;
  const guards = [
    ["Take profit", exact(takeProfit), side === "BUY"],
    ["Stop loss", exact(stopLoss), side === "SELL"],
  ] as const;
  for (const [name, own, isAbove] of guards) {
    if (own === null || entry === 0n || (isAbove ? own > entry : own < entry)) continue;
    return `${name}: ${isAbove ? "above" : "below"} ${shown(price, pricePlaces)}, ${what}`;
  }
  return null;
}

export const ownPrice = "the price of the order";

/** Why the prices cannot be those of an open order; null if they can. */
export function attachedFault(
  { side, price }: { readonly side: Side; readonly price: string | null },
  prices: AttachedPrices,
  { tick, priceMax, pricePlaces }: Pick<Market, "tick" | "priceMax" | "pricePlaces">,
): string | null {
  const { takeProfit, stopLoss } = prices;
  const wrong = (name: string, text: string) =>
    text === "" ? null : numberFault(name, text, tick, priceMax);
  return (
    wrong("Take profit", takeProfit) ??
    wrong("Stop loss", stopLoss) ??
    attachedSideFault({ side, price, what: ownPrice }, prices, pricePlaces)
  );
}
