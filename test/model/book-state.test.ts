// Tests the fast book and the naive book: recovery, the state hash, and the assertions on input.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure } from "../../src/core/assert.ts";
import { MatchOutcome } from "../../src/core/match-messages.ts";
import { OrderType, Side, TimeInForce } from "../../src/core/orders.ts";
import type { IncomingOrder } from "../../src/engine/matching/order-book.ts";
import { makers, order, run } from "./book-check.ts";

for (const [kind, make] of Object.entries(makers)) {
  test(`${kind} book: a restored book continues like the original, crossed or not`, () => {
    const { book, fills } = make();
    assert.equal(book.bestBid(), 0);
    assert.equal(book.bestAsk(), 0);
    const before = book.stateHash();
    for (const message of ["1 ann buy 3 @ 102", "2 ann buy 4 @ 101", "3 ann sell 5 @ 101 gtx"]) {
      book.restore(order(message));
    }
    assert.equal(book.bestBid(), 102);
    assert.equal(book.bestAsk(), 101);
    assert.equal(book.restingCount(), 3);
    assert.notEqual(book.stateHash(), before);
    assert.equal(run(book, "4 bob sell 5 @ 100"), MatchOutcome.filled);
    assert.deepEqual(fills, ["3 @ 102 from 1", "2 @ 101 from 2"]);
    assert.deepEqual(book.depth(Side.buy, 1), [{ price: 101, qty: 2 }]);
  });

  test(`${kind} book: the state hash covers every field that matters later`, () => {
    const hashOf = (change: Partial<IncomingOrder>) => {
      const { book } = make();
      book.place({ ...order("1 ann buy 5 @ 100"), ...change });
      return book.stateHash();
    };
    const changes: Partial<IncomingOrder>[] = [
      {},
      { slot: 2 },
      { generation: 2 },
      { account: 2 },
      { side: Side.sell },
      { timeInForce: TimeInForce.gtx },
      { price: 101 },
      { qty: 6 },
      { qty: 5 + 2 ** 40 },
    ];
    assert.equal(new Set(changes.map(hashOf)).size, changes.length);
  });

  test(`${kind} book: invalid requests of clearing stop the thread`, () => {
    const { book } = make();
    const valid = order("1 ann buy 5 @ 100");
    const impossible: Partial<IncomingOrder>[] = [
      { price: 0 },
      { price: 1.5 },
      { price: 1_000_000_001 },
      { qty: 0 },
      { qty: 1.5 },
      { qty: 2 ** 53 },
      { account: -1 },
      { generation: -1 },
      { type: OrderType.market, timeInForce: TimeInForce.gtx },
      { type: OrderType.limitMaker, timeInForce: TimeInForce.ioc },
      { type: 3 as OrderType },
      { side: 2 as Side },
      { timeInForce: 4 as TimeInForce },
    ];
    for (const change of impossible) {
      assert.throws(() => book.place({ ...valid, ...change }), AssertionFailure);
    }
    assert.throws(() => book.restore(order("1 ann buy 5 @ 100 ioc")), AssertionFailure);
    book.place(valid);
    assert.throws(() => book.place(valid), AssertionFailure);
    assert.throws(() => book.restore(valid), AssertionFailure);
    assert.throws(() => run(book, "amend 1 0 of 5 @ 100"), AssertionFailure);
  });
}
