// Tests the properties of the state table on which SQL statements, metrics and clients rely.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BatchState,
  statesEnded,
  statesLive,
  statesUnderWay,
  statesUnsettled,
  statesWaiting,
  statusOf,
} from "./batch-states.ts";

const { open, ready, processing, retry, confirmed, failed, skipped } = BatchState;

test("the codes of batch states equal those in the tables", () => {
  assert.deepEqual(
    [open, ready, processing, retry, confirmed, failed, skipped],
    [1, 2, 3, 4, 5, 6, 7],
  );
});

test("each group of states contains the right states, and each state has exactly one stage", () => {
  assert.deepEqual(statesUnderWay, [ready, processing, retry]);
  assert.deepEqual(statesEnded, [failed, skipped]);
  assert.deepEqual(statesLive, [open, ready, processing, retry]);
  assert.deepEqual(statesUnsettled, [open, ready, processing, retry, failed, skipped]);
  assert.deepEqual(
    [...statesLive, confirmed, ...statesEnded].toSorted((a, b) => a - b),
    Object.values(BatchState),
  );
});

test("metrics show the states of batches with waiting fills by name, in order", () => {
  assert.deepEqual(
    statesWaiting.map(([name]) => name),
    ["open", "ready", "processing", "retry", "failed"],
  );
});

test("a fill shows its batch's state, or internal without a batch", () => {
  assert.equal(statusOf(null), "internal");
  assert.deepEqual(Object.values(BatchState).map(statusOf), [
    "pending",
    "pending",
    "processing",
    "retry",
    "confirmed",
    "failed",
    "skipped",
  ]);
  assert.throws(() => statusOf(99), /the status of fills whose batch is in this state/);
});
