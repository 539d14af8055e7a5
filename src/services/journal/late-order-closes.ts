// What a killed venue had said of orders that closed, and not yet written: a front that starts knows
// those orders from their rows alone, so the rows are brought up to date before any listener opens. A
// recovery names every order that closed behind the snapshot, most of them written long ago; only
// those whose row still says open are.

import type { EventStore, OrderStateColumns } from "../../ports/journal/event-store.ts";
import { emptyCommitBatch } from "./batch-records.ts";
import { copyOrderState } from "./closed-orders.ts";

/** Rows a batch carries: some fifty milliseconds. */
const rowsPerBatch = 4096;

/** Writes the final state of those `closed` orders whose row lags, in batches behind `lastSeq`. */
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
