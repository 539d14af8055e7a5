// Proves that a failed opening of the embedded ledger leaves no supervisor behind. Otherwise the next opening would
// add a second supervisor, and both would restart the ledger when it dies.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { isAlive } from "../../src/adapters/process-life.ts";
import { FolderLock } from "../../src/adapters/runtime/folder-lock.ts";
import { systemClock } from "../../src/adapters/runtime/system-clock.ts";
import { present } from "../../src/core/assert.ts";
import { readConfig } from "../../src/venue/config/config.ts";
import { type OpenLedger, openLedger } from "../../src/venue/ledger/open-ledger.ts";
import { createTestDatabase } from "../support/database/postgres.ts";
import { DevnetControl } from "../support/ledger/devnet.ts";
import { quietLog } from "../support/quiet-log.ts";

const lookMs = 20;
/** Time in ms for which the test watches the ledger; longer than a supervisor's interval between two checks. */
const watchMs = 1_000;

test("LED-15 after a failed opening of an embedded ledger only the next opening supervises it", async (t) => {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-opening-"));
  const sql = openPostgres(database.options, "queries");
  // Take the lock on the data folder as a venue does, because a ledger ends when its venue's folder has no holder.
  await FolderLock.take(dataDir, "venue");
  let opened: OpenLedger | undefined;
  t.after(async () => {
    await opened?.close();
    await sql.end({ timeout: 1 });
    await database.drop();
    await rm(dataDir, { recursive: true });
  });
  const config = readConfig({ DATA_DIR: dataDir, LEDGER_PROFILE: "devnet", DEV_TOOLS: "1" });
  const parts = { config, connection: database.options, sql, clock: systemClock };
  const said: string[] = [];
  const info = (_: object, message: string) => void said.push(message);
  opened = present(
    await openLedger({ ...parts, log: { ...quietLog, info } }),
    "the ledger of the settings",
  );
  const admin = present(opened.endpoint().admin, "the admin API of the development ledger");
  const control = new DevnetControl(admin.url, admin.token);
  await control.fault({
    id: "stall",
    effect: "stream_stall",
    match: { endpoint: "updates" },
    probability: 1,
    seed: 1,
    ms: 0,
  });
  const written = await readFile(join(dataDir, "ledger", "place.json"), "utf8");
  const { pid } = JSON.parse(written) as { readonly pid: number };
  const warned: string[] = [];
  const warn = (_: object, message: string) => void warned.push(message);
  const second = openLedger({ ...parts, log: { ...quietLog, warn } });
  await assert.rejects(second, /cannot be read/);
  if (isAlive(pid)) process.kill(pid, "SIGKILL");
  while (!said.includes("the development ledger is back") && warned.length === 0)
    await sleep(lookMs);
  await sleep(watchMs);
  assert.deepEqual(warned, []);
});
