// Reads why orders were closed. Only the journal has the reason; the event is found by its time, which is the time of the
// order's last change.

import { EventKind, type VenueEvent } from "../../../../core/generated/events.ts";
import type { CloseReason } from "../../../../core/orders.ts";
import { type BoundStatement, Values } from "./bound-statement.ts";

/** Selects the events at these times in microseconds. */
export function eventsAtStatement(timesUs: readonly number[]): BoundStatement {
  const values = new Values();
  // One value for all times, so that the text is always the same and is prepared once.
  const times = `string_to_array(${values.bind(timesUs.join(","))}, ',')::bigint[]`;
  return {
    text: `select body from journal
      where seq = any(array(select seq_at(at_us) from unnest(${times}) as at_us))`,
    values: values.bound,
  };
}

/** Returns the closed order and the reason; empty for other events. */
export function closeOf(event: VenueEvent): (readonly [orderId: number, reason: CloseReason])[] {
  return event.kind === EventKind.orderClosed ? [[event.orderId, event.reason]] : [];
}
