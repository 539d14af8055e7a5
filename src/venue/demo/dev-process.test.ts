// Tests that a reference provider that cannot start is retried and does not stop the venue.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { quietLog } from "../../../test/support/quiet-log.ts";
import { DevProcess, referenceProvider } from "./dev-process.ts";

const lookMs = 20;

test("a provider whose folder cannot be written is retried until it can be started", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-provider-"));
  t.after(() => rm(dataDir, { recursive: true }));
  const program = join(dataDir, "program.mjs");
  await writeFile(program, "process.exit(7);");
  await writeFile(join(dataDir, "provider"), "a file where the folder belongs");
  const warned: string[] = [];
  const warn = (fields: object, message: string) =>
    void warned.push("code" in fields ? `${message}: ${fields.code}` : message);
  const log = { ...quietLog, warn };
  const provider = new DevProcess({
    runs: referenceProvider,
    program,
    dataDir,
    isReady: () => true,
    log,
  });
  t.after(() => provider.stop());
  while (warned.length === 0) await sleep(lookMs);
  await rm(join(dataDir, "provider"));
  // On a busy machine another try may have come before the folder was free.
  while (new Set(warned).size === 1) await sleep(lookMs);
  assert.deepEqual([...new Set(warned)].slice(0, 2), [
    "the reference provider could not be started; retrying",
    "the reference provider exited and is being restarted: 7",
  ]);
});
