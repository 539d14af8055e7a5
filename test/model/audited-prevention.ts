// Matches that self-trade prevention stopped in a transaction. Each is between two open orders of one account with
// crossing prices, and is reported before either order loses lots.

import assert from "node:assert/strict";
import type { MatchPrevented } from "../../src/core/generated/events.ts";
import { Side } from "../../src/core/orders.ts";
import type { AuditedOrder } from "./audited-book.ts";

export class AuditedPrevention {
  #last: MatchPrevented | null = null;

  /** Records a prevented match of the transaction's order with a resting one. */
  note(event: MatchPrevented, order: AuditedOrder | null, resting: AuditedOrder | undefined): void {
    const { takerOrderId, makerQty, price } = event;
    assert(
      order !== null && resting !== undefined && !event.isTransactionEnd,
      "in a transaction of its order",
    );
    assert.deepEqual([order.orderId, resting.account], [takerOrderId, order.account]);
    assert.equal(resting.price, price, "the resting order's price");
    assert(order.side !== resting.side && makerQty <= resting.remaining, "of two sides");
    assert(order.side === Side.buy ? price <= order.price : price >= order.price, "the limit");
    this.#last = { ...event };
  }

  /** Asserts that the last prevented match announced this loss of lots for the order. */
  judge(orderId: number, lots: number): void {
    const { takerOrderId, takerQty, makerOrderId, makerQty } = this.#last ?? {};
    assert(
      orderId === takerOrderId || orderId === makerOrderId,
      "what is prevented is told before",
    );
    assert.equal(orderId === takerOrderId ? takerQty : makerQty, lots, "as many lots as were told");
  }

  endTransaction(): void {
    this.#last = null;
  }
}
