// Tests of when a follower may claim the lease, and of when it may then serve, on a clock that the test moves.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lease } from "../../ports/leadership.ts";
import { LeaseWatch } from "./lease-watch.ts";

const lease: Lease = {
  ...{ holder: "a", epoch: "4", address: "", leaseMs: 600, isConnected: true, renewals: 7 },
  ...{ handedTo: null, settledSeq: 0, chain: null },
};

test("LDR-6 a lease may be claimed once it has not changed for its duration; nobody can answer by it then", () => {
  const watch = new LeaseWatch("b");
  watch.look(lease, 1_000);
  const { isOver, restMs } = watch.look(lease, 1_600);
  assert.deepEqual([isOver, restMs], [false, 0]);
  assert.equal(watch.look(lease, 1_601).isOver, true);
});

test("LDR-15 a holder whose sessions were seen to end answers nobody any more", () => {
  const watch = new LeaseWatch("b");
  watch.look(lease, 1_000);
  const gone = { ...lease, isConnected: false };
  assert.equal(watch.look(gone, 1_050).isOver, false);
  const { isOver, restMs } = watch.look(gone, 1_300);
  assert.deepEqual([isOver, restMs], [true, 0]);
});

test("LDR-15 a holder without a session on a server that is new may be replaced early, but may answer until its lease ends", () => {
  const watch = new LeaseWatch("b");
  watch.look(lease, 1_000);
  watch.failed(1_100);
  const gone = { ...lease, isConnected: false };
  assert.equal(watch.look(gone, 1_150).isOver, false);
  const { isOver, restMs } = watch.look(gone, 1_400);
  assert.deepEqual([isOver, restMs], [true, 300]);
  assert.equal(watch.look(gone, 1_800).restMs, 0);
});

test("LDR-7 LDR-15 a holder that has handed over or given the lease up answers nobody any more", () => {
  for (const over of [
    { ...lease, handedTo: "b" },
    { ...lease, holder: "" },
  ]) {
    const { isOver, restMs } = new LeaseWatch("b").look(over, 1_000);
    assert.deepEqual([isOver, restMs], [true, 0]);
  }
});
