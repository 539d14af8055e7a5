// Updates the rows of orders whose close is in the journal but was not written to the row before the venue was killed.
// A front that starts knows those orders only from their rows, so the rows are updated before any listener opens. A
// recovery reports every order that closed after the snapshot. Most of their rows were updated long ago; only rows that
// are still open are updated now.

import type { EventStore, OrderStateColumns } from "../../ports/journal/event-store.ts";
import { emptyCommitBatch } from "./batch-records.ts";
import { copyOrderState } from "./closed-orders.ts";

/** Maximum number of rows per batch, which takes about fifty milliseconds. */
const rowsPerBatch = 4096;

/** Writes the final state of those `closed` orders whose row is still open, in batches after `lastSeq`. */
export async function writeLateOrderCloses(
  store: Pick<EventStore, "openByRow" | "appendBatch">,
  lastSeq: number,
  closed: OrderStateColumns,
): Promise<void> {
  if (closed.orderId.length === 0) return;
  const late = new Set(await store.openByRow(closed.orderId));
  const indexes = [...closed.orderId.keys()].filter((row) => late.has(closed.orderId[row] ?? 0));
  for (let from = 0; from < indexes.length; from += rowsPerBatch) {
    const batch = emptyCommitBatch(lastSeq + 1);
    for (const row of indexes.slice(from, from + rowsPerBatch)) {
      copyOrderState(closed, row, batch.orderStates);
    }
    await store.appendBatch(batch);
  }
}
