// Proves when threads, rings and acknowledgements are told to be late: not for a single pause, and without flickering.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Lateness } from "./lateness.ts";

interface Seen {
  readonly loop?: number;
  readonly silent?: number;
  readonly share?: number;
  readonly areAcksSlow?: boolean;
}

/** Looks once a second, each time at the next of `all`; returns what is told after the last. */
function toldAfter(...all: readonly Seen[]) {
  const lateness = new Lateness();
  for (const [second, seen] of all.entries()) {
    const { loop = 0, silent = 0, share = 0, areAcksSlow = false } = seen;
    const threads = [{ name: "clearing", silentSeconds: silent, loopDelaySeconds: loop }];
    lateness.look({ threads, rings: [{ name: "journal", share }], areAcksSlow }, 1000 * second);
  }
  return [...lateness.late, ...(lateness.areAcksSlow ? ["acks"] : [])];
}

function times<T>(count: number, what: T): T[] {
  return Array.from({ length: count }, () => what);
}

test("OPS-142 a loop, a ring and acknowledgements are told after ten seconds, and until they have been well for ten", () => {
  const late = { loop: 0.4, share: 0.5, areAcksSlow: true };
  const told = [
    "the event loop of clearing has been late for 10 s or longer",
    "journal is behind: ring journal is 50 % full",
    "acks",
  ];
  assert.deepEqual(toldAfter(...times(10, late)), []);
  assert.deepEqual(toldAfter(...times(11, late)), told);
  assert.deepEqual(toldAfter(...times(10, late), {}, ...times(10, late)), []);
  assert.deepEqual(toldAfter(...times(11, late), ...times(9, {})), [
    told[0],
    "journal is behind: ring journal is 0 % full",
    told[2],
  ]);
  assert.deepEqual(toldAfter(...times(11, late), ...times(10, {})), []);
});

test("OPS-142 a thread without a heartbeat is told after five seconds", () => {
  assert.deepEqual(toldAfter({ silent: 5 }), []);
  assert.deepEqual(toldAfter({ silent: 6 }), ["clearing has sent no heartbeat for 6 s"]);
});
