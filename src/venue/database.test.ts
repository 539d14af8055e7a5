// Tests that closing the embedded database while it is being restarted leaves no server running.

import assert from "node:assert/strict";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { findPostmaster } from "../adapters/postgres/server/postmaster.ts";
import type { Log } from "../ports/log.ts";
import { openDatabase } from "./database.ts";

const looks = 50;
const lookPauseMs = 20;

test("JRN-12 a database that is closed while it is being restarted does not come back", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-revival-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const told: string[] = [];
  const tell = (_facts: unknown, message: string): void => void told.push(message);
  const log: Log = { debug: tell, info: tell, warn: tell, error: tell };
  const database = await openDatabase({
    databaseUrl: null,
    synchronousWaitMs: null,
    dataDir,
    log,
    ownsFolder: true,
  });
  const cluster = join(await realpath(join(dataDir, "postgres")), "cluster");
  const found = await findPostmaster(cluster);
  assert(typeof found !== "string", String(found));
  process.kill(found.pid, "SIGKILL");
  while (!told.some((message) => message.startsWith("PostgreSQL died"))) await sleep(1);
  await database.close();
  for (let look = 0; look < looks; look++) {
    assert.equal(typeof (await findPostmaster(cluster)), "string", "no server must be left");
    await sleep(lookPauseMs);
  }
  assert(!told.includes("PostgreSQL is back"));
});
