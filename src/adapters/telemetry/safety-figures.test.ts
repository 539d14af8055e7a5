// Tests the lag of the newest sealed epoch behind the present, from which alerts are raised.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SafetyFigures } from "./safety-figures.ts";

const minuteMs = 60_000;

test("CLK-7 an epoch that was sealed before its end is shown as a lag", () => {
  const figures = new SafetyFigures(SafetyFigures.allocate());
  const lagAfter = (epoch: number) => {
    figures.sealed(epoch, minuteMs);
    return figures.sealedLagSeconds(1_000.5 * minuteMs);
  };
  assert.equal(lagAfter(999), 30, "the previous epoch ended half a minute ago");
  assert.equal(lagAfter(990), 9 * 60 + 30);
  assert.equal(lagAfter(1_000), 0, "the current epoch ends in less than one epoch");
  assert.equal(lagAfter(1_000 + 30 * 1_440), 30 * 86_400 + 30, "the epoch ends next month");
});
