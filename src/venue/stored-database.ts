// Opens the database of a data folder for one command, whether a venue runs there or not. If none runs, the command holds the
// folder, and starts and stops an embedded server itself.

import { controlSocketPath, isAnswered } from "../adapters/runtime/control-socket.ts";
import type { Log } from "../ports/log.ts";
import type { Config } from "./config/config.ts";
import { openDatabase, type VenueDatabase } from "./database.ts";
import { commandTurn } from "./folder-turn.ts";
import { checkStarted } from "./verification/offline-venue.ts";

export interface StoredDatabase extends VenueDatabase {
  /** Whether a venue runs on the database. */
  readonly isServed: boolean;
}

/** Opens the database; throws if no venue was ever started in the folder. `close` also releases the folder. */
export async function openStoredDatabase(
  config: Config,
  log: Log,
  { isReadOnly = false } = {},
): Promise<StoredDatabase> {
  const { databaseUrl, synchronousWaitMs, dataDir } = config;
  if (!(await isAnswered(controlSocketPath(dataDir)))) await checkStarted(config);
  const folder = await commandTurn(dataDir);
  const ownsFolder = folder !== null;
  const release = async () => {
    await folder?.release();
  };
  try {
    const options = { databaseUrl, synchronousWaitMs, dataDir, log, ownsFolder, isReadOnly };
    const database = await openDatabase(options);
    const close = async () => {
      try {
        await database.close();
      } finally {
        await release();
      }
    };
    return { ...database, isServed: !ownsFolder, close };
  } catch (error) {
    await release();
    throw error;
  }
}
