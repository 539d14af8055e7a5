// Proves that the version numbers follow the tables of records: whoever changes what programs of two versions exchange, or
// what journals contain, is told which number to raise. UPDATE_REFERENCE=1 records the tables once the numbers fit.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { busProtocol } from "../../src/wire/bus-message.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { faultsBetween, type RecordVersions, recordsOfToday } from "./record-versions.ts";

const page = join(projectRoot, "test/vectors/record-versions.json");
const migrations = readdirSync(join(projectRoot, "sql")).flatMap((name) =>
  /^\d{4}_.*\.sql$/.test(name) ? [Number(name.slice(0, 4))] : [],
);
const today = recordsOfToday({ busProtocol, migration: Math.max(...migrations) });

test("GWY-24 a changed record has a new number of the bus, and events in journals are unchanged", () => {
  const recorded = JSON.parse(readFileSync(page, "utf8")) as RecordVersions;
  assert.deepEqual(faultsBetween(recorded, today), []);
  if (process.env["UPDATE_REFERENCE"] === "1")
    writeFileSync(page, `${JSON.stringify(today, null, 2)}\n`);
  assert.deepEqual(
    JSON.parse(readFileSync(page, "utf8")),
    today,
    "the numbers fit; record the tables with UPDATE_REFERENCE=1 make test ONLY=record-versions",
  );
});

/** The faults of a program that has these records instead of those of today. */
function faultsOf(change: Partial<RecordVersions>): string {
  return faultsBetween(today, { ...today, ...change }).join("\n");
}

test("GWY-24 the words name the number: the bus for a changed command, a new code for a changed event", () => {
  const commands = { ...today.commands, placeOrder: "another" };
  assert.match(faultsOf({ commands }), /^placeOrder changed: raise busProtocol .* to \d+/);
  assert.equal(faultsOf({ commands, busProtocol: busProtocol + 1 }), "");

  const added = { ...today.events, orderPraised: "new" };
  assert.match(faultsOf({ events: added }), /^orderPraised changed: raise busProtocol/);
  assert.equal(faultsOf({ events: added, busProtocol: busProtocol + 1 }), "");

  const rewritten = { ...today.events, traded: "another" };
  const faults = faultsOf({ events: rewritten, busProtocol: busProtocol + 1 });
  assert.match(faults, /^traded changed, but journals have it .* add an event with the next code$/);
});

test("GWY-24 a new code inside an event needs a migration, which keeps older programs out", () => {
  const busNext = { busProtocol: busProtocol + 1 };
  const more = { ...today.codes, Side: { ...today.codes["Side"], both: 3 } };
  assert.match(faultsOf({ ...busNext, codes: more }), /^Side has new codes .* add migration \d+/);
  assert.equal(faultsOf({ ...busNext, codes: more, migration: today.migration + 1 }), "");

  const less = { ...today.codes, Side: { buy: 2, sell: 1 } };
  assert.match(faultsOf({ ...busNext, codes: less }), /^codes of Side were renumbered/);

  // A reason travels in replies only, so the bus's number is enough.
  const reasons = { ...today.codes, RejectReason: { ...today.codes["RejectReason"], moody: 999 } };
  assert.match(faultsOf({ codes: reasons }), /^RejectReason changed: raise busProtocol/);
  assert.equal(faultsOf({ ...busNext, codes: reasons }), "");
});

test("the records of today have headers, every sort of record, and the codes of events", () => {
  assert(Object.keys(today.commands).length > 30 && Object.keys(today.events).length > 40);
  assert(today.codesOfEvents.includes("OrderType") && today.codesOfEvents.includes("OriginLane"));
  assert(!today.codesOfEvents.includes("RejectReason") && "RejectReason" in today.codes);
});
