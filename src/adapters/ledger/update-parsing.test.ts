// Tests pages of updates as a participant sends them: in order, possibly repeated, never with a gap.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOf } from "./update-parsing.ts";

const at = (offset: number) => ({ update: { OffsetCheckpoint: { value: { offset } } } });

test("LED-9 an update that a stream repeats is accepted again", () => {
  assert.equal(pageOf([at(52), at(53), at(52), at(53), at(60)], 51).through, 60);
});

test("LED-9 a page whose updates are in another order is refused", () => {
  for (const offsets of [
    [1000, 52],
    [52, 60, 53],
    [40, 52],
  ])
    assert.throws(() => pageOf(offsets.map(at), 51), /out of order/, `${offsets}`);
});
