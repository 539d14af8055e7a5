// Tests of the queue of trades, of which some readers take single ones and others those of whole orders.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Traded } from "../../../../core/generated/events.ts";
import { TradeQueue } from "./trade-queue.ts";

/** A queue with trades of these incoming orders. */
function queueOf(takers: readonly number[]): TradeQueue {
  const queue = new TradeQueue();
  const terms = { tsUs: 1, price: 1, qty: 1, takerSide: 0 };
  for (const [at, takerOrderId] of takers.entries())
    queue.add({ ...terms, tradeId: at + 1, takerOrderId } as Traded);
  queue.complete();
  return queue;
}

test("FIX-40 the trades of an incoming order are taken together, also beyond the limit", () => {
  const queue = queueOf([7, 8, 8, 8, 9, 9]);
  const takers = (limit: number) => queue.takeOrders(limit).map((trade) => trade.takerOrderId);
  assert.deepEqual(takers(0), []);
  assert.deepEqual(takers(-3), []);
  assert.deepEqual(takers(2), [7, 8, 8, 8]);
  assert.equal(queue.ready, 2);
  assert.deepEqual(takers(1), [9, 9]);
  assert.deepEqual(takers(1), []);
  assert(queue.isEmpty);
});

test("single trades are taken up to the limit, and none if it is used up", () => {
  const queue = queueOf([7, 7, 7]);
  assert.deepEqual([queue.take(-1).length, queue.take(0).length, queue.take(2).length], [0, 0, 2]);
  assert.equal(queue.ready, 1);
});
