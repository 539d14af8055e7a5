// What a killed venue had said of orders that closed, and not yet written: a front that starts knows
// those orders from their rows alone, so the rows are brought up to date before any listener opens. A
// recovery names every order that closed behind the snapshot, most of them written long ago; only
// those whose row still says open are.

import type { EventStore, OrderStateColumns } from "../../ports/journal/event-store.ts";
import { copyOrderState } from "./closed-orders.ts";
import { emptyGroup } from "./group-records.ts";

/** Rows a group carries: some fifty milliseconds. */
const rowsPerGroup = 4096;

/** Writes the final state of those `closed` orders whose row lags, in groups behind `lastSeq`. */
export async function writeLateClosings(
  store: Pick<EventStore, "openByRow" | "appendGroup">,
  lastSeq: number,
  closed: OrderStateColumns,
): Promise<void> {
  if (closed.orderId.length === 0) return;
  const late = new Set(await store.openByRow(closed.orderId));
  const places = [...closed.orderId.keys()].filter((row) => late.has(closed.orderId[row] ?? 0));
  for (let from = 0; from < places.length; from += rowsPerGroup) {
    const group = emptyGroup(lastSeq + 1);
    for (const row of places.slice(from, from + rowsPerGroup)) {
      copyOrderState(closed, row, group.orderStates);
    }
    await store.appendGroup(group);
  }
}
