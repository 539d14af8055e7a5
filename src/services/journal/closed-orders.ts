// Final states of orders that closed in a later batch than the one that created them. They wait to be written with
// the coalesced rows. The orders' slots are free again, so copies are stored; a final state never changes.

import type { OrderStateColumns } from "../../ports/journal/event-store.ts";
import { isOverdue, mayJoin, oldestMs } from "./joining-rule.ts";
import { copyOrderState, emptyOrderStates, orderStatesFrom } from "./order-states.ts";

/** Rows are dropped from the front in pieces of this size: removing them one by one would be quadratic. */
const trimAt = 4096;

export class ClosedOrders {
  readonly #intervalMs: number;
  #columns: OrderStateColumns = emptyOrderStates();
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
    return orderStatesFrom(this.#columns, this.#head);
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
    this.#columns = orderStatesFrom(this.#columns, this.#head);
    this.#head = 0;
  }
}
