// Reads matches that self-trade prevention stopped. Only the journal contains them; indexes find an order's events by
// the bytes of the order's id.

import { EventKind, type VenueEvent } from "../../../../core/generated/events.ts";
import type { PreventedQuery, PreventedRecord } from "../../../../ports/journal/history-store.ts";
import { matchPreventedLayout } from "../../../../wire/generated/event-layout.ts";
import { idBytes } from "../event-bytes.ts";
import { type BoundStatement, Values } from "./bound-statement.ts";

const { market: marketOffset, takerOrderId, makerOrderId } = matchPreventedLayout;

/** Selects the events of the requested matches, ascending. */
export function preventedStatement(query: PreventedQuery): BoundStatement {
  const { account, market, matchId, orderId, fromMatchId, limit } = query;
  const values = new Values();
  const own = [
    `kind = ${EventKind.matchPrevented}`,
    `account = ${values.bind(account)}`,
    `get_byte(body, ${marketOffset}) = ${values.bind(market)}`,
  ].join(" and ");
  if (matchId !== null) {
    const text = `select body from journal where seq = ${values.bind(matchId)} and ${own}`;
    return { text, values: values.bound };
  }
  const key = `decode(${values.bind(idBytes(orderId))}, 'hex')`;
  const from = values.bind(fromMatchId);
  const most = values.bind(limit);
  const side = (at: number): string => `
    (select seq, body from journal
     where ${own} and substring(body from ${at + 1} for 8) = ${key} and seq >= ${from}
     order by seq limit ${most})`;
  return {
    text: `select body from (${side(takerOrderId)} union all ${side(makerOrderId)}) as both_sides
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
