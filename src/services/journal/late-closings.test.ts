// Late closings are written, and nothing else is: orders whose row is right are left alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { OrderStatus } from "../../core/orders.ts";
import type { JournalGroup, OrderStateColumns } from "../../ports/journal/event-store.ts";
import { writeLateClosings } from "./late-closings.ts";

class RowsDouble {
  readonly groups: JournalGroup[] = [];
  asked = 0;
  readonly #open: ReadonlySet<number>;

  constructor(open: Iterable<number>) {
    this.#open = new Set(open);
  }

  async openByRow(orderIds: readonly number[]): Promise<number[]> {
    this.asked++;
    return orderIds.filter((orderId) => this.#open.has(orderId)).reverse();
  }

  async appendGroup(group: JournalGroup): Promise<void> {
    this.groups.push(group);
  }
}

function closings(count: number): OrderStateColumns {
  const ids = Array.from({ length: count }, (_, row) => row + 1);
  return {
    orderId: ids,
    filledQty: ids.map((id) => id * 2),
    filledQuote: ids.map((id) => BigInt(id) * 3n),
    status: ids.map(() => OrderStatus.filled),
    updatedUs: ids.map((id) => id * 5),
  };
}

test("only rows that still say open are written, whole and behind the last event", async () => {
  const rows = new RowsDouble([2, 5]);
  await writeLateClosings(rows, 77, closings(6));
  const [group] = rows.groups;
  assert.equal(rows.groups.length, 1);
  assert.equal(group?.firstSeq, 78);
  assert.equal(group?.count, 0);
  assert.deepEqual(group?.orderStates, {
    orderId: [2, 5],
    filledQty: [4, 10],
    filledQuote: [6n, 15n],
    status: [OrderStatus.filled, OrderStatus.filled],
    updatedUs: [10, 25],
  });
});

test("many late rows go in several groups, none in no group, and nothing is asked for nothing", async () => {
  const many = new RowsDouble(closings(10_000).orderId);
  await writeLateClosings(many, 0, closings(10_000));
  const written = many.groups.flatMap(({ orderStates }) => orderStates.orderId);
  assert.deepEqual(written, closings(10_000).orderId);
  assert(many.groups.length > 1);
  const right = new RowsDouble([]);
  await writeLateClosings(right, 0, closings(10));
  assert.deepEqual([right.asked, right.groups.length], [1, 0]);
  await writeLateClosings(right, 0, closings(0));
  assert.equal(right.asked, 1);
});
