// Tests with which market time a venue starts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketStartOf } from "./market-start.ts";

const edgeMs = 1_000_000;
const empty = { wantedMs: null, journalMs: 0, sealedMs: 0, edgeMs };

test("REW-14 an empty venue begins now, or at the time that was wanted, before or after now", () => {
  assert.deepEqual(marketStartOf(empty), { startMs: edgeMs });
  assert.deepEqual(marketStartOf({ ...empty, wantedMs: 5 }), { startMs: 5 });
  assert.deepEqual(marketStartOf({ ...empty, wantedMs: 9_000_000 }), { startMs: 9_000_000 });
});

test("REW-14 the market's time continues at the newest event or sealed epoch, and never before", () => {
  const used = { ...empty, journalMs: 2_000.3, sealedMs: 1_500 };
  assert.deepEqual(marketStartOf(used), { startMs: 2_001 });
  assert.deepEqual(marketStartOf({ ...used, sealedMs: 60_000 }), { startMs: 60_000 });
  assert.deepEqual(marketStartOf({ ...used, wantedMs: 2_000 }), { earliestMs: 2_001 });
  assert.deepEqual(marketStartOf({ ...used, wantedMs: 2_001 }), { startMs: 2_001 });
});
