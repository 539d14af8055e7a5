// Proves that a pool of background tasks can be closed at any moment, as a stopping venue closes it.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { TaskPool } from "../../src/venue/duties/task-pool.ts";

const file = new URL("../../workers/tasks/fold-snapshot.js", import.meta.url);

test("closing a pool while its thread loads the task ends only the thread", async () => {
  for (let delayMs = 60; delayMs <= 180; delayMs += 4) {
    const pool = new TaskPool({ file, idleMs: 1_000 });
    const task = pool.run({}, "foldSnapshotTask");
    const refused = assert.rejects(task);
    await sleep(delayMs);
    await pool.destroy();
    await refused;
  }
});

test("if a task's thread cannot start, only that task fails, and the next one gets a new thread", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rialto-task-"));
  try {
    const path = join(folder, "task.mjs");
    const pool = new TaskPool({ file: pathToFileURL(path), idleMs: 1_000 });
    const missing = pool.run({}, "answer");
    const queued = pool.run({}, "answer");
    await assert.rejects(missing, { code: "ERR_MODULE_NOT_FOUND" });
    await assert.rejects(queued);
    await writeFile(path, "export const answer = () => 42;\n");
    assert.equal(await pool.run({}, "answer"), 42);
    await pool.destroy();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
