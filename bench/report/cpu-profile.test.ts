// Tests that a profile's time is reported by function and that sleep does not count.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readCpuProfile } from "./cpu-profile.ts";

const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 0 });
const profile = {
  nodes: [
    { id: 1, callFrame: frame("(root)", "") },
    { id: 2, callFrame: frame("(idle)", "") },
    { id: 3, callFrame: frame("match", "file:///x/matcher.js") },
    { id: 4, callFrame: frame("", "file:///x/matcher.js") },
    { id: 5, callFrame: frame("(garbage collector)", "") },
    { id: 6, callFrame: frame("match", "file:///x/matcher.js") },
  ],
  samples: [2, 3, 4, 5, 6],
  timeDeltas: [4000, 2000, 1000, 3000, 4000],
};

test("the busy time of a thread is divided among its functions, whatever their callers", () => {
  const { script, ms, busyMs, shares } = readCpuProfile(JSON.stringify(profile));
  assert.deepEqual({ script, ms, busyMs }, { script: "matcher.js", ms: 14, busyMs: 10 });
  assert.deepEqual(shares, [
    ["match matcher.js", 0.6],
    ["(garbage collector)", 0.3],
    ["(anonymous) matcher.js", 0.1],
  ]);
});

test("a text that is not a profile is refused", () => {
  assert.throws(() => readCpuProfile('{"nodes":[]}'), /samples/);
});
