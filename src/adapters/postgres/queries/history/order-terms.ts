// Reads the history of an order's terms from the journal: amendments, and the other events that changed the order's
// terms in between. An index finds the events by the bytes of the order's id.

import { assert } from "../../../../core/assert.ts";
import { EventKind, type VenueEvent } from "../../../../core/generated/events.ts";
import { isAmendment } from "../../../../engine/state/apply/order-posting.ts";
import type { AmendmentQuery, AmendmentRecord } from "../../../../ports/journal/history-store.ts";
import { idBytes } from "../event-bytes.ts";
import { changesTermsOf, quoteAmends, quoteAmendsBefore } from "../order-changes.ts";
import { type BoundStatement, Values } from "./bound-statement.ts";

const { orderAmended, orderReduced } = EventKind;

/**
 * Selects the events needed to show the requested amendments, in ascending order. The first is the last event that set
 * the order's terms before these amendments. It is followed by every event that changed the terms, up to the last
 * requested amendment. The column `earlier` of the first row counts the amendments before the first requested one. In a
 * fork, the acceptance of an older order is not in the journal: its first amendment then stands for it, and is not shown.
 */
export function amendmentsStatement(query: AmendmentQuery): BoundStatement {
  const { account, orderId, acceptedUs, fromSeq, startUs, endUs, limit } = query;
  const values = new Values();
  const key = `decode(${values.bind(idBytes(orderId))}, 'hex')`;
  const ofOrder = changesTermsOf(key);
  const whose = { orderId: `${values.bind(orderId)}::bigint`, key };
  const since = (us: number) => `(select first_event_since(${values.bind(us)}))`;
  const lowest = fromSeq === null ? "0" : `${values.bind(fromSeq)}::bigint`;
  const from = startUs === null ? lowest : `greatest(${lowest}, ${since(startUs)})`;
  const to = endUs === null ? `${Number.MAX_SAFE_INTEGER}` : `${since(endUs)} - 1`;
  const acceptedAt = `${values.bind(acceptedUs)}::bigint`;
  const order = fromSeq === null ? "desc" : "asc";
  const rows = values.bind(limit);
  return {
    text: `with amend as (
        select seq from (
          (select seq from journal
           where ${ofOrder} and kind = ${orderAmended} and seq >= ${from} and seq <= ${to}
           order by seq ${order} limit ${rows})
          union all
          (select seq from (${quoteAmends(whose, from, to)}
           order by first.seq ${order} limit ${rows}) as quoted)) as amended
        where exists (select from orders
          where order_id = ${whose.orderId} and account = ${values.bind(account)})
        order by seq ${order} limit ${rows}),
      reach as (select min(seq) as first, max(seq) as last from amend),
      base as (
        select coalesce(
          greatest(
            (select seq from journal where ${ofOrder} and kind <> ${orderReduced} and seq < reach.first
             order by seq desc limit 1),
            (select seq from (${quoteAmends(whose, "0", "reach.first - 1")}
             order by first.seq desc limit 1) as quoted)),
          (select first_event_since(${acceptedAt})
           where not exists (select from fork_origin where only_row and ts_us >= ${acceptedAt})),
          reach.first) as seq
        from reach where reach.first is not null)
      select seq, body,
        (select count(*) from journal where ${ofOrder} and kind = ${orderAmended}
           and seq < (select first from reach))
        + (${quoteAmendsBefore(whose, "(select first from reach)")})
        as earlier
      from journal where seq = (select seq from base)
      union all
      select seq, body, 0 from journal where ${ofOrder}
        and seq > (select seq from base) and seq <= (select last from reach)
      union all
      select seq, body, 0 from (${quoteAmends(whose, "(select seq from base) + 1", "(select last from reach)")}) as quoted
      order by seq`,
    values: values.bound,
  };
}

/** Returns the amendments among these events; `earlier` is the number of amendments before the first of them. */
export function amendmentsOf(
  [base, ...changes]: readonly VenueEvent[],
  earlier: number,
): AmendmentRecord[] {
  if (base === undefined) return [];
  assert(
    "price" in base && "qty" in base,
    "the first event must contain the order's price and quantity",
  );
  let { price, qty } = base;
  let count = earlier;
  const amendments: AmendmentRecord[] = [];
  for (const event of changes) {
    if (event.kind === EventKind.orderReduced) qty -= event.qty;
    if (!isAmendment(event)) continue;
    const { seq, tsUs } = event;
    const before = { priceBefore: price, qtyBefore: qty };
    ({ price, qty } = event);
    amendments.push({ seq, tsUs, ...before, price, qty, count: ++count });
  }
  return amendments;
}
