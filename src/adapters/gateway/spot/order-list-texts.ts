// Answers about order lists as JSON text, with Binance's field names.

import { derivedListClientId, OrderListType } from "../../../core/order-lists.ts";
import { OrderStatus } from "../../../core/orders.ts";
import type { FoundList } from "../orders/list-flow.ts";
import { msOf, type ShownMarket } from "../orders/order-format.ts";
import { cancelText, listText } from "./render.ts";

/** Binance's names: a list with pending orders is of the type OTO, also if they are an OCO or paid by the working one. */
export const contingencyNames: Readonly<Record<OrderListType, string>> = {
  [OrderListType.oco]: "OCO",
  [OrderListType.oto]: "OTO",
  [OrderListType.otoco]: "OTO",
  [OrderListType.opo]: "OTO",
  [OrderListType.opoco]: "OTO",
};

/** Whether no order of the list is open. */
function isOver({ orders }: FoundList): boolean {
  return orders.every(({ status }) => status !== OrderStatus.open);
}

/** Milliseconds at which the list was placed or, if it is over, at which its last order ended. */
function transactionMs(shown: FoundList): number {
  const times = shown.orders.map(({ acceptedUs, updatedUs }) =>
    isOver(shown) ? updatedUs : acceptedUs,
  );
  return msOf(Math.max(0, ...times));
}

/** The fields of a list, without the closing brace. */
function listBody(shown: FoundList, market: ShownMarket): string {
  const { listId, type, clientId } = shown.list;
  const over = isOver(shown);
  const orders = shown.orders.map(
    (order) =>
      `{"symbol":"${market.symbol}","orderId":${order.orderId},"clientOrderId":"${order.clientId}"}`,
  );
  return (
    `{"orderListId":${listId},"contingencyType":"${contingencyNames[type]}"` +
    `,"listStatusType":"${over ? "ALL_DONE" : "EXEC_STARTED"}"` +
    `,"listOrderStatus":"${over ? "ALL_DONE" : "EXECUTING"}"` +
    `,"listClientOrderId":"${clientId || derivedListClientId(listId)}"` +
    `,"transactionTime":${transactionMs(shown)},"symbol":"${market.symbol}","orders":${listText(orders)}`
  );
}

/** A list as the queries return it. */
export function orderListText(shown: FoundList, market: ShownMarket): string {
  return `${listBody(shown, market)}}`;
}

/** A list with the reports of its orders, as the answer to its placement. */
export function placedListText(
  shown: FoundList,
  market: ShownMarket,
  reports: readonly string[],
): string {
  return `${listBody(shown, market)},"orderReports":${listText(reports)}}`;
}

/** A cancelled list, with the reports of the orders that its cancel ended. */
export function cancelledListText(
  shown: FoundList,
  market: ShownMarket,
  answered: { cancelId?: string | undefined; lastSeq: number },
): string {
  const cancelled = shown.orders.filter(({ status }) => status === OrderStatus.cancelled);
  return placedListText(
    shown,
    market,
    cancelled.map((order) => cancelText(order, market, answered)),
  );
}
