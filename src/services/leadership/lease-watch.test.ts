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

test("LDR-15 a holder without a session at the first look may be replaced early, but may answer until its lease ends", () => {
  const watch = new LeaseWatch("b");
  const gone = { ...lease, isConnected: false };
  assert.equal(watch.look(gone, 1_000).isOver, false);
  const { isOver, restMs } = watch.look(gone, 1_300);
  assert.deepEqual([isOver, restMs], [true, 300]);
  assert.equal(watch.look(gone, 1_700).restMs, 0);
});

test("LDR-23 after a fault of the database a leader has two leases to connect again and renew", () => {
  const watch = new LeaseWatch("b");
  watch.look(lease, 1_000);
  watch.failed(5_000);
  // The leader's last renewal before the fault, which this venue sees only now.
  const gone = { ...lease, isConnected: false, renewals: 8 };
  assert.equal(watch.look(gone, 5_100).isOver, false);
  assert.equal(watch.look(gone, 6_300).isOver, false);
  const { isOver, restMs } = watch.look(gone, 6_301);
  assert.deepEqual([isOver, restMs], [true, 0]);
});

test("LDR-23 once the leader has renewed after a fault, its lease counts as before", () => {
  const watch = new LeaseWatch("b");
  watch.look(lease, 1_000);
  watch.failed(5_000);
  watch.look(lease, 5_100);
  assert.equal(watch.look({ ...lease, renewals: 8 }, 5_500).isOver, false);
  assert.equal(watch.look({ ...lease, renewals: 8 }, 6_100).isOver, false);
  assert.equal(watch.look({ ...lease, renewals: 8 }, 6_101).isOver, true);
});

test("LDR-23 a leader whose session on the new server has ended may be replaced at once", () => {
  const watch = new LeaseWatch("b");
  watch.look(lease, 1_000);
  watch.failed(5_000);
  watch.look(lease, 5_100);
  const gone = { ...lease, isConnected: false };
  assert.equal(watch.look(gone, 5_200).isOver, false);
  const { isOver, restMs } = watch.look(gone, 5_401);
  assert.deepEqual([isOver, restMs], [true, 0]);
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
