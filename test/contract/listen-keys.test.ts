// Proves on a real database that an added listen key is found until it expires, and that the oldest keys are removed
// when new ones exceed the limit.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresListenKeys } from "../../src/adapters/postgres/queries/access/listen-keys.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";

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
const seal = { sealed: Buffer.from("sealed"), sealVersion: 1 };

test("STR-25 a listen key is found until it expires", async () => {
  const row = { ...owner, keyId: 5, expiresMs: 2000 };
  await keys.add("one", row, { nowMs: 1000, liveMax: 3, seal });
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

test("STR-25 beyond the limit the oldest listen key is removed, and expired keys are deleted from the table", async () => {
  for (let at = 0; at < 5; at++) {
    const row = { ...owner, keyId: 5, expiresMs: 10_000 };
    await keys.add(`key ${at}`, row, { nowMs: 1000 + at, liveMax: 3, seal });
  }
  await keys.add(
    "elsewhere",
    { account: 1001, surface: 1, keyId: 5, expiresMs: 10_000 },
    { nowMs: 1, liveMax: 3, seal },
  );
  const names = Array.from({ length: 5 }, (_, at) => `key ${at}`);
  assert.deepEqual((await keys.live(names, 1010)).sort(), ["key 2", "key 3", "key 4"]);
  await keys.add(
    "late",
    { ...owner, keyId: 5, expiresMs: 90_000 },
    { nowMs: 20_000, liveMax: 3, seal },
  );
  const [{ count } = { count: "" }] = await sql<
    { count: string }[]
  >`select count(*) from listen_keys`;
  assert.equal(count, "2");
});

test("STR-35 the newest valid listen key of an API key is found, sealed as it was stored", async () => {
  const maker = { account: 1003, surface: 1, keyId: 8 };
  const sealOf = (text: string) => ({ sealed: Buffer.from(text), sealVersion: 4 });
  assert.equal(await keys.newest(maker, 1000), null);
  for (const [name, nowMs, keyId] of [
    ["a", 1000, 8],
    ["b", 1001, 8],
    ["c", 1002, 9],
  ] as const) {
    const row = { account: 1003, surface: 1, keyId, expiresMs: nowMs + 1000 };
    await keys.add(name, row, { nowMs, liveMax: 9, seal: sealOf(name) });
  }
  const found = await keys.newest(maker, 1500);
  assert.deepEqual(
    [found?.hash, Buffer.from(found?.sealed ?? []).toString(), found?.sealVersion],
    ["b", "b", 4],
  );
  assert.equal(await keys.newest({ ...maker, surface: 0 }, 1500), null);
  assert.equal(await keys.newest({ ...maker, account: 1001 }, 1500), null);
  assert.equal(await keys.newest(maker, 2001), null);
});
