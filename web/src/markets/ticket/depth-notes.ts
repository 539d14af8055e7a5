// What a side of the book cannot do for an order that may not rest. Independent of the page.

import { shown } from "../../decimal-text.ts";
import { exact } from "../exact.ts";
import type { Market } from "../market.ts";
import type { Estimate } from "../order-estimate.ts";
import type { Means, Ticket } from "../order-ticket.ts";

/**
 * Says that an order which may not rest would trade nothing; empty if it would trade, and for any other order. The book is
 * one that is known.
 */
export function depthNote(
  { side, kind, price, lifetime }: Ticket,
  { pricePlaces }: Market,
  { best, crossing }: Pick<Means, "best" | "crossing">,
  estimate: Estimate | null,
): string {
  if (kind !== "MARKET" && crossing === undefined) return "";
  const others = side === "BUY" ? "asks" : "bids";
  if (best === undefined) return `No ${others}: nothing would trade.`;
  if (crossing === undefined) return "";
  if (crossing.levels.length === 0) {
    return `No ${others} at ${shown(price, pricePlaces)} or better: nothing would trade.`;
  }
  const wanted = exact(estimate?.quantity) ?? 0n;
  const isShort = wanted > 0n && (exact(estimate?.traded) ?? 0n) < wanted;
  return lifetime === "FOK" && isShort ? "Not all of it is in the book: FOK would expire." : "";
}
