// Proves that notices to providers stay in order until they are delivered.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { migrate } from "../../src/adapters/postgres/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { noticesOf } from "../support/swaps/swap-notices.ts";

const swapId = "0198f1c2-0000-7008-8000-000000000001";

let database: TestDatabase;
let sql: Sql;

before(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "queries");
  await migrate(sql);
});

after(async () => {
  await sql.end();
  await database.drop();
});

test("notices of a swap are read in the order in which they were written", async () => {
  const cancel = JSON.stringify({ reason: "the trader's leg did not come" });
  const result = JSON.stringify({ status: "released", reason: "expired" });
  await sql`insert into swap_notices (provider, swap_id, kind, body, created_ms)
    values ('p-1', ${swapId}, 2, ${cancel}, 5), ('p-1', ${swapId}, 1, ${result}, 6)`;
  const bare = { provider: "p-1", swapId };
  assert.deepEqual(await noticesOf(sql, swapId), [
    {
      ...bare,
      noticeId: 1,
      createdMs: 5,
      kind: "cancel",
      body: { reason: "the trader's leg did not come" },
    },
    {
      ...bare,
      noticeId: 2,
      createdMs: 6,
      kind: "result",
      body: { status: "released", reason: "expired" },
    },
  ]);
});
