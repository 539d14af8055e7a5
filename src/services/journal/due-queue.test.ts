// A row marked several times is written once per interval, oldest first, and never lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DueQueue } from "./due-queue.ts";
import { rowsWorthAStatement } from "./joining-rule.ts";

function taken(queue: DueQueue, nowMs: number, limit = 100): number[] {
  const keys: number[] = [];
  queue.take(nowMs, limit, (key) => keys.push(key));
  return keys;
}

test("one row waits for others before it joins a batch, and twice as long before it is committed alone", () => {
  const queue = new DueQueue(10, 250);
  queue.mark(3, 0);
  assert.equal(queue.mayJoin(374), false);
  assert.equal(queue.mayJoin(375), true);
  assert.equal(queue.isOverdue(499), false);
  assert.equal(queue.isOverdue(500), true);
});

test("many rows join a batch as soon as they are due", () => {
  const queue = new DueQueue(100, 250);
  for (let key = 0; key < rowsWorthAStatement; key++) queue.mark(key, key);
  const lastDueMs = rowsWorthAStatement - 1 + 250;
  assert.equal(queue.mayJoin(lastDueMs - 1), false);
  assert.equal(queue.mayJoin(lastDueMs), true);
  assert.equal(taken(queue, lastDueMs).length, rowsWorthAStatement);
  assert.equal(queue.mayJoin(9999), false);
});

test("a row is due one interval after its first mark, and later marks do not delay it", () => {
  const queue = new DueQueue(10, 250);
  queue.mark(3, 0);
  queue.mark(3, 200);
  assert.equal(queue.isDue(249), false);
  assert.deepEqual(taken(queue, 249), []);
  assert.deepEqual(taken(queue, 250), [3]);
  assert.deepEqual(taken(queue, 9999), []);
});

test("a row that is marked continuously is written four times a second", () => {
  const queue = new DueQueue(10, 250);
  let writes = 0;
  for (let nowMs = 0; nowMs <= 10_000; nowMs++) {
    queue.mark(7, nowMs);
    writes += taken(queue, nowMs).length;
  }
  assert(writes <= 40, String(writes));
  assert(writes >= 39, String(writes));
});

test("a removed row is not written, and may be marked again", () => {
  const queue = new DueQueue(10, 250);
  queue.mark(1, 0);
  queue.forget(1);
  assert.deepEqual(queue.pending(), []);
  queue.mark(1, 100);
  assert.deepEqual(taken(queue, 9999), [1]);
});

test("rows beyond a limit are left for the next time, in order", () => {
  const queue = new DueQueue(10_000, 0);
  for (let key = 0; key < 9_000; key++) queue.mark(key, 0);
  const mark = queue.queued;
  const found: number[] = [];
  while (queue.taken < mark) found.push(...taken(queue, 0, 700));
  assert.deepEqual(
    found,
    Array.from({ length: 9_000 }, (_, key) => key),
  );
});

test("OPS-91 the oldest unwritten row determines the lag", () => {
  const queue = new DueQueue(10, 250);
  assert.equal(queue.oldestMs, Number.POSITIVE_INFINITY);
  queue.mark(3, 10);
  queue.mark(4, 20);
  queue.mark(3, 30);
  assert.equal(queue.oldestMs, 10);
  assert.deepEqual(taken(queue, 9999, 1), [3]);
  assert.equal(queue.oldestMs, 20);
  assert.deepEqual(taken(queue, 9999), [4]);
  assert.equal(queue.oldestMs, Number.POSITIVE_INFINITY);
});
