// The table remembers idempotency keys for a day of event time and up to its limits, also after capture and restore
// and after removals in the middle of a probe run.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AssertionFailure } from "../../../core/assert.ts";
import {
  requestKeyMemoryMs,
  requestKeysMax,
  requestKeysPerAccountMax,
} from "../../../core/limits.ts";
import { RequestKeyTable } from "./request-key-table.ts";

const memoryUs = requestKeyMemoryMs * 1000;
const key = (low: number) => ({ high: 1n, low: BigInt(low), payload: 0n });

test("NAT-30 an idempotency key finds its result for exactly a day, and only for its account", () => {
  const table = new RequestKeyTable();
  assert.equal(table.subjectOf(1001, key(7), 0), 0);
  table.use(1001, key(7), 42, 1000);
  assert.equal(table.subjectOf(1001, key(7), 999 + memoryUs), 42);
  assert.equal(table.subjectOf(1001, key(7), 1000 + memoryUs), 0);
  assert.equal(table.subjectOf(1002, key(7), 1000), 0);
  assert.equal(table.subjectOf(1001, { ...key(7), high: 2n }, 1000), 0);
  assert.equal(
    table.subjectOf(1001, { ...key(7), payload: 9n }, 1000),
    42,
    "the payload must not matter",
  );
  table.expire(999 + memoryUs);
  assert.equal(table.count, 1);
  table.expire(1000 + memoryUs);
  assert.equal(table.count, 0);
  table.use(1001, key(7), 43, 1000 + memoryUs);
  assert.equal(table.subjectOf(1001, key(7), 1000 + memoryUs), 43);
});

test("a key that is used twice, without a result, or earlier than the previous one stops the thread", () => {
  const table = new RequestKeyTable();
  table.use(1001, key(1), 1, 10);
  assert.throws(() => table.use(1001, key(1), 2, 11), AssertionFailure);
  assert.throws(() => table.use(1001, key(2), 0, 11), AssertionFailure);
  assert.throws(() => table.use(1001, key(2), 2, 9), AssertionFailure);
  assert.throws(() => table.restore(table.capture()), AssertionFailure);
});

test("NAT-31 an account can use ten thousand keys in a day, including those in flight", () => {
  const table = new RequestKeyTable();
  for (let low = 0; low < requestKeysPerAccountMax - 1; low++) table.use(1001, key(low), 1, low);
  assert(table.hasRoom(1001));
  assert(!table.hasRoom(1001, { own: 1, all: 1 }));
  assert(table.hasRoom(1002, { own: 1, all: 1 }));
  assert(!table.hasRoom(1002, { own: 1, all: requestKeysMax }));
  table.use(1001, key(-1), 1, requestKeysPerAccountMax);
  assert(!table.hasRoom(1001));
  assert.throws(() => table.use(1001, key(-2), 1, requestKeysPerAccountMax), AssertionFailure);
  table.expire(memoryUs);
  assert(table.hasRoom(1001), "the day of the first key is over, so there must be room");
});

test("the table equals a plain list, even if captured and restored at any time", () => {
  const step = fc.tuple(fc.nat(3), fc.nat(200), fc.nat(40));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 900, size: "max" }), fc.nat(900), (steps, cut) => {
      let table = new RequestKeyTable();
      let plain: { account: number; low: number; subject: number; usedUs: number }[] = [];
      let nowUs = 0;
      for (const [index, [who, low, wait]] of steps.entries()) {
        nowUs += (wait * memoryUs) / 4000;
        const account = 1001 + who;
        table.expire(nowUs);
        plain = plain.filter(({ usedUs }) => usedUs + memoryUs > nowUs);
        const known = plain.find((one) => one.account === account && one.low === low);
        assert.equal(table.subjectOf(account, key(low), nowUs), known?.subject ?? 0);
        if (known === undefined) {
          table.use(account, key(low), index + 1, nowUs);
          plain.push({ account, low, subject: index + 1, usedUs: nowUs });
        }
        assert.equal(table.count, plain.length);
        if (index === cut) {
          const copy = new RequestKeyTable();
          copy.restore(table.capture());
          assert.deepEqual(copy.capture(), table.capture());
          table = copy;
        }
      }
    }),
    { seed: 20261122, numRuns: 30 },
  );
});
