// Reads the history of an order's terms from the journal: amendments, and the other events that changed the order's
// terms in between. An index finds the events by the bytes of the order's id.

import { assert } from "../../../../core/assert.ts";
import { EventKind, type VenueEvent } from "../../../../core/generated/events.ts";
import type { AmendmentQuery, AmendmentRecord } from "../../../../ports/journal/history-store.ts";
import { changedOrder, idBytes } from "../event-bytes.ts";
import { type BoundStatement, Values } from "./bound-statement.ts";

const { orderAmended, orderReduced } = EventKind;

/**
 * Selects the events needed to show the requested amendments, in ascending order. The first is the last event that set
 * the order's terms before these amendments. It is followed by every event that changed the terms, up to the last
 * requested amendment. The column `earlier` of the first row counts the amendments before the first requested one.
 */
export function amendmentsStatement(query: AmendmentQuery): BoundStatement {
  const { account, orderId, acceptedUs, fromSeq, startUs, endUs, limit } = query;
  const values = new Values();
  const ofOrder = `${changedOrder} = decode(${values.bind(idBytes(orderId))}, 'hex')`;
  const conditions = [ofOrder, `kind = ${orderAmended}`, `account = ${values.bind(account)}`];
  if (fromSeq !== null) conditions.push(`seq >= ${values.bind(fromSeq)}`);
  if (startUs !== null) conditions.push(`seq >= first_event_since(${values.bind(startUs)})`);
  if (endUs !== null) conditions.push(`seq < first_event_since(${values.bind(endUs)})`);
  return {
    text: `with amend as (
        select seq from journal where ${conditions.join(" and ")}
        order by seq ${fromSeq === null ? "desc" : "asc"} limit ${values.bind(limit)}),
      reach as (select min(seq) as first, max(seq) as last from amend),
      base as (
        select coalesce(
          (select seq from journal where ${ofOrder} and kind <> ${orderReduced} and seq < first
           order by seq desc limit 1),
          first_event_since(${values.bind(acceptedUs)})) as seq
        from reach where first is not null)
      select seq, body,
        (select count(*) from journal where ${ofOrder} and kind = ${orderAmended}
           and seq < (select first from reach)) as earlier
      from journal where seq = (select seq from base)
      union all
      select seq, body, 0 from journal where ${ofOrder}
        and seq > (select seq from base) and seq <= (select last from reach)
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
    if (event.kind !== EventKind.orderAmended) continue;
    const { seq, tsUs } = event;
    const before = { priceBefore: price, qtyBefore: qty };
    ({ price, qty } = event);
    amendments.push({ seq, tsUs, ...before, price, qty, count: ++count });
  }
  return amendments;
}
