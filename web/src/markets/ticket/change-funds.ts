// What a change of a resting spot order needs. The venue cancels the order before it places the changed one, so a change
// that the wallet does not cover would lose the order: it is refused before it is sent.

import { shown } from "../../decimal-text.ts";
import { cutTo, exact, times } from "../exact.ts";
import type { Market } from "../market.ts";

interface Resting {
  readonly side: string;
  readonly price: string | null;
  readonly qty: string;
  readonly filled_qty: string;
}

interface Change {
  readonly price: string;
  readonly quantity: string;
}

/**
 * Why the wallet does not cover a resting order with a new price and quantity; empty if it does. `free` is what is available
 * beside what the order holds: of the quote asset for a buy, of the base asset for a sell.
 */
export function changeShortfall(order: Resting, market: Market, change: Change, free: bigint) {
  const filled = exact(order.filled_qty) ?? 0n;
  const isBuy = order.side === "BUY";
  const held = (price: string | null, quantity: string): bigint => {
    const rest = (exact(quantity) ?? 0n) - filled;
    return isBuy ? times(exact(price ?? "0") ?? 0n, rest) : rest;
  };
  const more = held(change.price, change.quantity) - held(order.price, order.qty);
  if (more <= free) return "";
  const [asset, places] = isBuy ? [market.quote, 2] : [market.base, market.quantityPlaces];
  const amount = (units: bigint) => shown(cutTo(units, places), places);
  return `The change needs ${amount(more)} ${asset} more, and ${amount(free)} are available. Nothing was changed.`;
}
