// Which prices of an order must be above and below which others, so that the venue takes it: triggers that would be met at
// once, the two sides of a list, a post-only order that would trade.

import { shown } from "../../decimal-text.ts";
import { exact } from "../exact.ts";
import type { Market } from "../market.ts";
import { orderKinds } from "../order-kinds.ts";
import { type Means, type Ticket, takesTpSl } from "../order-ticket.ts";
import { attachedSideFault, ownPrice } from "./attached-guards.ts";
import { triggerSideFault } from "./trigger-side.ts";

/** A price that must be beyond a bound; either may be missing. */
interface Bounded {
  readonly name: string;
  readonly price: string;
  readonly isAbove: boolean;
  readonly bound: string | undefined;
  readonly why: string;
}

/** Returns the first price that is on the wrong side of another, with the side it belongs to; empty without one. */
export function sideFault(ticket: Ticket, market: Market, means: Means): string {
  const { kind, side, trigger } = ticket;
  if (kind !== "OCO" && orderKinds[kind].hasTrigger) {
    const isStop = kind === "STOP_LIMIT" || kind === "STOP_MARKET";
    const waiting = { name: "Trigger price", price: trigger, side, isStop };
    const watched = { price: means.watched, isMark: watchesMark(ticket, market) };
    return triggerSideFault(waiting, watched, market.pricePlaces) ?? "";
  }
  const attached = attachedFaultOf(ticket, market, means);
  if (attached !== null) return attached;
  const wrong = boundsOf(ticket, market, means).find(({ price, isAbove, bound }) => {
    const [own, other] = [exact(price), exact(bound)];
    return own !== null && other !== null && other > 0n && (isAbove ? own <= other : own >= other);
  });
  if (wrong === undefined) return "";
  const { name, isAbove, bound, why } = wrong;
  return `${name}: ${isAbove ? "above" : "below"} ${shown(bound, market.pricePlaces)}, ${why}`;
}

/**
 * Returns which price of the take profit and stop loss that the order brings is on the wrong side; null if none is. An order
 * on spot that would trade at once is filled from the best price on, and so is one at the market; any other at its own price.
 */
export function attachedFaultOf(
  ticket: Ticket,
  market: Market,
  { best }: Pick<Means, "best">,
): string | null {
  if (!takesTpSl(ticket, market)) return null;
  const { side, kind, price } = ticket;
  const [own, other] = [exact(price), exact(best)];
  const tradesBetter =
    own !== null && other !== null && other > 0n && isBetterFor(other, own, side);
  const entry =
    kind === "MARKET" || (tradesBetter && !market.isPerpetual)
      ? { side, price: best, what: "the best price, at which it would trade" }
      : { side, price, what: ownPrice };
  return attachedSideFault(entry, ticket, market.pricePlaces);
}

/** Whether a price is better for an order of that side than another one. */
function isBetterFor(one: bigint, other: bigint, side: Ticket["side"]): boolean {
  return side === "BUY" ? one < other : one > other;
}

function watchesMark({ triggeredBy }: Ticket, { isPerpetual }: Market): boolean {
  return isPerpetual && triggeredBy === "MARK_PRICE";
}

function boundsOf(ticket: Ticket, market: Market, { best, watched }: Means): Bounded[] {
  const { kind, side, price, trigger, lifetime, takeProfit, stopLoss } = ticket;
  const isBuy = side === "BUY";
  if (kind === "OCO") {
    const present = "the last price";
    const [limit, stop] = [
      { name: "Price", price },
      { name: "Stop", price: trigger },
    ];
    return [
      { ...limit, isAbove: !isBuy, bound: watched, why: present },
      { ...stop, isAbove: isBuy, bound: watched, why: present },
    ];
  }
  const isPostOnly = kind === "LIMIT" && lifetime === "GTX";
  const why = "or it would trade at once, and it is post-only";
  const pair = { isAbove: isBuy, bound: stopLoss, why: "the stop loss" };
  return [
    ...(isPostOnly ? [{ name: "Price", price, isAbove: !isBuy, bound: best, why }] : []),
    ...(takesTpSl(ticket, market) ? [{ name: "Take profit", price: takeProfit, ...pair }] : []),
  ];
}
