// Times and buckets: fractions are rounded down, toward the past.

import assert from "node:assert/strict";
import { test } from "node:test";
import { asUnixMs, bucketStart, candleIntervals, unixMsOfUs } from "./unix-ms.ts";

test("times are rounded down, and buckets start at whole intervals", () => {
  assert.equal(asUnixMs(1999.9), 1999);
  assert.equal(unixMsOfUs(1_767_225_600_000_999), 1_767_225_600_000);
  const at = 1_767_225_659_999;
  assert.deepEqual(
    candleIntervals.map(({ ms }) => bucketStart(at, ms)),
    [1_767_225_600_000, 1_767_225_600_000, 1_767_225_600_000],
  );
  assert.equal(bucketStart(at + 1, 60_000), 1_767_225_660_000);
});
