// Locks a part of the database of a venue under test for a while: the journal, as a hanging database would, or single rows.

import { openPostgres } from "../../../src/adapters/postgres/connection.ts";
import type { TestDatabase } from "../database/postgres.ts";

type During = (release: () => Promise<void>) => Promise<void>;

/** Withholds the journal's commits until `during` ends or calls its argument. */
export function withHeldJournal(
  database: Pick<TestDatabase, "options">,
  during: During,
): Promise<void> {
  return withLock(database, "lock table journal in access exclusive mode", during);
}

/** Keeps what `statement` locks until `during` ends or calls its argument. */
export async function withLock(
  database: Pick<TestDatabase, "options">,
  statement: string,
  during: During,
): Promise<void> {
  // As migrations do, it waits for a slow commit that holds the lock.
  const sql = openPostgres(database.options, "migrations");
  let letGo: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let isLocked: () => void = () => {};
  const locked = new Promise<void>((resolve) => {
    isLocked = resolve;
  });
  const holding = sql.begin(async (session) => {
    await session.unsafe(statement);
    isLocked();
    await held;
  });
  const release = async () => {
    letGo();
    await holding;
  };
  try {
    await Promise.race([locked, holding]);
    await during(release);
  } finally {
    await release();
    await sql.end();
  }
}
