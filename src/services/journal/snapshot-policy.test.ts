// When a snapshot is due: by time, by events, never for nothing, never two at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isSnapshotDue, type SnapshotSituation } from "./snapshot-policy.ts";

const rules = { intervalMs: 1000, events: 50 };
const quiet: SnapshotSituation = {
  nowMs: 500,
  committedSeq: 10,
  lastSnapshotSeq: 0,
  lastSnapshotMs: 0,
  isFolding: false,
};

test("a snapshot is due after the interval or after enough events", () => {
  assert.equal(isSnapshotDue(rules, quiet), false);
  assert.equal(isSnapshotDue(rules, { ...quiet, nowMs: 1000 }), true);
  assert.equal(isSnapshotDue(rules, { ...quiet, committedSeq: 50 }), true);
  assert.equal(isSnapshotDue(rules, { ...quiet, committedSeq: 49 }), false);
});

test("an idle venue needs no new snapshot", () => {
  assert.equal(isSnapshotDue(rules, { ...quiet, nowMs: 9999, lastSnapshotSeq: 10 }), false);
});

test("one snapshot at a time", () => {
  assert.equal(isSnapshotDue(rules, { ...quiet, nowMs: 9999, isFolding: true }), false);
});
