// When a batch takes another transaction (`mayCollect`), and when its commit starts (`mayCommit`).

import assert from "node:assert/strict";
import { test } from "node:test";
import { commitBatchBytesMax, commitBatchEventsMax } from "../../core/limits.ts";
import { mayCollect, mayCommit } from "./journal-writer.ts";

const nothing = { events: 0, bytes: 0 };
const one = { events: 1, bytes: 100 };

test("a batch takes transactions until it reaches a limit", () => {
  assert.equal(mayCollect(nothing), true);
  assert.equal(
    mayCollect({ events: commitBatchEventsMax - 1, bytes: commitBatchBytesMax - 1 }),
    true,
  );
  assert.equal(mayCollect({ events: commitBatchEventsMax, bytes: 0 }), false);
  assert.equal(mayCollect({ events: 1, bytes: commitBatchBytesMax }), false);
});

test("a single event is committed at once if no commit is in flight", () => {
  assert.equal(mayCommit(one, { isInFlight: false, hasOverdueRows: false }), true);
});

test("while a commit is in flight the next batch waits, however full it is", () => {
  const full = { events: commitBatchEventsMax, bytes: commitBatchBytesMax };
  assert.equal(mayCommit(full, { isInFlight: true, hasOverdueRows: true }), false);
});

test("an empty batch is not committed, but overdue rows alone are", () => {
  assert.equal(mayCommit(nothing, { isInFlight: false, hasOverdueRows: false }), false);
  assert.equal(mayCommit(nothing, { isInFlight: false, hasOverdueRows: true }), true);
});
