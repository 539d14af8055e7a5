// Proves that a venue holds, counts and frees a thousand idle stream connections.

import assert from "node:assert/strict";
import { test } from "node:test";
import { measureIdle } from "./idle-sockets.ts";

test("STR-30 a thousand idle connections are held and then freed", async (context) => {
  const { opened, counted, bytesEach, left } = await measureIdle(1000);
  context.diagnostic(
    `${Math.round(bytesEach)} bytes of RAM for each of ${opened} idle connections`,
  );
  assert.deepEqual([opened, counted, left], [1000, 1000, 0]);
});
