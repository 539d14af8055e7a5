// When a snapshot is due: by time, by events, never without new events, never two at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isSnapshotDue, type SnapshotSituation } from "../../venue/duties/snapshots.ts";

const rules = { intervalMs: 1000, events: 50 };
const quiet: SnapshotSituation = {
  nowMs: 500,
  committedSeq: 10,
  lastSnapshotSeq: 0,
  lastSnapshotMs: 0,
  isFolding: false,
  notBeforeMs: 0,
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

test("after a failed snapshot neither the interval nor many events end the pause", () => {
  const failed = { ...quiet, committedSeq: 50, notBeforeMs: 2000 };
  assert.equal(isSnapshotDue(rules, { ...failed, nowMs: 1999 }), false);
  assert.equal(isSnapshotDue(rules, { ...failed, nowMs: 2000 }), true);
});

test("only one snapshot is taken at a time", () => {
  assert.equal(isSnapshotDue(rules, { ...quiet, nowMs: 9999, isFolding: true }), false);
});
