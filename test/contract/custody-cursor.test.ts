// Proves that custody does not continue at the ledger's current end if it has lost its cursor, the ledger position up
// to which it has read deposits. It would skip deposits; instead it refuses to start.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { PostgresCustody } from "../../src/adapters/postgres/queries/custody/custody.ts";
import { createTestDatabase } from "../support/database/postgres.ts";

test("custody refuses to start if its cursor is missing, instead of starting at the ledger's end", async (t) => {
  const database = await createTestDatabase();
  const sql = openPostgres(database.options, "queries");
  t.after(async () => {
    await sql.end({ timeout: 1 });
    await database.drop();
  });
  const custody = new PostgresCustody(sql);
  assert.equal(await custody.depositCursor(), null);
  await custody.addReceipts([], 7);
  assert.equal(await custody.depositCursor(), 7);
  await sql`delete from custody_cursor`;
  await assert.rejects(custody.depositCursor(), /the row of the ledger cursor must exist/);
});
