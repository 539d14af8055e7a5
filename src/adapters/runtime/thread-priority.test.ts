// Tests that this thread gets a higher priority where the system permits it, and that nothing changes elsewhere.

import assert from "node:assert/strict";
import { readdirSync, readlinkSync } from "node:fs";
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
  if (process.getuid?.() === 0) assert.equal(steps, 3, "root must be able to raise a priority");
});
