// Tests the traffic allowance: traffic is drawn from the base first and then from purchased traffic; the base refills
// over time, and no fraction is lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LedgerRefusal } from "./ledger-refusal.ts";
import { TrafficMeter, trafficParameters } from "./traffic-meter.ts";

const { burstBytes, windowMs } = trafficParameters;

test("LED-19 traffic is drawn from the base, then from the extra, and then the submission is refused", () => {
  const meter = new TrafficMeter(TrafficMeter.fresh(0), false);
  meter.purchase(100);
  meter.charge(burstBytes, 0);
  meter.charge(100, 0);
  assert.equal(meter.state.extraConsumed, 100);
  assert.throws(() => meter.charge(1, 0), LedgerRefusal);
  assert.equal(meter.state.extraConsumed, 100);
});

test("LED-19 whole bytes are drawn from the extra traffic", () => {
  const meter = new TrafficMeter(TrafficMeter.fresh(0), false);
  meter.purchase(10_000);
  meter.charge(burstBytes, 0);
  meter.charge(1_000, 5);
  assert.equal(meter.state.extraConsumed, 999);
  const stored = { ...meter.state, extraConsumed: 999.4 };
  assert.equal(new TrafficMeter(stored, false).state.extraConsumed, 1_000);
});

test("LED-19 the base refills linearly up to its burst, however often it is read", () => {
  const meter = new TrafficMeter(TrafficMeter.fresh(0), false);
  meter.charge(burstBytes, 0);
  for (let ms = 1; ms < windowMs / 2; ms++) {
    if (ms % 100 === 0) meter.charge(0, ms);
  }
  meter.charge(0, windowMs / 2);
  assert.ok(Math.abs(meter.state.baseRemaining - burstBytes / 2) <= 1);
  meter.charge(0, 10 * windowMs);
  assert.equal(meter.state.baseRemaining, burstBytes);
});
