// The schema against its golden text, and what the migrations refuse: a changed file, a missing
// file, two starters at once, a broken file.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { checkServer, openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import {
  checkMigrated,
  migrate,
  migrationsFolder,
  readMigrations,
} from "../../src/adapters/postgres/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { schemaText } from "../support/schema-text.ts";

let database: TestDatabase;
let sql: Sql;
let folder: string;

before(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "migrations");
  folder = await mkdtemp(join(tmpdir(), "rialto-sql-"));
});

after(async () => {
  await sql.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

/** The real migrations in a folder that a test may spoil. */
async function freshCopy(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  for (const { name, text } of await readMigrations(migrationsFolder()))
    await writeFile(join(folder, name), text);
}

test("the migrated schema is the golden one", async () => {
  const golden = join(migrationsFolder(), "schema.sql");
  const text = await schemaText(sql);
  if (process.env["SNAP_UPDATE"] === "1") await writeFile(golden, text);
  assert.equal(text, await readFile(golden, "utf8"), "SNAP_UPDATE=1 writes the new one");
});

test("migrating again does nothing, and the server is fit", async () => {
  assert.deepEqual(await migrate(sql), []);
  await checkMigrated(sql);
  assert.match(await checkServer(sql), /^\d+\.\d+/);
});

test("OPS-3 a login without rights is told which right is missing", async () => {
  const login = `poor_${process.pid}`;
  await sql.unsafe(`create role ${login} login password 'poor'`);
  assert.ok(!("url" in database.options));
  const poor = openPostgres({ ...database.options, user: login, password: "poor" }, "queries");
  try {
    await assert.rejects(checkServer(poor), {
      code: "unfit",
      message: new RegExp(`may not create tables: GRANT CREATE ON SCHEMA public TO "${login}"`),
    });
    const byUrl = openPostgres({ url: database.url }, "queries");
    await checkServer(byUrl);
    await byUrl.end();
  } finally {
    await poor.end();
    await sql.unsafe(`drop role ${login}`);
  }
});

test("OPS-10 a changed applied file stops everything and is named", async () => {
  await freshCopy();
  await writeFile(join(folder, "0002_accounts_keys.sql"), "select 1;");
  await assert.rejects(migrate(sql, folder), /0002_accounts_keys\.sql was changed/);
  await assert.rejects(checkMigrated(sql, folder), /0002_accounts_keys\.sql was changed/);
});

test("a missing applied file stops everything and is named", async () => {
  await freshCopy();
  const names = (await readMigrations(folder)).map((migration) => migration.name);
  const last = names.at(-1) ?? "";
  await rm(join(folder, last));
  await assert.rejects(migrate(sql, folder), (error: Error) => error.message.includes(last));
  await freshCopy();
  await rm(join(folder, names[1] ?? ""));
  await assert.rejects(migrate(sql, folder), /expected number 2/);
});

test("a file that fails leaves nothing behind, and a file not yet applied is named", async () => {
  await freshCopy();
  const next = (await readMigrations(folder)).length + 1;
  const name = `${String(next).padStart(4, "0")}_broken.sql`;
  await writeFile(join(folder, name), "create table half (); select 1 / 0;");
  await assert.rejects(migrate(sql, folder), (error: Error) => error.message.startsWith(name));
  const [half] = await sql`select to_regclass('half') as found`;
  assert.equal(half?.["found"], null);
  await assert.rejects(checkMigrated(sql, folder), new RegExp(`${name} is not applied`));
});

test("a connection lost inside a file is said to its starter, and the next one migrates", async () => {
  await freshCopy();
  const next = (await readMigrations(folder)).length + 1;
  const cut = join(folder, `${String(next).padStart(4, "0")}_cut.sql`);
  await writeFile(cut, "select pg_terminate_backend(pg_backend_pid());");
  const starter = openPostgres(database.options, "migrations");
  try {
    await assert.rejects(migrate(starter, folder), { code: "CONNECTION_CLOSED" });
  } finally {
    await starter.end({ timeout: 1 });
  }
  await rm(cut);
  assert.deepEqual(await migrate(sql, folder), []);
});

test("two starters at once migrate an empty database once", async () => {
  await sql.unsafe("drop schema public cascade; create schema public");
  const other = openPostgres(database.options, "migrations");
  try {
    const [one, two] = await Promise.all([migrate(sql), migrate(other)]);
    const names = (await readMigrations(migrationsFolder())).map((migration) => migration.name);
    assert.deepEqual([...one, ...two].sort(), names);
    await checkMigrated(sql);
  } finally {
    await other.end();
  }
});

test("ACC-17 a venue that has a journal keeps the tick it was written with, a new one has the finer", async () => {
  const own = await createTestDatabase();
  const venue = openPostgres(own.options, "migrations");
  const file = "0045_finer_ticks.sql";
  const tick = async () => {
    const [row] = await venue`select * from markets where symbol = 'CC-PERP'`;
    return [row?.["tick_decimals"], row?.["units_per_tick_lot"], row?.["tick_lots_per_unit"]];
  };
  try {
    assert.deepEqual(await tick(), [4, 1, 10]);
    await venue.unsafe("drop schema public cascade; create schema public");
    await freshCopy();
    await removeFrom(file);
    await migrate(venue, folder);
    await venue`update journal_head set last_seq = 1`;
    await migrate(venue);
    assert.deepEqual(await tick(), [2, 10, 1]);
  } finally {
    await venue.end();
    await own.drop();
  }
});

/** Leaves only the migrations before `first` in the copy. */
async function removeFrom(first: string): Promise<void> {
  const names = (await readMigrations(folder)).map(({ name }) => name);
  for (const name of names.slice(names.indexOf(first))) await rm(join(folder, name));
}

test("markets and tiers carry the figures of the specification", async () => {
  const markets = await sql`
    select symbol, 10 ^ -tick_decimals as tick, 10 ^ -lot_decimals as lot, min_notional,
           maker_fee_bps as maker, taker_fee_bps as taker, status,
           units_per_tick_lot * 10 ^ (tick_decimals + lot_decimals) / tick_lots_per_unit
             as quote_units
    from markets order by market`;
  assert.deepEqual(
    markets.map((row) => `${row["symbol"]} ${row["maker"]}/${row["taker"]} ${row["status"]}`),
    [
      "CC-USDC 4/10 0",
      "CBTC-USDC 4/10 0",
      "CETH-USDC 4/10 0",
      "CUSD-USDC 0/0 2",
      "BTC-PERP 2/5 0",
      "ETH-PERP 2/5 0",
      "CC-PERP 2/5 0",
    ],
  );
  // One whole unit of base at one whole unit of price is worth one USDC of six decimals.
  for (const row of markets) assert.equal(Number(row["quote_units"]), 1_000_000, row["symbol"]);
  const tiers = await sql`
    select maintenance_ppm from margin_tiers join markets using (market)
    where symbol = 'CC-PERP' order by tier`;
  assert.deepEqual(
    tiers.map((row) => row["maintenance_ppm"]),
    [5_000, 6_250, 12_500, 31_250, 62_500],
  );
});
