// What a take profit or a stop loss of a position would do, and why the venue would refuse it. Independent of the page.

import { shown } from "../../decimal-text.ts";
import { cutTo, exact, roundedTo, times, whole } from "../exact.ts";
import type { Market } from "../market.ts";
import { numberFault } from "../order-ticket.ts";
import { triggerSideFault } from "../ticket/trigger-side.ts";
import { closingSide, type Guard } from "./guards.ts";

/** What this file reads of a position. */
interface Guarded {
  readonly side: "LONG" | "SHORT";
  readonly qty: string;
  readonly entry_price: string;
  readonly mark_price: string | null;
}

const moneyPlaces = 6;

export const guardNames: Readonly<Record<Guard, string>> = {
  TAKE_PROFIT_MARKET: "Take profit",
  STOP_MARKET: "Stop loss",
};

/**
 * Why the venue would refuse the trigger price; null if it would not, and for an empty text. A price that the mark has
 * reached already would close the position at once.
 */
export function triggerFault(
  { side, mark_price: mark }: Pick<Guarded, "side" | "mark_price">,
  { tick, priceMax, pricePlaces }: Pick<Market, "tick" | "priceMax" | "pricePlaces">,
  type: Guard,
  price: string,
): string | null {
  if (price === "") return null;
  const name = guardNames[type];
  const trigger = { name, price, side: closingSide({ side }), isStop: type === "STOP_MARKET" };
  return (
    numberFault(name, price, tick, priceMax) ??
    triggerSideFault(trigger, { price: mark, isMark: true }, pricePlaces)
  );
}

/** Says that a stop loss comes too late: the position is liquidated before its price; null if it is not, or not known. */
export function lateStopHint(
  {
    side,
    liquidation_price: liquidation,
  }: Pick<Guarded, "side"> & {
    readonly liquidation_price: string | null;
  },
  pricePlaces: number,
  price: string,
): string | null {
  const [at, end] = [exact(price), exact(liquidation)];
  if (at === null || end === null) return null;
  const isLate = side === "LONG" ? at <= end : at >= end;
  if (!isLate) return null;
  return `Too late: the position is liquidated at ${shown(liquidation, pricePlaces)}, before this price`;
}

/** Profit as a percentage of the margin of the position; null without one. */
export function percentOfMargin(profit: string | null, margin: string): string | null {
  const [gain, base] = [exact(profit), exact(margin)];
  if (gain === null || base === null || base === 0n) return null;
  return roundedTo((gain * 100n * whole) / base, 1);
}

/** The profit of the whole position at a price, before fees; null for a text that is no price. */
export function profitAt(
  { side, qty, entry_price: entry }: Pick<Guarded, "side" | "qty" | "entry_price">,
  price: string,
): string | null {
  const [at, from, size] = [exact(price), exact(entry), exact(qty)];
  if (at === null || from === null || size === null || at <= 0n) return null;
  return cutTo(times(at - from, side === "LONG" ? size : -size), moneyPlaces);
}
