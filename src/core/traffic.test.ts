// Tests the traffic lane of each command id, and how the free base traffic is used and refilled.

import assert from "node:assert/strict";
import { test } from "node:test";
import { charged, laneOf, refilled, TrafficLane, trafficLanes, trafficTerms } from "./traffic.ts";

test("TRF-1 a command belongs to the lane that its id names, or to the reserve", () => {
  assert.equal(laneOf("stl:b-7:1:direct"), TrafficLane.settlement);
  assert.equal(laneOf("epc:venue:7"), TrafficLane.epoch);
  assert.equal(laneOf("rfq:7:settle"), TrafficLane.rfq);
  assert.equal(laneOf("enr:7"), TrafficLane.enrollment);
  assert.equal(laneOf("wdr:7:1"), TrafficLane.maintenance);
  for (const id of ["", "stl", "x:1", ":stl"]) assert.equal(laneOf(id), TrafficLane.reserve);
  const budgets = trafficLanes.map(({ budgetBytes }) => budgetBytes);
  assert.deepEqual(budgets, [200_000, 100_000, 40_000, 20_000, 20_000, 20_000]);
  assert.equal(
    budgets.reduce((sum, bytes) => sum + bytes),
    trafficTerms.burstBytes,
  );
});

test("TRF-2 TRF-8 the base traffic refills evenly up to its burst, and is never negative", () => {
  const full = { remaining: 400_000, atMs: 0 };
  const used = charged(full, 100_000, 600_000);
  assert.deepEqual(used, { remaining: 300_000, atMs: 600_000 });
  assert.equal(refilled(used, 660_000).remaining, 320_000);
  assert.equal(refilled(used, 10_000_000).remaining, 400_000);
  assert.deepEqual(refilled(used, 0), used, "a clock that goes back must refill nothing");
  assert.equal(charged(used, 1_000_000, 600_000).remaining, 0);
});
