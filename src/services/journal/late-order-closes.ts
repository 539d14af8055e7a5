// Updates the rows of orders whose close is in the journal but was not written to the row before the venue was killed.
// A front that starts knows those orders only from their rows, so the rows are updated before any listener opens; a venue
// that takes over serves gateways meanwhile, which have seen those closes. A recovery reports every order that closed
// after the snapshot. Most of their rows were updated long ago; only rows that are still open are updated now.

import type { EventStore, OrderStateColumns } from "../../ports/journal/event-store.ts";
import { emptyCommitBatch } from "./batch-records.ts";
import { copyOrderState, emptyOrderStates } from "./order-states.ts";

/** Maximum number of rows per batch, which takes about fifty milliseconds. */
const rowsPerBatch = 4096;

/** Returns the final states of those `closed` orders whose row is still open. */
export async function lateOrderCloses(
  store: Pick<EventStore, "openByRow">,
  closed: OrderStateColumns,
): Promise<OrderStateColumns> {
  const late = emptyOrderStates();
  if (closed.orderId.length === 0) return late;
  const open = new Set(await store.openByRow(closed.orderId));
  for (const row of closed.orderId.keys())
    if (open.has(closed.orderId[row] ?? 0)) copyOrderState(closed, row, late);
  return late;
}

/** Writes the rows of `late` in batches after `lastSeq`; nothing else may be written meanwhile. */
export async function writeLateOrderCloses(
  store: Pick<EventStore, "appendBatch">,
  lastSeq: number,
  late: OrderStateColumns,
): Promise<void> {
  for (let from = 0; from < late.orderId.length; from += rowsPerBatch) {
    const batch = emptyCommitBatch(lastSeq + 1);
    const end = Math.min(from + rowsPerBatch, late.orderId.length);
    for (let row = from; row < end; row++) copyOrderState(late, row, batch.orderStates);
    await store.appendBatch(batch);
  }
}
