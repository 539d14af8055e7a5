// Checks matches that self-trade prevention stopped. Each is between two open orders of one account with crossing
// prices, and is reported before either order loses lots.

import assert from "node:assert/strict";
import type { MatchPrevented } from "../../src/core/generated/events.ts";
import { Side } from "../../src/core/orders.ts";
import type { AuditedOrder } from "./audited-book.ts";

export class AuditedPrevention {
  readonly #ownerOf: (account: number) => number;
  #last: MatchPrevented | null = null;

  /** `ownerOf` returns whose a sub-account is; any other account is its own. */
  constructor(ownerOf: (account: number) => number) {
    this.#ownerOf = ownerOf;
  }

  /** Records a prevented match between the transaction's incoming order and a resting one. */
  note(event: MatchPrevented, order: AuditedOrder | null, resting: AuditedOrder | undefined): void {
    const { takerOrderId, makerQty, price } = event;
    assert(
      order !== null && resting !== undefined && !event.isTransactionEnd,
      "a prevented match must be in its order's transaction",
    );
    assert.deepEqual(
      [order.orderId, this.#ownerOf(resting.account)],
      [takerOrderId, this.#ownerOf(order.account)],
    );
    assert.equal(resting.price, price, "a prevented match must have the resting order's price");
    assert(
      order.side !== resting.side && makerQty <= resting.remaining,
      "a prevented match must be between opposite sides, with at most the resting lots",
    );
    assert(
      order.side === Side.buy ? price <= order.price : price >= order.price,
      "the price must be within the incoming order's limit",
    );
    this.#last = { ...event };
  }

  /** Asserts that the last prevented match announced that the order loses this number of lots. */
  judge(orderId: number, lots: number): void {
    const { takerOrderId, takerQty, makerOrderId, makerQty } = this.#last ?? {};
    assert(
      orderId === takerOrderId || orderId === makerOrderId,
      "a prevented match must be reported before the order loses lots",
    );
    assert.equal(
      orderId === takerOrderId ? takerQty : makerQty,
      lots,
      "the order must lose exactly the reported lots",
    );
  }

  endTransaction(): void {
    this.#last = null;
  }
}
