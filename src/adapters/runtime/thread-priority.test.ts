// Tests that this thread gets a higher priority where the system permits it, and that nothing changes elsewhere.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { getPriority } from "node:os";
import { test } from "node:test";
import { goAhead } from "./thread-priority.ts";

const isLinux = process.platform === "linux";

function priorities(): { own: number; others: number[] } {
  const own = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  const others = readdirSync("/proc/self/task").map(Number);
  return {
    own: getPriority(own),
    others: others.filter((thread) => thread !== own).map(getPriority),
  };
}

/** Whether the process has CAP_SYS_NICE, capability 23, which root lacks in many containers. */
function mayRaise(): boolean {
  const [, effective = "0"] =
    /^CapEff:\s*(\w+)/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return ((BigInt(`0x${effective}`) >> 23n) & 1n) === 1n;
}

test("OPS-30 one thread gets a higher priority, and the other threads of the process keep theirs", {
  skip: isLinux ? false : "threads have no priority of their own here",
}, () => {
  const before = priorities();
  assert.equal(goAhead(0), true);
  assert.deepEqual(priorities(), before);
  const steps = goAhead(3) ? 3 : 0;
  const after = priorities();
  assert.equal(after.own, before.own - steps);
  assert(after.others.length > 0);
  assert(after.others.every((nice) => nice === before.own));
  if (mayRaise())
    assert.equal(steps, 3, "a process with CAP_SYS_NICE must be able to raise a priority");
});
