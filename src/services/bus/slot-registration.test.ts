// Proves that a gateway which registers again gets the number that it was given, until it has used it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SlotRegistration } from "./slot-registration.ts";

const given = { origin: 7, lastSeq: 90 };

test("CMD-4 a gateway that registers again waits for the reply under way, and then gets the same number", () => {
  const known = new SlotRegistration();
  assert.equal(known.answerTo(4711), null);
  known.passed(4711);
  assert.equal(known.answerTo(4711), "waits");
  known.replied(given);
  assert.equal(known.answerTo(4711), given);
  assert.equal(known.answerTo(4711), given);
});

test("CMD-4 a gateway that has used its number gets another one, as does one that was refused or is new", () => {
  const known = new SlotRegistration();
  known.passed(4711);
  known.replied(given);
  known.used(given.origin - 1);
  assert.equal(known.answerTo(4711), given, "another number says nothing about this one");
  known.used(given.origin);
  assert.equal(known.answerTo(4711), null);
  known.passed(4711);
  known.replied(null);
  assert.equal(known.answerTo(4711), null);
  known.passed(4711);
  known.replied(given);
  assert.equal(known.answerTo(4712), null);
});
