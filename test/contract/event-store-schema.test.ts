// Proves that the migrations create exactly the schema of the golden file, and what a start refuses: a changed,
// missing or broken migration file, and two simultaneous starts.

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
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { schemaText } from "../support/database/schema-text.ts";

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

/** Copies the real migrations into a folder that a test may change, and returns the next free number. */
async function freshCopy(): Promise<number> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const migrations = await readMigrations(migrationsFolder());
  for (const { name, text } of migrations) await writeFile(join(folder, name), text);
  return migrations.length + 1;
}

/** Returns the file name of the migration with this number. */
function nameOf(number: number, detail: string): string {
  return `${String(number).padStart(4, "0")}_${detail}.sql`;
}

/** SHA-256 of sql/0001_baseline.sql. The file must not change, because existing databases have applied it. */
const baseline = "e363944269e8591bf496aaf2108ed2a09d3e34db6c61f747f1f7f1a0ea419f48";

test("OPS-10 the first migration has not changed since databases applied it, because every change is a new file", async () => {
  const [first] = await readMigrations(migrationsFolder());
  assert.deepEqual([first?.name, first?.checksum], ["0001_baseline.sql", baseline]);
});

test("OPS-10 the program's version is not older than the schema's version", async () => {
  const [first] = await readMigrations(migrationsFolder());
  const [, schema = ""] = /^-- The schema of version (\d+\.\d+)\.0,/.exec(first?.text ?? "") ?? [];
  const text = await readFile(join(migrationsFolder(), "..", "package.json"), "utf8");
  const { version } = JSON.parse(text) as { version: string };
  assert.match(version, /^\d+\.\d+\.\d+$/);
  const numberOf = (detail: string): number => {
    const [major = 0, minor = 0] = detail.split(".").map(Number);
    return major * 1_000 + minor;
  };
  assert(
    schema !== "" && numberOf(version) >= numberOf(schema),
    `program version ${version} is older than schema version ${schema}`,
  );
});

test("OPS-10 OPS-63 a database of a version before 0.2.0 is refused, with instructions", async () => {
  const old = await createTestDatabase();
  const venue = openPostgres(old.options, "migrations");
  try {
    await venue`update schema_migrations set name = '0001_markets_assets.sql', checksum = 'old'`;
    const before = await schemaText(venue);
    const detail = /before 0\.2\.0.*export and verify it.*new folder \(DATA_DIR\)/;
    await assert.rejects(migrate(venue), { code: "migration", message: detail });
    await assert.rejects(checkMigrated(venue), { code: "migration", message: detail });
    assert.equal(await schemaText(venue), before, "the refused start must not change the database");
  } finally {
    await venue.end();
    await old.drop();
  }
});

test("the migrations create exactly the schema of the golden file", async () => {
  const golden = join(migrationsFolder(), "schema.sql");
  const text = await schemaText(sql);
  if (process.env["SNAP_UPDATE"] === "1") await writeFile(golden, text);
  assert.equal(
    text,
    await readFile(golden, "utf8"),
    "the schema differs from the golden file: SNAP_UPDATE=1 writes the file",
  );
});

test("migrating a second time changes nothing, and the server passes its check", async () => {
  assert.deepEqual(await migrate(sql), []);
  await checkMigrated(sql);
  assert.match(await checkServer(sql), /^\d+\.\d+/);
});

test("OPS-3 a login without rights gets an error that names the missing right", async () => {
  const login = `poor_${process.pid}`;
  await sql.unsafe(`create role ${login} login password 'poor'`);
  assert.ok(!("url" in database.options));
  const poor = openPostgres({ ...database.options, user: login, password: "poor" }, "queries");
  try {
    await assert.rejects(checkServer(poor), {
      code: "unfit",
      message: new RegExp(`no right to create tables: GRANT CREATE ON SCHEMA public TO "${login}"`),
    });
    const byUrl = openPostgres({ url: database.url }, "queries");
    await checkServer(byUrl);
    await byUrl.end();
  } finally {
    await poor.end();
    await sql.unsafe(`drop role ${login}`);
  }
});

test("OPS-10 a changed migration that databases have applied is refused and named", async () => {
  await freshCopy();
  await writeFile(join(folder, "0001_baseline.sql"), "select 1;");
  await assert.rejects(migrate(sql, folder), /0001_baseline\.sql was changed/);
  await assert.rejects(checkMigrated(sql, folder), /0001_baseline\.sql was changed/);
});

test("a missing migration that the database has applied is refused and named", async () => {
  const own = await createTestDatabase();
  const venue = openPostgres(own.options, "migrations");
  try {
    const next = await freshCopy();
    const [added, last] = [nameOf(next, "added"), nameOf(next + 1, "last")];
    for (const name of [added, last]) await writeFile(join(folder, name), "select 1;");
    assert.deepEqual(await migrate(venue, folder), [added, last]);
    await rm(join(folder, last));
    await assert.rejects(migrate(venue, folder), (error: Error) => error.message.includes(last));
    await writeFile(join(folder, last), "select 1;");
    await rm(join(folder, added));
    await assert.rejects(migrate(venue, folder), new RegExp(`expected number ${next}`));
  } finally {
    await venue.end();
    await own.drop();
  }
});

test("a migration that fails changes nothing, and a migration that is not applied yet is named", async () => {
  const name = nameOf(await freshCopy(), "broken");
  await writeFile(join(folder, name), "create table half (); select 1 / 0;");
  await assert.rejects(migrate(sql, folder), (error: Error) => error.message.startsWith(name));
  const [half] = await sql`select to_regclass('half') as found`;
  assert.equal(half?.["found"], null);
  await assert.rejects(checkMigrated(sql, folder), new RegExp(`${name} is not applied`));
});

test("a connection lost during a migration is an error, and the next start migrates", async () => {
  const cut = join(folder, nameOf(await freshCopy(), "cut"));
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

test("two simultaneous starts migrate an empty database once", async () => {
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

test("markets and margin tiers have the figures of the specification", async () => {
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
  // One whole unit of the base asset at a price of one USDC is worth 1,000,000 minor units, because USDC has six
  // decimals.
  for (const row of markets)
    assert.equal(Number(row["quote_units"]), 1_000_000, String(row["symbol"]));
  const tiers = await sql`
    select maintenance_ppm from margin_tiers join markets using (market)
    where symbol = 'CC-PERP' order by tier`;
  assert.deepEqual(
    tiers.map((row) => row["maintenance_ppm"]),
    [5_000, 6_250, 12_500, 31_250, 62_500],
  );
});
