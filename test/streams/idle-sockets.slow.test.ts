// Proves that a venue holds and counts ten thousand idle stream connections with little memory, and frees them all.

import assert from "node:assert/strict";
import { test } from "node:test";
import { measureIdle } from "./idle-sockets.ts";

/** Limit of memory per connection: far more than a connection needs, far less than a buffer of its own would take. */
const bytesEachMax = 16_384;

test("STR-30 ten thousand idle connections cost a venue little memory", async (context) => {
  const { opened, counted, bytesEach, left } = await measureIdle(10_000);
  context.diagnostic(
    `${Math.round(bytesEach)} bytes of RAM for each of ${opened} idle connections`,
  );
  assert.deepEqual([opened, counted, left], [10_000, 10_000, 0]);
  assert.ok(bytesEach < bytesEachMax, `${bytesEach} bytes`);
});
