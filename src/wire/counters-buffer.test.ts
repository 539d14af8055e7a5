// Shared counters: 53-bit numbers that are never torn and only grow, and a run state that only moves forward.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure } from "../core/assert.ts";
import { CountersBuffer, RunState } from "./counters-buffer.ts";

function pair(): readonly [CountersBuffer, CountersBuffer] {
  const buffer = CountersBuffer.allocate(3);
  return [new CountersBuffer(buffer), new CountersBuffer(buffer)];
}

test("sequence numbers are visible in every view and have 53 bits", () => {
  const [writer, reader] = pair();
  assert.equal(reader.committedSeq(), 0);
  assert.equal(reader.issuedSeq(), 0);
  writer.storeIssuedSeq(Number.MAX_SAFE_INTEGER);
  writer.storeCommittedSeq(2 ** 40 + 1);
  assert.equal(reader.issuedSeq(), Number.MAX_SAFE_INTEGER);
  assert.equal(reader.committedSeq(), 2 ** 40 + 1);
});

test("sequence numbers never go back", () => {
  const [writer] = pair();
  writer.storeCommittedSeq(10);
  writer.storeCommittedSeq(10);
  assert.throws(() => writer.storeCommittedSeq(9), AssertionFailure);
  writer.storeIssuedSeq(10);
  assert.throws(() => writer.storeIssuedSeq(9), AssertionFailure);
  assert.throws(() => writer.storeIssuedSeq(10.5), AssertionFailure);
});

test("each thread has its own heartbeat", () => {
  const [writer, reader] = pair();
  assert.equal(reader.threads, 3);
  writer.heartbeat(0);
  writer.heartbeat(2);
  writer.heartbeat(2);
  assert.deepEqual(
    [0, 1, 2].map((thread) => reader.heartbeats(thread)),
    [1, 0, 2],
  );
  assert.equal(reader.committedSeq() + reader.issuedSeq() + reader.state(), 0);
  assert.throws(() => writer.heartbeat(3), AssertionFailure);
  assert.throws(() => reader.heartbeats(-1), AssertionFailure);
});

test("the state moves forward only", () => {
  const [main, worker] = pair();
  assert.equal(worker.state(), RunState.starting);
  main.advanceTo(RunState.running);
  worker.advanceTo(RunState.stopped);
  main.advanceTo(RunState.draining);
  assert.equal(main.state(), RunState.stopped);
});

test("a state advanced concurrently by another thread is not undone", (context) => {
  const [main, worker] = pair();
  const original = Atomics.compareExchange;
  let raced = false;
  context.mock.method(Atomics, "compareExchange", (...args: Parameters<typeof original>) => {
    if (!raced) {
      raced = true;
      worker.advanceTo(RunState.stopped);
    }
    return original(...args);
  });
  main.advanceTo(RunState.draining);
  assert.equal(main.state(), RunState.stopped);
});

test("a buffer of another size is refused", () => {
  assert.throws(() => CountersBuffer.allocate(0), AssertionFailure);
  assert.throws(() => CountersBuffer.allocate(1.5), AssertionFailure);
  assert.throws(() => new CountersBuffer(new SharedArrayBuffer(100)), AssertionFailure);
  assert.throws(() => new CountersBuffer(new SharedArrayBuffer(256)), AssertionFailure);
});
