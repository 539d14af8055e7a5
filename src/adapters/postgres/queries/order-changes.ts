// SQL that finds the entries of the journal that changed an order's terms. Most are found by the bytes of the order's id.
// Those of mass quotes are not indexed one by one, because a maker moves dozens of orders several times a second: an index
// has the first of each mass quote, and the others are among the events that follow. Only orders whose client order id is
// that of a quote can have such entries.

import { EventKind } from "../../../core/generated/events.ts";
import { quoteEventsMax } from "../../../core/limits.ts";
import { OrderStatus, quoteIdForm } from "../../../core/orders.ts";
import { orderAmendedLayout, quoteAmendedLayout } from "../../../wire/generated/event-layout.ts";

const { orderTriggered, orderAmended, orderReduced, quoteAmended } = EventKind;
const layout = quoteAmendedLayout;

/** The condition that an entry changed the terms of the order whose id has the bytes `key`, other than by a mass quote. */
export function changesTermsOf(key: string): string {
  const orderId = `substring(body from ${orderAmendedLayout.orderId + 1} for 8)`;
  return `kind in (${orderTriggered}, ${orderAmended}, ${orderReduced}) and ${orderId} = ${key}`;
}

/** An order whose amendments by mass quotes are meant. Both members are SQL. */
export interface QuotedOrder {
  readonly orderId: string;
  /** The bytes of the order's id. */
  readonly key: string;
}

/** The side of a quote that an order is, from its client order id: the number of the bit in `sides`. */
const sideNumber = `2 * (substring(client_id from '-([0-9]{2})-(?:BUY|SELL)$')::integer - 1)
  + (client_id like '%-SELL')::integer`;

/**
 * The condition that the entry `first` is the first of a mass quote that amended the order, in this range of seqs. Clients may
 * choose ids that only begin like those of quotes, so the whole form is compared: other numbers have no bit in `sides`.
 */
function isFirstOf({ orderId }: QuotedOrder, from: string, to: string): string {
  const ofOrder = (value: string) =>
    `(select ${value} from orders where order_id = ${orderId} and client_id ~ '${quoteIdForm}')`;
  const closedAt = `case status when ${OrderStatus.open} then null else first_event_since(updated_us) end`;
  const byte = `${layout.sides} + ${ofOrder(`(${sideNumber}) / 8`)}`;
  const mask = `1 << ${ofOrder(`(${sideNumber}) % 8`)}`;
  return `first.kind = ${quoteAmended} and get_byte(first.body, ${layout.sinceFirst}) = 0
      and first.account = ${ofOrder("account")}
      and get_byte(first.body, ${layout.market}) = ${ofOrder("market")}
      and first.seq >= greatest(${ofOrder("first_event_since(created_us)")}, ${from})
      and first.seq <= coalesce(least(${ofOrder(closedAt)}, ${to}), ${Number.MAX_SAFE_INTEGER})
      and get_byte(first.body, ${byte}) & (${mask}) <> 0`;
}

/**
 * Selects seq and body of each entry by which a mass quote amended the order; `from` and `to` (SQL) are the first and the last
 * seq. The rows are in their order if the caller appends an order by `first.seq`.
 */
export function quoteAmends(order: QuotedOrder, from = "0", to = "null"): string {
  return `select amended.seq, amended.body from journal as first, lateral (
      select seq, body from journal as j
      where j.kind = ${quoteAmended} and j.seq >= first.seq and j.seq < first.seq + ${quoteEventsMax}
        and j.seq - get_byte(j.body, ${layout.sinceFirst}) = first.seq
        and substring(j.body from ${layout.orderId + 1} for 8) = ${order.key}
      order by j.seq limit 1) as amended
    where ${isFirstOf(order, `${from} - ${quoteEventsMax}`, to)}
      and amended.seq >= ${from} and amended.seq <= coalesce(${to}, ${Number.MAX_SAFE_INTEGER})`;
}

/**
 * Counts the mass quotes that amended the order before the entry with seq `before` (SQL), which is itself one that changed
 * its terms. Reads one row for each.
 */
export function quoteAmendsBefore(order: QuotedOrder, before: string): string {
  const ownFirst = `(select seq - get_byte(body, ${layout.sinceFirst}) from journal
    where seq = ${before} and kind = ${quoteAmended})`;
  const last = `coalesce(${ownFirst}, ${before}) - 1`;
  return `select count(*) from journal as first where ${isFirstOf(order, "0", last)}`;
}
