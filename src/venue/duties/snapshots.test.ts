// Tests that snapshots that fail are retried after growing pauses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SafetyFigures } from "../../adapters/telemetry/safety-figures.ts";
import { asUnixMs } from "../../core/unix-ms.ts";
import { SnapshotScheduler } from "./snapshots.ts";
import { TaskPool } from "./task-pool.ts";

const ignore = (): void => undefined;

test("a failed snapshot is retried after pauses that double, and a success resets the pause", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  let second = 0;
  const triedAt: number[] = [];
  context.mock.method(TaskPool.prototype, "run", async () => {
    triedAt.push(second);
    if (second !== 36) throw new Error("the database is away");
    return { seq: second * 1000, stateHash: "", bytes: 0, folded: 1, astray: [] };
  });
  const scheduler = new SnapshotScheduler({
    rules: { intervalMs: 10_000, events: 1000 },
    task: { connection: { url: "" }, markets: [], assets: [], logLevel: "silent" },
    clock: { nowMs: () => asUnixMs(second * 1000), nowUs: () => second * 1_000_000 },
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    committedSeq: () => second * 1000,
    settle: async () => second * 1000,
    figures: new SafetyFigures(SafetyFigures.allocate()),
    snapshotSeq: 0,
  });
  while (second < 45) {
    second++;
    context.mock.timers.tick(1000);
    // Let the attempt end before the next check.
    await new Promise(setImmediate);
  }
  await scheduler.close();
  assert.deepEqual(triedAt, [1, 2, 4, 8, 16, 26, 36, 37, 38, 40, 44]);
});
