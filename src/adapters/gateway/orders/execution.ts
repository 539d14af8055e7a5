// Binance's execution types: what happened to an order, in user data and in the streams of orders.

import { type CloseReason, OrderStatus, statusOfClose } from "../../../core/orders.ts";

export type Execution =
  | "NEW"
  | "TRADE"
  | "CANCELED"
  | "EXPIRED"
  | "REPLACED"
  | "TRADE_PREVENTION"
  | "CALCULATED";

/** The execution type of an order that closes for this reason. */
export function executionOfClose(reason: CloseReason): Execution {
  const status = statusOfClose(reason);
  if (status === OrderStatus.cancelled) return "CANCELED";
  return status === OrderStatus.expiredInMatch ? "TRADE_PREVENTION" : "EXPIRED";
}
