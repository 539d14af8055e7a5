// Reads order lists. Only the journal contains them; an index finds the lists of an account. The states of their orders
// are in the rows of the orders.

import { EventKind, type VenueEvent } from "../../../../core/generated/events.ts";
import { derivedListClientId } from "../../../../core/order-lists.ts";
import type { OrderListQuery, OrderListRecord } from "../../../../ports/journal/history-store.ts";
import { orderListAcceptedLayout } from "../../../../wire/generated/event-layout.ts";
import { type BoundStatement, Values } from "./bound-statement.ts";

/** Whether the oldest lists that match are wanted. */
export function isFromOldest({ fromListId, startUs }: OrderListQuery): boolean {
  return fromListId !== null || startUs !== null;
}

/** Selects the acceptances of the requested lists, from the oldest or from the newest. */
export function orderListsStatement(query: OrderListQuery): BoundStatement {
  const { account, fromListId, startUs, endUs, clientId, limit } = query;
  const values = new Values();
  const own = `kind = ${EventKind.orderListAccepted} and account = ${values.bind(account)}`;
  const conditions = [own];
  // A list is accepted after the order before its first one, and before that one.
  if (fromListId !== null)
    conditions.push(`ts_us > coalesce((select created_us from orders
      where order_id < ${values.bind(fromListId)} order by order_id desc limit 1), 0)`);
  if (startUs !== null) conditions.push(`ts_us >= ${values.bind(startUs)}`);
  if (endUs !== null) conditions.push(`ts_us < ${values.bind(endUs)}`);
  // The client id is all that follows the fields of the event; PostgreSQL counts bytes from 1.
  if (clientId !== null) {
    const start = orderListAcceptedLayout.size + 1;
    conditions.push(
      `substring(body from ${start}) = convert_to(${values.bind(clientId)}, 'LATIN1')`,
    );
  }
  const direction = isFromOldest(query) ? "asc" : "desc";
  return {
    text: `select body from journal where ${conditions.join(" and ")}
      order by ts_us ${direction} limit ${values.bind(limit)}`,
    values: values.bound,
  };
}

/** The list of an acceptance; empty for other events. */
export function listOf(event: VenueEvent): OrderListRecord[] {
  if (event.kind !== EventKind.orderListAccepted) return [];
  const { listId, market, listType: type, listClientId, tsUs: acceptedUs } = event;
  const clientId = listClientId || derivedListClientId(listId);
  return [{ listId, market, type, clientId, acceptedUs }];
}
