// Options of an order in the table: written only for special orders, so that a plain one costs two
// bytes, and read back as a value.

import { amountAt, byteAt, numberAt, shortAt, wordAt } from "../../../core/cells.ts";
import type { OrderAccepted, SpecialAccepted } from "../../../core/generated/events.ts";
import {
  noOptions,
  type OrderOptions,
  type StpMode,
  type WorkingPrice,
} from "../../../core/orders.ts";
import { OrderFlag, type OrderTable } from "./order-table.ts";

/** Notes that the order in `slot` is plain. */
export function setPlain(orders: OrderTable, slot: number, event: OrderAccepted): void {
  orders.flags[slot] = event.isReduceOnly ? OrderFlag.reduceOnly : 0;
  orders.stpMode[slot] = event.stpMode;
}

/** Notes all options of the order in `slot`. */
export function setSpecial(orders: OrderTable, slot: number, event: SpecialAccepted): void {
  orders.flags[slot] =
    OrderFlag.special |
    (event.isReduceOnly ? OrderFlag.reduceOnly : 0) |
    (event.closesPosition ? OrderFlag.closesPosition : 0);
  orders.stpMode[slot] = event.stpMode;
  orders.quoteQty[slot] = event.quoteQty;
  orders.goodTillUs[slot] = event.goodTillUs;
  orders.triggerPrice[slot] = event.triggerPrice;
  orders.workingPrice[slot] = event.workingPrice;
  orders.trailingBps[slot] = event.trailingBps;
  orders.activationPrice[slot] = event.activationPrice;
  orders.bestPrice[slot] = 0;
  orders.triggeredUs[slot] = 0;
}

/** The options of the order in `slot`. */
export function optionsOf(orders: OrderTable, slot: number): OrderOptions {
  const isReduceOnly = orders.has(slot, OrderFlag.reduceOnly);
  const stpMode = byteAt(orders.stpMode, slot) as StpMode;
  if (!orders.has(slot, OrderFlag.special)) return { ...noOptions, isReduceOnly, stpMode };
  return {
    isReduceOnly,
    stpMode,
    quoteQty: amountAt(orders.quoteQty, slot),
    goodTillUs: numberAt(orders.goodTillUs, slot),
    triggerPrice: wordAt(orders.triggerPrice, slot),
    workingPrice: byteAt(orders.workingPrice, slot) as WorkingPrice,
    trailingBps: shortAt(orders.trailingBps, slot),
    activationPrice: wordAt(orders.activationPrice, slot),
    closesPosition: orders.has(slot, OrderFlag.closesPosition),
  };
}

/** Microseconds at which the order in `slot` triggered; 0 if it has not, or never will. */
export function triggeredUsOf(orders: OrderTable, slot: number): number {
  return orders.has(slot, OrderFlag.special) ? numberAt(orders.triggeredUs, slot) : 0;
}
