// Assertions: what holds passes, what does not stops with its words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure, assert as assertThat, present, unreachable } from "./assert.ts";

test("a broken assumption stops with its words, a true one passes", () => {
  assertThat(true, "never said");
  assert.throws(() => assertThat(false, "said"), new AssertionFailure("said"));
  assert.equal(present(0, "a zero"), 0);
  assert.throws(() => present(undefined, "a thing"), /missing: a thing/);
  assert.throws(() => present(null, "a thing"), AssertionFailure);
  assert.throws(() => unreachable(7 as never), /unreachable value: 7/);
});
