// Rows of a fake history: an order as it was accepted, and the rows that a query selects.

import {
  EventKind,
  type OrderClosed,
  type SpecialAccepted,
} from "../../src/core/generated/events.ts";
import {
  CloseReason,
  derivedClientId,
  noOptions,
  type OrderOptions,
  OrderStatus,
  statusOfClose,
} from "../../src/core/orders.ts";
import type { AcceptedOrder } from "../../src/engine/state/apply/order-posting.ts";
import type { LiquidationQuery, OrderRecord } from "../../src/ports/journal/history-store.ts";

function optionsOf(event: SpecialAccepted): OrderOptions {
  const { isReduceOnly, stpMode, quoteQty, goodTillUs, triggerPrice } = event;
  const { workingPrice, trailingBps, activationPrice, closesPosition } = event;
  const trigger = { triggerPrice, workingPrice, trailingBps, activationPrice, closesPosition };
  return { ...noOptions, isReduceOnly, stpMode, quoteQty, goodTillUs, ...trigger };
}

function optionsIn(event: AcceptedOrder): OrderOptions {
  if (event.kind === EventKind.specialAccepted) return optionsOf(event);
  if (event.kind === EventKind.orderAccepted) return noOptions;
  const { triggerPrice, icebergQty } = event;
  return { ...noOptions, triggerPrice, icebergQty };
}

/** The order of an acceptance, without what its list adds. */
export function orderOf(
  event: AcceptedOrder,
): Omit<OrderRecord, "listId" | "isPending" | "isRefused"> {
  const { orderId, account, market, side, type, timeInForce, price, qty, tsUs } = event;
  const { isReduceOnly, stpMode } = event;
  // The peg of an order is in no record of its history.
  const { peg: _, pegOffset: __, ...options } = optionsIn(event);
  const clientId = event.clientId || derivedClientId(orderId);
  const terms = { side, type, timeInForce, price, qty, ...options, isReduceOnly, stpMode };
  const times = { acceptedUs: tsUs, updatedUs: tsUs, triggeredUs: 0 };
  const open = { filledQty: 0, filledQuote: 0n, status: OrderStatus.open };
  return { orderId, account, market, clientId, ...terms, ...times, ...open };
}

/** What a close changes in the record of its order. */
export function changeOfClose({ reason, tsUs }: OrderClosed): Partial<OrderRecord> {
  const isRefused = reason === CloseReason.triggerRefused;
  return { status: statusOfClose(reason), isRefused, updatedUs: tsUs };
}

/** Returns the rows that match a query for positions that the venue closed. */
export function closed<Row extends { account: number; market: number }>(
  { account, markets, startUs, endUs, limit }: LiquidationQuery,
  rows: readonly Row[],
  timeOf: (row: Row) => number,
): Row[] {
  const fits = rows.filter(
    (row) =>
      row.account === account &&
      markets.includes(row.market) &&
      timeOf(row) >= (startUs ?? 0) &&
      timeOf(row) < (endUs ?? Number.POSITIVE_INFINITY),
  );
  return startUs === null ? fits.slice(-limit) : fits.slice(0, limit);
}
