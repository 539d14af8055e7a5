// Proves that a gateway which registers again gets the number that it was given, until it has used it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { registerMsMax } from "../../core/bus-limits.ts";
import { SlotRegistration } from "./slot-registration.ts";

const given = { origin: 7, lastSeq: 90 };

test("CMD-4 a gateway that registers again waits for the reply under way, and then gets the same number", () => {
  const known = new SlotRegistration();
  assert.equal(known.answerTo(4711, 1_000), null);
  known.passed(4711, 0);
  assert.equal(known.answerTo(4711, 1_000), "waits");
  assert.equal(known.answerTo(4711, registerMsMax), null, "no answer may come any more");
  known.replied(given);
  assert.equal(known.answerTo(4711, 1_000), given);
  assert.equal(known.answerTo(4711, 1_000), given);
});

test("CMD-4 a gateway that has used its number gets another one, as does one that was refused or is new", () => {
  const known = new SlotRegistration();
  known.passed(4711, 0);
  known.replied(given);
  known.used();
  assert.equal(known.answerTo(4711, 1_000), null);
  known.passed(4711, 0);
  known.replied(null);
  assert.equal(known.answerTo(4711, 1_000), null);
  known.passed(4711, 0);
  known.replied(given);
  assert.equal(known.answerTo(4712, 1_000), null);
});
