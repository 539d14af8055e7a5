// Final states of orders that closed after their creation was committed, waiting to be written with the
// coalesced rows. Their slots are free again, so they are kept by value; a final state never changes.

import type { OrderStateColumns } from "../../ports/journal/event-store.ts";
import { isOverdue, mayJoin } from "./joining-rule.ts";

/** Rows are dropped from the front in pieces of this many: shifting one by one would be quadratic. */
const trimAt = 4096;

export class ClosedOrders {
  readonly #intervalMs: number;
  #columns: OrderStateColumns = {
    orderId: [],
    filledQty: [],
    filledQuote: [],
    status: [],
    updatedUs: [],
  };
  #dueMs: number[] = [];
  #head = 0;
  #taken = 0;

  /** Rows wait `intervalMs` before they are due. */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** Rows ever taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Rows ever added: once `taken` has reached this, everything added before is written. */
  get queued(): number {
    return this.#taken + this.#dueMs.length - this.#head;
  }

  /** True if rows should be written with a batch that is committed anyway at `nowMs`. */
  mayJoin(nowMs: number): boolean {
    return mayJoin({ dueMs: this.#dueMs, head: this.#head, intervalMs: this.#intervalMs }, nowMs);
  }

  /** True if rows are worth a commit of their own at `nowMs`. */
  isOverdue(nowMs: number): boolean {
    return isOverdue({ dueMs: this.#dueMs, head: this.#head, intervalMs: this.#intervalMs }, nowMs);
  }

  isDue(nowMs: number): boolean {
    const due = this.#dueMs[this.#head];
    return due !== undefined && due <= nowMs;
  }

  /** The columns to push exactly one row to, that of an order which closed at `nowMs`. */
  open(nowMs: number): OrderStateColumns {
    this.#dueMs.push(nowMs + this.#intervalMs);
    return this.#columns;
  }

  /** Adds rows as of orders that closed at `nowMs`. */
  append(rows: OrderStateColumns, nowMs: number): void {
    for (let row = 0; row < rows.orderId.length; row++) {
      copyOrderState(rows, row, this.open(nowMs));
    }
  }

  /** The rows not taken yet, oldest first. */
  pending(): OrderStateColumns {
    return sliced(this.#columns, this.#head);
  }

  /** Moves at most `limit` rows that are due at `nowMs` to the end of `to`. */
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

/** Adds row `row` of `from` to the end of `to`. */
export function copyOrderState(from: OrderStateColumns, row: number, to: OrderStateColumns): void {
  to.orderId.push(from.orderId[row] ?? 0);
  to.filledQty.push(from.filledQty[row] ?? 0);
  to.filledQuote.push(from.filledQuote[row] ?? 0n);
  to.status.push(from.status[row] ?? 0);
  to.updatedUs.push(from.updatedUs[row] ?? 0);
}

function sliced(columns: OrderStateColumns, from: number): OrderStateColumns {
  return {
    orderId: columns.orderId.slice(from),
    filledQty: columns.filledQty.slice(from),
    filledQuote: columns.filledQuote.slice(from),
    status: columns.status.slice(from),
    updatedUs: columns.updatedUs.slice(from),
  };
}
