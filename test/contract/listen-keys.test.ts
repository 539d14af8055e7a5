// Listen keys in a real database: what is added is found until it ends, and the oldest make room.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresListenKeys } from "../../src/adapters/postgres/queries/listen-keys.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

let database: TestDatabase;
let sql: Sql;
let keys: PostgresListenKeys;

before(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "queries");
  keys = new PostgresListenKeys(sql);
});
after(async () => {
  await sql.end();
  await database.drop();
});

const owner = { account: 1001, surface: 0 };

test("STR-25 a listen key is found until it ends", async () => {
  const row = { ...owner, keyId: 5, expiresMs: 2000 };
  await keys.add("one", row, { nowMs: 1000, liveMax: 3 });
  assert.deepEqual(await keys.find("one", 1999), row);
  assert.equal(await keys.find("one", 2000), null);
  assert.equal(await keys.find("other", 1000), null);
  assert.equal(await keys.extend({ ...owner, hash: "one" }, 5000, 1999), 1);
  assert.equal(await keys.extend({ ...owner, hash: "other" }, 5000, 1999), 0);
  assert.equal(await keys.extend({ account: 1002, surface: 0, hash: "one" }, 9000, 1999), 0);
  assert.equal(await keys.extend({ ...owner, hash: null }, 6000, 5000), 0);
  assert.deepEqual(await keys.live(["one", "other"], 4999), ["one"]);
  await keys.remove({ account: 1001, surface: 1, hash: null });
  assert.deepEqual(await keys.live(["one"], 4999), ["one"]);
  await keys.remove({ ...owner, hash: null });
  assert.deepEqual(await keys.live(["one"], 0), []);
});

test("STR-25 the oldest of too many listen keys ends, and ended ones leave the table", async () => {
  for (let at = 0; at < 5; at++) {
    const row = { ...owner, keyId: 5, expiresMs: 10_000 };
    await keys.add(`key ${at}`, row, { nowMs: 1000 + at, liveMax: 3 });
  }
  await keys.add(
    "elsewhere",
    { account: 1001, surface: 1, keyId: 5, expiresMs: 10_000 },
    { nowMs: 1, liveMax: 3 },
  );
  const names = Array.from({ length: 5 }, (_, at) => `key ${at}`);
  assert.deepEqual((await keys.live(names, 1010)).sort(), ["key 2", "key 3", "key 4"]);
  await keys.add("late", { ...owner, keyId: 5, expiresMs: 90_000 }, { nowMs: 20_000, liveMax: 3 });
  const [{ count } = { count: "" }] = await sql<
    { count: string }[]
  >`select count(*) from listen_keys`;
  assert.equal(count, "2");
});
