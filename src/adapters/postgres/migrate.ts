// Migrates a database to this program's schema. The numbered files of sql/ are applied in order, each in its own
// transaction, and recorded with their checksums. If an applied file was changed or is missing, migrating stops,
// because the database does not have the reviewed schema.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Sql } from "./connection.ts";
import { PostgresFault } from "./postgres-fault.ts";

/** A migration, read from its file. */
export interface Migration {
  readonly version: number;
  /** File name, such as `0001_baseline.sql`. */
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the file's bytes in hex. */
  readonly checksum: string;
}

interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

// Number of the migrations' advisory lock, which differs from the venue's other advisory locks.
const migrationLock = 0x5249_4d49;

/** Name that the first migration file had before all files were merged into the baseline. */
const firstBeforeBaseline = "0001_markets_assets.sql";

/** Returns the folder `sql` of this package, whether the program runs from source or from dist. */
export function migrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!(existsSync(join(folder, "package.json")) && existsSync(join(folder, "sql")))) {
    const parent = dirname(folder);
    if (parent === folder) throw new PostgresFault("migration", "the folder sql/ is not installed");
    folder = parent;
  }
  return join(folder, "sql");
}

/** Returns the migrations in `folder` in order; refuses gaps and duplicate numbers. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name));
  const migrations: Migration[] = [];
  for (const name of names.sort()) {
    const version = Number(name.slice(0, 4));
    if (version !== migrations.length + 1)
      throw new PostgresFault("migration", `${name}: expected number ${migrations.length + 1}`);
    const text = await readFile(join(folder, name), "utf8");
    const checksum = createHash("sha256").update(text).digest("hex");
    migrations.push({ version, name, text, checksum });
  }
  return migrations;
}

/**
 * Applies missing migrations and returns the names of those applied now. Safe for two concurrent starts: each file's
 * transaction takes a lock and checks again. Throws a PostgresFault with the file's name if an applied file was
 * changed, is missing, or belongs to a newer program.
 */
export async function migrate(sql: Sql, folder: string = migrationsFolder()): Promise<string[]> {
  const migrations = await readMigrations(folder);
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${migrationLock})`;
    await tx`
      create table if not exists schema_migrations (
        version integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`;
  });
  const appliedNow: string[] = [];
  for (const migration of migrations) {
    if (await applyOne(sql, migrations, migration)) appliedNow.push(migration.name);
  }
  // Check again here, because the loop above checks nothing if there are no migrations.
  checkApplied(migrations, await readApplied(sql));
  return appliedNow;
}

/** Throws a PostgresFault unless the database has exactly the schema of this program. */
export async function checkMigrated(sql: Sql, folder: string = migrationsFolder()): Promise<void> {
  const missing = await firstMissing(sql, folder);
  if (missing !== null)
    throw new PostgresFault("migration", `${missing} is not applied: run rialto migrate`);
}

/** Returns the name of the first migration that is not applied, or null; otherwise throws like `migrate`. */
export async function firstMissing(
  sql: Sql,
  folder: string = migrationsFolder(),
): Promise<string | null> {
  const migrations = await readMigrations(folder);
  const [table] = await sql<{ found: boolean }[]>`
    select to_regclass('schema_migrations') is not null as found`;
  const applied = table?.found ? await readApplied(sql) : [];
  checkApplied(migrations, applied);
  return migrations[applied.length]?.name ?? null;
}

async function applyOne(
  sql: Sql,
  migrations: readonly Migration[],
  migration: Migration,
): Promise<boolean> {
  return sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${migrationLock})`;
    const applied = await tx<AppliedMigration[]>`
      select version, name, checksum from schema_migrations order by version`;
    checkApplied(migrations, applied);
    if (applied.length >= migration.version) return false;
    try {
      await tx.unsafe(migration.text);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new PostgresFault("migration", `${migration.name}: ${message}`, { cause });
    }
    await tx`
      insert into schema_migrations (version, name, checksum)
      values (${migration.version}, ${migration.name}, ${migration.checksum})`;
    return true;
  });
}

async function readApplied(sql: Sql): Promise<readonly AppliedMigration[]> {
  return sql<AppliedMigration[]>`
    select version, name, checksum from schema_migrations order by version`;
}

function checkApplied(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): void {
  for (const [index, row] of applied.entries()) {
    const migration = migrations[index];
    if (index === 0 && row.name === firstBeforeBaseline) {
      throw new PostgresFault(
        "migration",
        "this database holds a venue of a version before 0.2.0, which this program cannot migrate: use that version to read, export and verify it, and start this one on a new folder (DATA_DIR) or an empty database (DATABASE_URL)",
      );
    }
    if (migration === undefined || migration.name !== row.name) {
      throw new PostgresFault(
        "migration",
        `${row.name} was applied to this database but is not part of this program`,
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new PostgresFault(
        "migration",
        `${row.name} was changed after it had been applied: restore the file and add a new one`,
      );
    }
  }
}
