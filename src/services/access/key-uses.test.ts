// Proves that the last uses of keys are written once each, and later if the database is away.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeyUse } from "../../ports/access/key-store.ts";
import { KeyUses } from "./key-uses.ts";

const minuteMs = 60_000;

test("KEY-20 uses since the last write are written, and again later if the database did not take them", async () => {
  const used = new Map([[1, 10 * minuteMs]]);
  const written: KeyUse[][] = [];
  let isAway = false;
  let nowMs = 10 * minuteMs + 30_000;
  const uses = new KeyUses({
    limiter: { lastUseMs: (keyId) => used.get(keyId) ?? null },
    keyIds: () => [1, 2, 3],
    store: {
      noteUses: async (some) => {
        if (isAway) throw new Error("no database");
        written.push([...some]);
      },
    },
    nowMs: () => nowMs,
  });
  const take = async () => {
    await uses.write();
    return written.splice(0).flat();
  };
  assert.deepEqual(await take(), [{ keyId: 1, usedMs: 10 * minuteMs }]);
  nowMs += minuteMs;
  used.set(2, 10 * minuteMs).set(3, 11 * minuteMs);
  isAway = true;
  assert.deepEqual(await take(), []);
  isAway = false;
  // The minute of the last write is written once more, because key 2 was used in it after that write.
  assert.deepEqual(
    (await take()).map(({ keyId }) => keyId),
    [1, 2, 3],
  );
  nowMs += minuteMs;
  assert.deepEqual(await take(), [{ keyId: 3, usedMs: 11 * minuteMs }]);
  nowMs += minuteMs;
  assert.deepEqual(await take(), []);
});
