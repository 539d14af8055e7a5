// Final states of orders that closed in a later batch than the one that created them. They wait to be written with
// the coalesced rows. The orders' slots are free again, so copies are stored; a final state never changes.

import type { OrderStatus } from "../../core/orders.ts";
import type { OrderTable } from "../../engine/state/orders/order-table.ts";
import type { OrderStateColumns } from "../../ports/journal/event-store.ts";
import { emptyCommitBatch } from "./batch-records.ts";
import { isOverdue, mayJoin, oldestMs } from "./joining-rule.ts";

/** Rows are dropped from the front in pieces of this size: removing them one by one would be quadratic. */
const trimAt = 4096;

export class ClosedOrders {
  readonly #intervalMs: number;
  #columns: OrderStateColumns = emptyCommitBatch(1).orderStates;
  #dueMs: number[] = [];
  #head = 0;
  #taken = 0;

  /** Each row becomes due `intervalMs` after its order closed. */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** Number of rows taken so far. */
  get taken(): number {
    return this.#taken;
  }

  /** Number of rows added so far. Once `taken` reaches this number, everything added until now is written. */
  get queued(): number {
    return this.#taken + this.#dueMs.length - this.#head;
  }

  /** The time at which the oldest unwritten row changed, in ms; infinite if there is none. */
  get oldestMs(): number {
    return oldestMs({ dueMs: this.#dueMs, head: this.#head, intervalMs: this.#intervalMs });
  }

  /** True if rows should join a batch that is committed anyway at `nowMs`. */
  mayJoin(nowMs: number): boolean {
    return mayJoin({ dueMs: this.#dueMs, head: this.#head, intervalMs: this.#intervalMs }, nowMs);
  }

  /** True if rows justify a commit without events at `nowMs`. */
  isOverdue(nowMs: number): boolean {
    return isOverdue({ dueMs: this.#dueMs, head: this.#head, intervalMs: this.#intervalMs }, nowMs);
  }

  isDue(nowMs: number): boolean {
    const due = this.#dueMs[this.#head];
    return due !== undefined && due <= nowMs;
  }

  /** Queues a row of an order that closed at `nowMs`: returns the columns to which the caller must append the row. */
  open(nowMs: number): OrderStateColumns {
    this.#dueMs.push(nowMs + this.#intervalMs);
    return this.#columns;
  }

  /** Adds rows of orders that closed at `nowMs`. */
  append(rows: OrderStateColumns, nowMs: number): void {
    for (let row = 0; row < rows.orderId.length; row++) {
      copyOrderState(rows, row, this.open(nowMs));
    }
  }

  /** The rows not taken yet, oldest first. */
  pending(): OrderStateColumns {
    return sliced(this.#columns, this.#head);
  }

  /** Moves at most `limit` rows due at `nowMs` to the end of `to`. */
  take(nowMs: number, limit: number, to: OrderStateColumns): void {
    for (let left = limit; left > 0 && this.isDue(nowMs); left--) {
      copyOrderState(this.#columns, this.#head, to);
      this.#head++;
      this.#taken++;
    }
    if (this.#head < trimAt && this.#head < this.#dueMs.length) return;
    this.#dueMs = this.#dueMs.slice(this.#head);
    this.#columns = sliced(this.#columns, this.#head);
    this.#head = 0;
  }
}

/** Appends terms and state of the order in `slot` to `to`. */
export function addOrderState(
  to: OrderStateColumns,
  orders: OrderTable,
  slot: number,
  status: OrderStatus,
): void {
  to.orderId.push(orders.orderId[slot] ?? 0);
  to.price.push(orders.price[slot] ?? 0);
  to.qty.push(orders.qty[slot] ?? 0);
  to.filledQty.push(orders.filledQty[slot] ?? 0);
  to.filledQuote.push(orders.filledQuote[slot] ?? 0n);
  to.status.push(status);
  to.updatedUs.push(orders.updatedUs[slot] ?? 0);
}

/** Appends row `row` of `from` to `to`. */
export function copyOrderState(from: OrderStateColumns, row: number, to: OrderStateColumns): void {
  to.orderId.push(from.orderId[row] ?? 0);
  to.price.push(from.price[row] ?? 0);
  to.qty.push(from.qty[row] ?? 0);
  to.filledQty.push(from.filledQty[row] ?? 0);
  to.filledQuote.push(from.filledQuote[row] ?? 0n);
  to.status.push(from.status[row] ?? 0);
  to.updatedUs.push(from.updatedUs[row] ?? 0);
}

function sliced(columns: OrderStateColumns, from: number): OrderStateColumns {
  return {
    orderId: columns.orderId.slice(from),
    price: columns.price.slice(from),
    qty: columns.qty.slice(from),
    filledQty: columns.filledQty.slice(from),
    filledQuote: columns.filledQuote.slice(from),
    status: columns.status.slice(from),
    updatedUs: columns.updatedUs.slice(from),
  };
}
