// Which request of a session caused an event, so that the report can name the request. Spec FIX-17.

import type { Execution } from "../orders/execution.ts";
import type { OrderUpdate } from "../streams/user/user-update.ts";
import type { FixMessage } from "./fix-codec.ts";
import { MsgType, Tag } from "./fix-fields.ts";

/** Whether a message places orders and does nothing else. */
export function isNewOrder({ type }: FixMessage): boolean {
  return type === MsgType.newOrderSingle || type === MsgType.newOrderList;
}

/**
 * Whether a request that is not answered yet asked for this event. Trades answer no request. `listName` is the client id of
 * the order's list, if it is in one.
 */
export function isCauseOf(
  message: FixMessage,
  { execution, order }: OrderUpdate,
  listName: string | undefined,
): boolean {
  const { type } = message;
  switch (execution) {
    case "NEW": {
      const orders = type === MsgType.newOrderList ? message.group(Tag.noOrders) : [message];
      const places = isNewOrder(message) || type === MsgType.cancelReplace;
      return places && orders.some((one) => one.get(Tag.clOrdId) === order.clientId);
    }
    case "REPLACED":
      return type === MsgType.orderAmendRequest && names(message, order);
    case "CANCELED":
      return cancels.has(type) && (names(message, order) || namesList(message, order, listName));
    default:
      return false;
  }
}

const cancels: ReadonlySet<string> = new Set([MsgType.orderCancelRequest, MsgType.cancelReplace]);

/** Whether a request names the order: by the venue's id, which takes precedence, or by the client's. */
function names(message: FixMessage, { orderId, clientId }: OrderUpdate["order"]): boolean {
  const id = message.get(Tag.orderId);
  if (id !== undefined) return Number(id) === orderId;
  return message.get(Tag.origClOrdId) === clientId;
}

/** Whether a request names the list of an order, by either id. */
function namesList(
  message: FixMessage,
  { listId }: OrderUpdate["order"],
  listName: string | undefined,
): boolean {
  const id = message.get(Tag.listId);
  if (id !== undefined) return listId > 0 && Number(id) === listId;
  const name = message.get(Tag.origClListId);
  return name !== undefined && name === listName;
}

/**
 * The ClOrdID that a request gives to what it causes; the cancel of a replacement has one of its own. A new list has none:
 * its orders have theirs.
 */
export function requestIdOf(message: FixMessage, execution: Execution): string | undefined {
  const isOwnCancel = message.type === MsgType.cancelReplace && execution === "CANCELED";
  return message.get(isOwnCancel ? Tag.cancelClOrdId : Tag.clOrdId);
}
