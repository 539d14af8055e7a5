// Proves that a venue with one dead thread stops. The journal thread dies because a table it writes to is missing, so
// no retry can help.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { CliProcess, runCli } from "../support/venue/cli-process.ts";

let database: TestDatabase;
let dataDir: string;

before(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "rialto-dead-thread-"));
});

after(async () => {
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function change(statement: string): Promise<void> {
  const sql = openPostgres(database.options, "queries");
  await sql.unsafe(statement);
  await sql.end();
}

test("OPS-9 when a thread dies the venue stops with an error, and its data is intact at the next start", async () => {
  const settings = { DATA_DIR: dataDir, DATABASE_URL: database.url, PORT: "0" };
  const venue = new CliProcess(["start"], settings);
  const [, address = ""] = await venue.untilPrinted(/^Rialto is open at (http:\S+)$/m);
  await change("alter table journal rename to elsewhere");
  const unheard = runCli(["accounts", "create"], settings);
  assert.equal(await venue.ended, 1);
  assert.match(venue.complained, /a thread ended: stopping the venue/);
  assert.notEqual((await unheard).code, 0, "Nothing may have been acknowledged");
  await assert.rejects(fetch(`${address}/api/v3/ping`));
  await change("alter table elsewhere rename to journal");
  const again = new CliProcess(["start"], settings);
  await again.untilPrinted(/^Rialto is open at /m);
  const created = await runCli(["accounts", "create"], settings);
  again.signal("SIGTERM");
  assert.equal(await again.ended, 0);
  assert.equal(created.code, 0, created.complained);
});
