// The report while the parts of the ledger's data end at different offsets.

import assert from "node:assert/strict";
import { test } from "node:test";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { asUnixMs } from "../../../core/unix-ms.ts";
import type { LedgerMoment } from "../../../ports/ledger/solvency.ts";
import { SolvencyReport } from "./solvency-report.ts";

const holdings = [{ asset: 0, units: 7n }];
const moment: LedgerMoment = { ledgerOffset: 3, holdings, fills: [], payments: [] };

/** Returns a report of an empty venue with its clock. Each reading of the ledger takes `readMs` on this clock. */
function reportOf(readMs: number) {
  const now = { ms: 1_000_000, isEven: true };
  const { state } = new TestVenue();
  const read = async () => {
    now.ms += readMs;
    return now.isEven ? moment : ("uneven" as const);
  };
  const clock = { nowMs: () => asUnixMs(now.ms), nowUs: () => now.ms * 1000 };
  const pause = async (ms: number) => {
    now.ms += ms;
  };
  return { now, report: new SolvencyReport({ state, reader: { read }, clock, pause }) };
}

test("SLV-4 SLV-9 while ledger and venue readings do not match, the last report is shown with its time", async () => {
  const { now, report } = reportOf(300);
  const first = await report.items();
  assert.ok(typeof first !== "string");
  now.isEven = false;
  const requestedMs = now.ms;
  assert.equal(await report.items(), first);
  assert.ok(now.ms - requestedMs < 2_000, "a stored report must be returned quickly");
  now.ms += 300_000;
  const lateMs = now.ms;
  assert.equal(await report.items(), "uneven");
  assert.ok(now.ms - lateMs >= 10_000);
  now.isEven = true;
  assert.notEqual(await report.items(), first);
});

test("SLV-4 without a previous report the request waits for one, however slow the reading", async () => {
  const { now, report } = reportOf(2_000);
  now.isEven = false;
  const requestedMs = now.ms;
  const items = report.items();
  assert.equal(await items, "uneven");
  assert.ok(now.ms - requestedMs >= 10_000 && now.ms - requestedMs < 15_000);
});
