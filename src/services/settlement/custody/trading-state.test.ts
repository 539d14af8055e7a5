// The conditions under which the operator's own makers and takers pause or stop.

import assert from "node:assert/strict";
import { test } from "node:test";
import { TrafficLane, trafficLanes } from "../../../core/traffic.ts";
import type { TrafficUse } from "../../../ports/ledger/traffic.ts";
import { tradingReasonOf, tradingStateOf } from "./trading-state.ts";

const nowMs = 10_000_000;
const quiet: TrafficUse = {
  lanes: trafficLanes.map((_, lane) => ({
    lane: lane as TrafficLane,
    bytes: 0,
    submissions: 0,
    lastBytes: null,
  })),
  base: { remaining: 400_000, atMs: nowMs },
  isMeasured: false,
  extra: null,
  readMs: nowMs,
  mirroredMs: nowMs,
};

function state(more: Partial<TrafficUse>) {
  return tradingStateOf({ use: { ...quiet, ...more }, nowMs, staleMs: 90_000 });
}

function settled(bytes: number) {
  const lanes = quiet.lanes.map((use) =>
    use.lane === TrafficLane.settlement ? { ...use, bytes } : use,
  );
  return { lanes };
}

test("TRF-3 trading pauses when settlement's traffic lane or the base is used up, and halts while the ledger cannot be read", () => {
  assert.equal(state({}), "ok");
  assert.equal(state(settled(199_999)), "ok");
  assert.equal(state(settled(200_000)), "paused");
  const low = { base: { remaining: 19_999, atMs: nowMs } };
  assert.equal(state(low), "paused");
  assert.equal(state({ base: { remaining: 20_000, atMs: nowMs } }), "ok");
  assert.equal(state({ ...low, extra: { purchased: 10, consumed: 10 } }), "paused");
  assert.equal(state({ ...low, extra: { purchased: 10, consumed: 9 } }), "ok");
  assert.equal(state({ mirroredMs: nowMs - 90_000 }), "ok");
  assert.equal(state({ ...settled(500_000), mirroredMs: nowMs - 90_001 }), "halted");
  assert.equal(state({ mirroredMs: null }), "halted");
  const reason = (use: Partial<TrafficUse>) =>
    tradingReasonOf({ use: { ...quiet, ...use }, nowMs, staleMs: 90_000 });
  assert.deepEqual(
    [reason({}), reason({ mirroredMs: nowMs - 95_000 }), reason({ mirroredMs: null })],
    [
      "",
      "wallets were last compared with the ledger 95 s ago",
      "wallets have not been compared with the ledger yet",
    ],
  );
});
