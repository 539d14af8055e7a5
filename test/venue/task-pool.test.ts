// A pool of background tasks that is closed at any moment, as a venue that stops closes it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openTaskPool } from "../../src/venue/task-pool.ts";

const file = new URL("../../workers/tasks/fold-snapshot.js", import.meta.url);

test("a pool closed while its thread loads the task ends the thread and nothing else", async () => {
  for (let delayMs = 60; delayMs <= 180; delayMs += 4) {
    const pool = openTaskPool({ file, idleMs: 1_000 });
    const task = pool.run({}, { name: "foldSnapshotTask" });
    const refused = assert.rejects(task);
    await sleep(delayMs);
    await pool.destroy();
    await refused;
  }
});
