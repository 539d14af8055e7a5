// The time that a venue starts with, depending on what is known about the clocks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type StartFacts, startTimeOf } from "./start-time.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const wallMs = 1_790_000_000_000;
const monotonicMs = 90_000_000;

/** A start an hour after the record was stored, with correct clocks. */
const sound: StartFacts = {
  wallMs,
  monotonicMs,
  bootId: "this",
  asleepMs: 0,
  record: {
    bootId: "this",
    monotonicMs: monotonicMs - hourMs,
    offsetMs: wallMs - monotonicMs,
    asleepMs: 0,
  },
  journalMs: wallMs - hourMs,
  stepMs: 5_000,
  downtimeMsMax: dayMs,
  isAccepted: false,
};
const trusted = { kind: "trusted", offsetMs: wallMs - monotonicMs };
const rebooted = { ...sound, bootId: "another" };

test("CLK-5 a start in the same boot knows the time, whatever the wall clock shows", () => {
  assert.deepEqual(startTimeOf(sound), trusted);
  assert.deepEqual(startTimeOf({ ...sound, journalMs: 0 }), trusted);
  for (const step of [hourMs, -hourMs, 30 * dayMs, -30 * dayMs, 8_000, -8_000]) {
    const started = startTimeOf({ ...sound, wallMs: wallMs + step });
    assert.deepEqual(started, { kind: "held", offsetMs: wallMs - monotonicMs }, `${step} ms`);
  }
  const drifted = { ...sound, wallMs: wallMs + 6_000 };
  assert.equal(startTimeOf(drifted).kind, "trusted", "the usual drift of an hour is not a step");
});

test("CLK-2 CLK-5 a small step of the clock during a restart is corrected gradually", () => {
  for (const step of [3_000, -3_000]) {
    assert.deepEqual(startTimeOf({ ...sound, wallMs: wallMs + step }), trusted);
  }
});

test("CLK-6 sleep since the last record counts, and implausible values are ignored", () => {
  const slept = { ...sound, wallMs: wallMs + 8 * hourMs, asleepMs: 8 * hourMs };
  assert.equal(startTimeOf(slept).kind, "trusted");
  assert.equal(startTimeOf({ ...sound, asleepMs: -50 * hourMs }).kind, "trusted");
  assert.equal(startTimeOf({ ...sound, asleepMs: 8 * hourMs }).kind, "trusted");
});

test("CLK-5 CLK-10 after a reboot a stop of up to a day is accepted, and a longer stop or a time before the journal's is not", () => {
  assert.deepEqual(startTimeOf(rebooted), trusted);
  assert.equal(startTimeOf({ ...rebooted, journalMs: wallMs - dayMs }).kind, "trusted");
  assert.deepEqual(startTimeOf({ ...rebooted, journalMs: wallMs - dayMs - 1 }), {
    kind: "refused",
    aheadMs: dayMs + 1,
  });
  assert.equal(startTimeOf({ ...rebooted, journalMs: wallMs + 4_000 }).kind, "trusted");
  assert.equal(startTimeOf({ ...rebooted, journalMs: wallMs + 6_000 }).kind, "refused");
  for (const none of [{ bootId: null }, { record: null }]) {
    const facts = { ...sound, ...none, journalMs: wallMs - 30 * dayMs };
    assert.equal(startTimeOf(facts).kind, "refused");
  }
});

test("CLK-5 CLK-11 a new venue, and a venue whose operator confirms the clock, start with the wall clock", () => {
  assert.deepEqual(startTimeOf({ ...rebooted, journalMs: 0 }), trusted);
  const far = { ...sound, wallMs: wallMs + 30 * dayMs, isAccepted: true };
  assert.deepEqual(startTimeOf(far), {
    kind: "trusted",
    offsetMs: wallMs + 30 * dayMs - monotonicMs,
  });
});

test("a held time is not before the newest event's time", () => {
  const facts = { ...sound, wallMs: wallMs - dayMs, journalMs: wallMs + 500 };
  assert.deepEqual(startTimeOf(facts), { kind: "held", offsetMs: wallMs + 500 - monotonicMs });
});
