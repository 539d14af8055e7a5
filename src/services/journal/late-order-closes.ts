// Orders whose close was journaled but whose row was not updated before the venue was killed. A front that starts
// knows those orders only from their rows, so the rows are updated before any listener opens. A recovery reports
// every order that closed after the snapshot, most of them written long ago; only those whose row still says open are
// updated.

import type { EventStore, OrderStateColumns } from "../../ports/journal/event-store.ts";
import { emptyCommitBatch } from "./batch-records.ts";
import { copyOrderState } from "./closed-orders.ts";

/** Rows per batch: about fifty milliseconds. */
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
