// Which prices of an order must be above and below which others, so that the venue takes it: triggers that would be met at
// once, the two sides of a list, a post-only order that would trade.

import { shown } from "../../decimal-text.ts";
import { exact } from "../exact.ts";
import type { Market } from "../market.ts";
import { type Means, type Ticket, takesTpSl } from "../order-ticket.ts";

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
  const wrong = boundsOf(ticket, market, means).find(({ price, isAbove, bound }) => {
    const [own, other] = [exact(price), exact(bound)];
    return own !== null && other !== null && other > 0n && (isAbove ? own <= other : own >= other);
  });
  if (wrong === undefined) return "";
  const { name, isAbove, bound, why } = wrong;
  return `${name}: ${isAbove ? "above" : "below"} ${shown(bound, market.pricePlaces)}, ${why}`;
}

function boundsOf(ticket: Ticket, market: Market, { best, watched }: Means): Bounded[] {
  const { kind, side, price, trigger, lifetime, takeProfit, stopLoss } = ticket;
  const isBuy = side === "BUY";
  const isMark = market.isPerpetual && ticket.triggeredBy === "MARK_PRICE";
  const present = `the ${isMark ? "mark" : "last"} price`;
  if (kind === "OCO") {
    const [limit, stop] = [
      { name: "Price", price },
      { name: "Stop", price: trigger },
    ];
    return [
      { ...limit, isAbove: !isBuy, bound: watched, why: present },
      { ...stop, isAbove: isBuy, bound: watched, why: present },
    ];
  }
  const isStop = kind === "STOP_LIMIT" || kind === "STOP_MARKET";
  if (isStop || kind === "TAKE_PROFIT_LIMIT" || kind === "TAKE_PROFIT_MARKET") {
    const why = `${present}, or it would trigger at once`;
    const name = "Trigger price";
    return [{ name, price: trigger, isAbove: isStop === isBuy, bound: watched, why }];
  }
  const isPostOnly = kind === "LIMIT" && lifetime === "GTX";
  const why = "or it would trade at once, and it is post-only";
  const pair = { isAbove: isBuy, bound: stopLoss, why: "the stop loss" };
  return [
    ...(isPostOnly ? [{ name: "Price", price, isAbove: !isBuy, bound: best, why }] : []),
    ...(takesTpSl(ticket, market) ? [{ name: "Take profit", price: takeProfit, ...pair }] : []),
  ];
}
