// Which open orders the venue counts when it decides what a new order opens: those on the book that do not reduce only.
// An order that waits for its trigger is on no book (spec ORD-24), and a reduce-only one opens nothing (ORD-31).

import { exact } from "../../markets/exact.ts";
import { isConditional } from "../../markets/order-kinds.ts";

interface Open {
  readonly qty: string;
  readonly filled_qty: string;
}

interface Terms {
  /** The venue lists an order that was triggered with the type it trades as. */
  readonly type: string;
  readonly reduceOnly?: boolean;
}

/** Quantity that these orders may still trade and that counts, in exact units. An order whose terms are not read yet counts. */
export function countedQuantity<T extends Open>(
  orders: readonly T[],
  termsOf: (order: T) => Terms | undefined,
): bigint {
  let sum = 0n;
  for (const order of orders) {
    const terms = termsOf(order);
    if (terms !== undefined && (terms.reduceOnly === true || isConditional(terms.type))) continue;
    sum += (exact(order.qty) ?? 0n) - (exact(order.filled_qty) ?? 0n);
  }
  return sum;
}
