// The table of states as the specification's users may rely on it.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type BatchEvent,
  BatchState,
  isSettled,
  nextBatchState,
  statesBefore,
  statusOf,
} from "./batch-states.ts";

const states = Object.values(BatchState);
const events: readonly BatchEvent[] = [
  "sealed",
  "sealed-empty",
  "claimed",
  "committed",
  "rejected",
  "given-up",
  "skip",
];
const { open, ready, processing, retry, confirmed, failed, skipped } = BatchState;

function walk(steps: readonly BatchEvent[]): BatchState | null {
  let state: BatchState = open;
  for (const step of steps) {
    const next = nextBatchState(state, step, false);
    if (next === null) return null;
    state = next;
  }
  return state;
}

test("batches settle at once, after retries, or without a transaction", () => {
  assert.equal(walk(["sealed", "claimed", "committed"]), confirmed);
  assert.equal(walk(["sealed", "claimed", "rejected", "claimed", "committed"]), confirmed);
  assert.equal(walk(["sealed-empty"]), confirmed);
  assert.equal(walk(["sealed", "claimed", "given-up"]), failed);
  assert.equal(walk(["sealed", "claimed", "rejected", "skip"]), skipped);
});

test("what is confirmed, failed or skipped stays so", () => {
  assert.deepEqual(states.filter(isSettled), [confirmed, failed, skipped]);
  for (const state of [confirmed, failed, skipped]) {
    for (const event of events) assert.equal(nextBatchState(state, event, false), null);
  }
});

test("while an outcome is unknown a batch can only be confirmed", () => {
  for (const state of [processing, retry]) {
    const possible = events.filter((event) => nextBatchState(state, event, true) !== null);
    assert.deepEqual(possible, state === processing ? ["committed"] : ["claimed", "committed"]);
  }
});

test("the guard of an event names every state it leads on from, and no other", () => {
  for (const event of events) {
    const from = states.filter((state) => nextBatchState(state, event, false) !== null);
    assert.deepEqual(statesBefore(event), from);
  }
  assert.deepEqual(statesBefore("committed"), [ready, processing, retry]);
});

test("fills show their batch's state, and internal without one", () => {
  assert.equal(statusOf(null), "internal");
  assert.deepEqual(states.map(statusOf), [
    "pending",
    "pending",
    "processing",
    "retry",
    "confirmed",
    "failed",
    "skipped",
  ]);
});
