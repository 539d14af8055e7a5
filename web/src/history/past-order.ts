// What lists of orders say in words: the trigger price, and a quantity that the order does not have itself. Independent of
// page and network.

import { shown } from "../decimal-text.ts";

interface Triggered {
  readonly type: string;
  readonly take_profit?: string | null | undefined;
  readonly stop_loss?: string | null | undefined;
}

/**
 * The price that triggers a stop or take-profit order; null for other orders, and for a trailing stop, which has none of
 * its own.
 */
export function triggerOf(order: Triggered): string | null {
  if (order.type.startsWith("TAKE_PROFIT")) return order.take_profit ?? null;
  return order.type.startsWith("STOP") ? (order.stop_loss ?? null) : null;
}

interface Sized {
  readonly qty: string;
  /** Null on spot, else a number. */
  readonly leverage: unknown;
}

/** The quantity of an order with `places` decimals, or what decides on it. */
export function sizeText({ qty, leverage }: Sized, places: number): string {
  if (Number(qty) !== 0) return shown(qty, places);
  return leverage === null ? "As bought" : "Entire position";
}
