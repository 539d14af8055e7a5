// Tests which rows are updated after a kill: those of orders whose close was not written to the row, and no rows that
// are already correct.

import assert from "node:assert/strict";
import { test } from "node:test";
import { OrderStatus } from "../../core/orders.ts";
import type { CommitBatch, OrderStateColumns } from "../../ports/journal/event-store.ts";
import { lateOrderCloses, writeLateOrderCloses } from "./late-order-closes.ts";

class FakeRows {
  readonly batches: CommitBatch[] = [];
  asked = 0;
  readonly #open: ReadonlySet<number>;

  constructor(open: Iterable<number>) {
    this.#open = new Set(open);
  }

  async openByRow(orderIds: readonly number[]): Promise<number[]> {
    this.asked++;
    return orderIds.filter((orderId) => this.#open.has(orderId)).reverse();
  }

  async appendBatch(batch: CommitBatch): Promise<void> {
    this.batches.push(batch);
  }
}

function closings(count: number): OrderStateColumns {
  const ids = Array.from({ length: count }, (_, row) => row + 1);
  return {
    orderId: ids,
    price: ids.map((id) => id * 7),
    qty: ids.map((id) => id * 11),
    filledQty: ids.map((id) => id * 2),
    filledQuote: ids.map((id) => BigInt(id) * 3n),
    status: ids.map(() => OrderStatus.filled),
    updatedUs: ids.map((id) => id * 5),
  };
}

async function writeLate(
  rows: FakeRows,
  lastSeq: number,
  closed: OrderStateColumns,
): Promise<void> {
  await writeLateOrderCloses(rows, lastSeq, await lateOrderCloses(rows, closed));
}

test("only rows that are still open are written, all at once and after the last event", async () => {
  const rows = new FakeRows([2, 5]);
  await writeLate(rows, 77, closings(6));
  const [batch] = rows.batches;
  assert.equal(rows.batches.length, 1);
  assert.equal(batch?.firstSeq, 78);
  assert.equal(batch?.count, 0);
  assert.deepEqual(batch?.orderStates, {
    orderId: [2, 5],
    price: [14, 35],
    qty: [22, 55],
    filledQty: [4, 10],
    filledQuote: [6n, 15n],
    status: [OrderStatus.filled, OrderStatus.filled],
    updatedUs: [10, 25],
  });
});

test("many late rows are written in several batches, and without late rows there is neither a batch nor a query", async () => {
  const many = new FakeRows(closings(10_000).orderId);
  await writeLate(many, 0, closings(10_000));
  const written = many.batches.flatMap(({ orderStates }) => orderStates.orderId);
  assert.deepEqual(written, closings(10_000).orderId);
  assert(many.batches.length > 1);
  const right = new FakeRows([]);
  await writeLate(right, 0, closings(10));
  assert.deepEqual([right.asked, right.batches.length], [1, 0]);
  await writeLate(right, 0, closings(0));
  assert.equal(right.asked, 1);
});
