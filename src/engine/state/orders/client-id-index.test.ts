// Remembered client ids: an id is in use while its order is open and for exactly ten minutes of event time afterwards.
// This holds at any size, through capture and restore, and with removals in the middle of a probe run.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AssertionFailure } from "../../../core/assert.ts";
import { clientIdMemoryMs } from "../../../core/limits.ts";
import { ClientIdIndex } from "./client-id-index.ts";
import { clientIdKey } from "./client-id-key.ts";

const memoryUs = clientIdMemoryMs * 1000;

test("ORD-15 a client id is used while its order is open and until exactly ten minutes after it closed", () => {
  const index = new ClientIdIndex();
  assert(!index.isUsed(1001, "a", 0));
  index.open(1001, "a", 5);
  assert(
    index.isUsed(1001, "a", Number.MAX_SAFE_INTEGER),
    "the id of an open order must not expire",
  );
  assert(!index.isUsed(1002, "a", 0), "another account must be able to use the same id");
  index.close(1001, clientIdKey(1001, "a"), 1000);
  assert(index.isUsed(1001, "a", 999 + memoryUs));
  assert(!index.isUsed(1001, "a", 1000 + memoryUs));
  assert.equal(index.orderOf(1001, "a"), 5);
  index.expire(999 + memoryUs);
  assert.equal(index.orderOf(1001, "a"), 5);
  index.expire(1000 + memoryUs);
  assert.equal(index.orderOf(1001, "a"), 0);
  assert.equal(index.count, 0);
  index.open(1001, "a", 6);
  assert.equal(index.orderOf(1001, "a"), 6);
});

test("closing an id that does not exist or is closed, or opening it twice, stops the thread", () => {
  const index = new ClientIdIndex();
  assert.throws(() => index.close(1001, clientIdKey(1001, "a"), 1), AssertionFailure);
  assert.throws(() => index.forget(1001, "a"), AssertionFailure);
  index.open(1001, "a", 1);
  assert.throws(() => index.open(1001, "a", 2), AssertionFailure);
  assert.throws(() => index.open(1001, "b", 0), AssertionFailure);
  index.close(1001, clientIdKey(1001, "a"), 1);
  assert.throws(() => index.close(1001, clientIdKey(1001, "a"), 2), AssertionFailure);
  assert.throws(() => index.forget(1001, "a"), AssertionFailure);
});

test("ORD-15 the client id of a closed order can be taken over, and is then kept as long as the new order", () => {
  const index = new ClientIdIndex();
  const close = (us: number) => index.close(1001, clientIdKey(1001, "a"), us);
  index.open(1001, "a", 1);
  assert(index.isOpen(1001, "a"));
  close(1000);
  assert(!index.isOpen(1001, "a"));
  index.open(1001, "a", 2);
  assert.equal(index.count, 1);
  index.expire(1000 + memoryUs);
  assert(index.isOpen(1001, "a"), "the time of the first order must not end the id of the second");
  // Twice closed at one time: what is queued for the first finds the id gone.
  close(2000);
  index.open(1001, "a", 3);
  close(2000);
  assert(index.isUsed(1001, "a", 1999 + memoryUs));
  const restored = new ClientIdIndex();
  restored.restore(index.capture());
  for (const one of [index, restored]) {
    one.expire(2000 + memoryUs);
    assert.equal(one.count, 0);
    assert.equal(one.orderOf(1001, "a"), 0);
  }
});

test("a removed client id can be used again at once", () => {
  const index = new ClientIdIndex();
  index.open(1001, "a", 1);
  index.forget(1001, "a");
  assert(!index.isUsed(1001, "a", 0));
  assert.equal(index.count, 0);
});

/** A plain map with the same behaviour. */
class PlainIndex {
  readonly #ids = new Map<string, { orderId: number; closedUs: number }>();

  open(key: string, orderId: number): void {
    this.#ids.set(key, { orderId, closedUs: 0 });
  }

  close(key: string, closedUs: number): void {
    const id = this.#ids.get(key);
    if (id !== undefined) id.closedUs = closedUs;
  }

  expire(nowUs: number): void {
    for (const [key, { closedUs }] of this.#ids) {
      if (closedUs > 0 && closedUs + memoryUs <= nowUs) this.#ids.delete(key);
    }
  }

  orderOf(key: string): number {
    return this.#ids.get(key)?.orderId ?? 0;
  }

  isOpen(key: string): boolean {
    return this.#ids.get(key)?.closedUs === 0;
  }
}

test("the index equals a plain map, whatever ids are opened, closed and expire", () => {
  const step = fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 400 }), fc.nat({ max: 60_000_000 }));
  fc.assert(
    fc.property(fc.array(step, { minLength: 500, maxLength: 3000, size: "max" }), (steps) => {
      let index = new ClientIdIndex();
      const plain = new PlainIndex();
      let nowUs = 1;
      for (const [position, [kind, name, stepUs]] of steps.entries()) {
        const account = 1001 + (name % 3);
        const key = `id-${name}`;
        if (kind === 2 && plain.isOpen(key)) {
          index.close(account, clientIdKey(account, key), nowUs);
          plain.close(key, nowUs);
        } else if (plain.orderOf(key) === 0) {
          index.open(account, key, position + 1);
          plain.open(key, position + 1);
        }
        nowUs += stepUs;
        index.expire(nowUs);
        plain.expire(nowUs);
        assert.equal(index.orderOf(account, key), plain.orderOf(key));
        if (position % 400 === 0) index = restored(index);
      }
      for (let name = 0; name <= 400; name++) {
        assert.equal(index.orderOf(1001 + (name % 3), `id-${name}`), plain.orderOf(`id-${name}`));
      }
    }),
    { seed: 7, numRuns: 20 },
  );
});

function restored(index: ClientIdIndex): ClientIdIndex {
  const copy = new ClientIdIndex();
  copy.restore(index.capture());
  return copy;
}

test("a restored index expires the same ids as the original, and only an empty one can be restored", () => {
  const index = new ClientIdIndex();
  for (let id = 1; id <= 5000; id++) {
    index.open(1001, `id-${id}`, id);
    if (id % 2 === 0) index.close(1001, clientIdKey(1001, `id-${id}`), id * 1000);
  }
  const copy = restored(index);
  assert.deepEqual(copy.capture(), index.capture());
  for (const one of [index, copy]) one.expire(2_500_000 + memoryUs);
  assert.equal(copy.count, 5000 - 1250);
  assert.deepEqual(copy.capture(), index.capture());
  assert.throws(() => copy.restore(index.capture()), AssertionFailure);
});

test("the memory of a long queue of expired ids is released", () => {
  const index = new ClientIdIndex();
  for (let id = 1; id <= 40_000; id++) {
    index.open(1001, `id-${id}`, id);
    index.close(1001, clientIdKey(1001, `id-${id}`), id);
  }
  index.expire(39_999 + memoryUs);
  assert.equal(index.count, 1);
  index.expire(40_000 + memoryUs);
  assert.equal(index.count, 0);
});
