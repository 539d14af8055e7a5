// The clock guard against everything that can happen to a wall clock.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ClockGuard } from "./clock-guard.ts";

const lookMs = 100;
const stepMs = 5_000;
const hourMs = 3_600_000;
const startMs = 1_790_000_000_000;

/** A machine with controllable clocks, and the guard that checks them. */
class Machine {
  wallMs = startMs;
  monotonicMs = 5_000_000;
  asleepMs = 0;
  reads = 0;
  readonly guard = new ClockGuard({
    offsetMs: startMs - 5_000_000,
    isHeld: false,
    startedAt: this,
    stepMs,
    asleepMs: () => {
      this.reads++;
      return this.asleepMs;
    },
  });

  get venueMs(): number {
    return this.monotonicMs + this.guard.offsetMs;
  }

  /** Lets time pass with checks; `rate` is the share by which the wall clock runs fast. */
  pass(ms: number, rate = 0) {
    const changes = [];
    for (let left = ms; left > 0; left -= lookMs) {
      this.monotonicMs += lookMs;
      this.wallMs += lookMs * (1 + rate);
      changes.push(this.guard.look(this));
    }
    return changes.filter((change) => change !== "none");
  }
}

for (const step of [hourMs, -hourMs, 30 * 24 * hourMs, -30 * 24 * hourMs]) {
  test(`CLK-1 CLK-4 CLK-9 after a step of ${step / hourMs} h the venue's time is held, continues, and recovers automatically`, () => {
    const machine = new Machine();
    machine.pass(10_000);
    machine.wallMs += step;
    assert.deepEqual(machine.pass(60_000), ["held"]);
    assert.equal(machine.venueMs, startMs + 70_000);
    assert.equal(machine.guard.heldSinceMs, startMs + 10_000 + lookMs);
    assert.equal(machine.guard.differenceMs, step);
    machine.wallMs -= step;
    assert.deepEqual(machine.pass(1_000), ["recovered"]);
    assert.equal(machine.guard.heldSinceMs, null);
    assert.equal(machine.venueMs, startMs + 71_000);
  });
}

for (const step of [3_000, -3_000]) {
  test(`CLK-2 a clock step of ${step} ms is corrected at a tenth of the speed of time`, () => {
    const machine = new Machine();
    machine.wallMs += step;
    assert.deepEqual(machine.pass(10_000), []);
    assert.equal(Math.round(machine.venueMs - startMs), 10_000 + step / 3);
    assert.deepEqual(machine.pass(25_000), []);
    assert(Math.abs(machine.venueMs - machine.wallMs) < 2, "the correction is complete");
  });
}

test("CLK-2 a clock that is adjusted slowly or drifts for a day is followed and never held", () => {
  for (const rate of [0.0005, -0.0005, 0.08, -0.08]) {
    const machine = new Machine();
    assert.deepEqual(machine.pass(24 * hourMs, rate), []);
    assert(Math.abs(machine.venueMs - machine.wallMs) < 15, `rate ${rate}`);
  }
});

test("CLK-2 successive small steps do not add up to a large one", () => {
  const machine = new Machine();
  const changes = [];
  for (let steps = 0; steps < 10; steps++) {
    machine.wallMs += 3_000;
    changes.push(...machine.pass(1_000));
  }
  assert.deepEqual(changes, ["held"]);
  assert(machine.venueMs < startMs + 10_000 * 1.1 + 1);
});

test("CLK-4 CLK-9 an accepted step applies at once in either direction", () => {
  const machine = new Machine();
  machine.wallMs += hourMs;
  machine.pass(1_000);
  assert.equal(machine.guard.accept(machine), hourMs);
  assert.equal(machine.venueMs, machine.wallMs);
  assert.equal(machine.guard.heldSinceMs, null);
  assert.deepEqual(machine.pass(1_000), []);
  machine.wallMs -= 2 * hourMs;
  machine.pass(1_000);
  assert.equal(machine.guard.accept(machine), -2 * hourMs);
  assert.deepEqual(machine.pass(1_000), []);
});

test("CLK-6 after the machine slept the venue's time includes the sleep, and is not held", () => {
  const machine = new Machine();
  machine.pass(1_000);
  machine.wallMs += 8 * hourMs;
  machine.asleepMs += 8 * hourMs;
  assert.deepEqual(machine.pass(1_000), ["slept"]);
  assert.equal(machine.venueMs, machine.wallMs);
  // If the wall clock moves more than the machine slept, it is no longer trusted. The venue's time still advances by
  // the sleep.
  machine.wallMs += 9 * hourMs;
  machine.asleepMs += 8 * hourMs;
  assert.deepEqual(machine.pass(1_000), ["held"]);
  assert.equal(machine.guard.differenceMs, hourMs);
});

test("the sleep time is read only if the clocks differ", () => {
  const machine = new Machine();
  machine.pass(hourMs);
  assert.equal(machine.reads, 1, "only at the start");
});
