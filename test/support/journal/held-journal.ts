// Stops the journal of a venue under test for a while, as a hanging database would.

import { openPostgres } from "../../../src/adapters/postgres/connection.ts";
import type { TestDatabase } from "../database/postgres.ts";

/** Withholds the journal's commits until `during` ends or calls its argument. */
export async function withHeldJournal(
  database: Pick<TestDatabase, "options">,
  during: (release: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const sql = openPostgres(database.options, "queries");
  let letGo: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let isLocked: () => void = () => {};
  const locked = new Promise<void>((resolve) => {
    isLocked = resolve;
  });
  const holding = sql.begin(async (session) => {
    await session`lock table journal in access exclusive mode`;
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
