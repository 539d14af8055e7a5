// Proves that a venue which takes no requests says why.

import assert from "node:assert/strict";
import { test } from "node:test";
import { asUnixMs } from "../../core/unix-ms.ts";
import { CountersBuffer, RunState } from "../../wire/counters-buffer.ts";
import { LeaseBuffer } from "../../wire/lease-buffer.ts";
import { createHealth } from "./health.ts";
import { JournalFigures } from "./journal-figures.ts";
import { SafetyFigures } from "./safety-figures.ts";

test("OPS-140 a venue that starts or stops says so instead of only being unavailable", () => {
  const memory = {
    counters: CountersBuffer.allocate(1),
    journalFigures: JournalFigures.allocate(),
    lease: LeaseBuffer.allocate(),
    safety: SafetyFigures.allocate(),
  };
  const clock = {
    nowMs: () => asUnixMs(1_000),
    nowUs: () => 1_000_000,
    isHeld: () => false,
    differenceMs: () => 0,
  };
  const health = createHealth(memory, clock, () => 0, null);
  const counters = new CountersBuffer(memory.counters);
  const seen = () => [health().isOk, health().refusing];
  assert.deepEqual(seen(), [false, "starting"]);
  counters.advanceTo(RunState.running);
  assert.deepEqual(seen(), [true, null]);
  counters.advanceTo(RunState.draining);
  assert.deepEqual(seen(), [false, "stopping"]);
});
