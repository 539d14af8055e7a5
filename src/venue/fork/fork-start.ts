// A fork is started with --rewind only, and without a ledger: its balances say the same as its parent's, and nothing that it
// does may be taken for the parent's.

import { readForkOrigin } from "../../adapters/postgres/queries/journal/fork-origin.ts";
import type { Sql } from "../../adapters/postgres/sql.ts";
import { type Config, ConfigError } from "../config/config.ts";

/** Throws a ConfigError if the database is a fork's and must not be started like this. Specification: REW-82. */
export async function checkForkStart(
  sql: Sql,
  { isRewind, ledger }: Pick<Config, "isRewind" | "ledger">,
): Promise<void> {
  const origin = await readForkOrigin(sql);
  if (origin === null) return;
  const what = `this venue is a fork of ${origin.parent}, made after its event ${origin.seq}`;
  if (!isRewind)
    throw new ConfigError([
      `start: expected --rewind: ${what}, and is for tests: it must never be taken for the venue from which it was made`,
    ]);
  if (ledger.profile !== "none")
    throw new ConfigError([
      `LEDGER_PROFILE=${ledger.profile}: expected none: ${what}, whose coins are on the ledger of that venue`,
    ]);
}
