// All views share one memory, in little-endian order.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure } from "../../core/assert.ts";
import { createRecordViews } from "./record-views.ts";

test("all views see the same little-endian bytes", () => {
  const views = createRecordViews(new ArrayBuffer(16));
  views.u8.set([1, 2, 3, 4, 5, 6, 7, 0x88], 8);
  assert.equal(views.u16[4], 0x0201);
  assert.equal(views.i32[2], 0x04030201);
  assert.equal(views.u32[3], 0x88070605);
  assert.equal(views.i64[1], BigInt.asIntN(64, 0x8807060504030201n));
  views.f64[0] = 1.5;
  assert.equal(views.u8[7], 0x3f);
});

test("a buffer that is not a multiple of 8 bytes is refused", () => {
  assert.throws(() => createRecordViews(new ArrayBuffer(12)), AssertionFailure);
});
