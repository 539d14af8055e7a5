// Creates a venue with a long history. The venue is started once to create tables and keys and then stopped. After
// that, its database is filled with the journal that orders would have written, and with a snapshot.

import { startEmbeddedPostgres } from "../../src/adapters/postgres/server/embedded-postgres.ts";
import { createLoadKeys } from "../../src/tools/load/load-accounts.ts";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import type { Bench } from "../report/row.ts";
import { type FillTarget, fillJournal } from "./journal-filler.ts";

export interface FilledVenue {
  readonly dataDir: string;
  readonly keys: readonly LoadKey[];
  readonly seq: number;
}

/**
 * Returns a cleanly stopped venue with `keyCount` keys and the contents of `target`; `settings` are those of its first
 * start, for what cannot be changed later.
 */
export async function fillVenue(
  { stage, say }: Bench,
  keyCount: number,
  target: FillTarget,
  settings: Readonly<Record<string, string>> = {},
): Promise<FilledVenue> {
  const dataDir = await stage.folder();
  const venue = await stage.startVenue(dataDir, settings);
  const keys = await createLoadKeys(dataDir, keyCount);
  await venue.stop();
  say("filling the journal");
  const server = await startEmbeddedPostgres({ dataDir, holderFile: null, log: say });
  const { connection } = server;
  const seq = await fillJournal({ connection, ...target, endsInOrder: true, say });
  await server.stop("fast");
  return { dataDir, keys, seq };
}
