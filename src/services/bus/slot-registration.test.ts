// Proves that a gateway which asks again for its number gets the one that it was given, until it has used it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SlotRegistration } from "./slot-registration.ts";

const given = { origin: 7, lastSeq: 90 };

test("CMD-4 a gateway that asks again waits for the answer under way, and then gets the same number", () => {
  const known = new SlotRegistration();
  assert.equal(known.answerTo(4711), null);
  known.asked(4711);
  assert.equal(known.answerTo(4711), "waits");
  known.answered(given);
  assert.equal(known.answerTo(4711), given);
  assert.equal(known.answerTo(4711), given);
});

test("CMD-4 a gateway that has used its number gets another one, as does one that was refused or is new", () => {
  const known = new SlotRegistration();
  known.asked(4711);
  known.answered(given);
  known.used();
  assert.equal(known.answerTo(4711), null);
  known.asked(4711);
  known.answered(null);
  assert.equal(known.answerTo(4711), null);
  known.asked(4711);
  known.answered(given);
  assert.equal(known.answerTo(4712), null);
});
