// Reads matches that self-trade prevention stopped. Only the journal contains them; indexes find an order's events by
// the bytes of the order's id.

import { EventKind, type VenueEvent } from "../../../../core/generated/events.ts";
import type { PreventedQuery, PreventedRecord } from "../../../../ports/journal/history-store.ts";
import { matchPreventedLayout } from "../../../../wire/generated/event-layout.ts";
import { idBytes, preventedMaker, preventedTaker } from "../event-bytes.ts";
import { type BoundStatement, Values } from "./bound-statement.ts";

/** Selects the events of the requested matches, ascending. */
export function preventedStatement(query: PreventedQuery): BoundStatement {
  const { account, market, matchId, orderId, fromMatchId, limit } = query;
  const values = new Values();
  const own = [
    `account = ${values.bind(account)}`,
    `get_byte(body, ${matchPreventedLayout.market}) = ${values.bind(market)}`,
  ].join(" and ");
  if (matchId !== null) {
    const named = `seq = ${values.bind(matchId)} and kind = ${EventKind.matchPrevented}`;
    return { text: `select body from journal where ${named} and ${own}`, values: values.bound };
  }
  const key = `decode(${values.bind(idBytes(orderId))}, 'hex')`;
  const from = values.bind(fromMatchId);
  const most = values.bind(limit);
  const side = (order: string): string => `
    (select seq, body from journal
     where ${order} = ${key} and ${own} and seq >= ${from}
     order by seq limit ${most})`;
  return {
    text: `select body from (${side(preventedTaker)} union all ${side(preventedMaker)}) as both_sides
      order by seq limit ${most}`,
    values: values.bound,
  };
}

/** Returns the prevented match of an event; empty for other events. */
export function preventedOf(event: VenueEvent): PreventedRecord[] {
  if (event.kind !== EventKind.matchPrevented) return [];
  const { seq, tsUs, market, takerOrderId, makerOrderId, stpMode, price } = event;
  const { takerQty, makerQty } = event;
  return [{ seq, tsUs, market, takerOrderId, makerOrderId, stpMode, price, takerQty, makerQty }];
}
