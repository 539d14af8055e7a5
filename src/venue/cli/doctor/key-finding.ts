// `doctor` on the master key: whether there is one, whether it is the one in use, and who else may read it. Keys
// are told apart by their checks; none is ever said.

import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { openPostgres } from "../../../adapters/postgres/connection.ts";
import { PostgresSealedRows } from "../../../adapters/postgres/queries/access/sealed-rows.ts";
import { callControl, controlSocketPath } from "../../../adapters/runtime/control-socket.ts";
import { masterKeyCheck } from "../../../services/access/secret-box.ts";
import type { Config } from "../../config/config.ts";
import { storedMasterKeys } from "../../keys/master-key.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

const check = "master key";

const shown = z.object({ versions: z.array(z.object({ check: z.string().nullable() })) });

/** What there is to say of the key that this program would be started with. */
export async function keyFinding(config: Config, isRunning: boolean): Promise<Finding> {
  const { dataDir, masterKey } = config;
  const path = join(dataDir, "master.key");
  if (((await stat(path).catch(() => null))?.mode ?? 0) & 0o077)
    return warning(check, `others may read ${path}`, `chmod 600 ${path}`);
  const stored = await storedMasterKeys(dataDir).catch((error: Error) => error);
  if (stored instanceof Error)
    return fault(check, stored.message, `put ${path} back from where it was kept`);
  const own = masterKey ?? stored[0];
  if (own === undefined) return absentFinding(dataDir, path);
  const inUse = await checkInUse(config, isRunning);
  if (inUse !== null && checkOf(own) !== inUse) return strangerFinding(config, path, stored, inUse);
  if (masterKey === null) {
    if (stored.length === 1) return ok(check, `kept in ${path}`);
    const found = `${stored.length} keys in ${path}: a rotation is under way`;
    return warning(check, found, "rialto master-key rotate ends it");
  }
  if (stored.length === 0 || stored.includes(masterKey)) return ok(check, "given in MASTER_KEY");
  return warning(
    check,
    `given in MASTER_KEY, and ${path} holds another one`,
    `keep ${path} with the backups of its time and remove it here: a start without MASTER_KEY would take it`,
  );
}

function absentFinding(dataDir: string, path: string): Finding {
  if (!existsSync(join(dataDir, "postgres"))) return ok(check, "made by the first start");
  const mend = `put ${path} back from where it was kept, or set MASTER_KEY: without it no secret opens`;
  return fault(check, `${path} is gone`, mend);
}

/** The key at hand is another than the one that seals. */
function strangerFinding(
  { masterKey }: Config,
  path: string,
  stored: readonly string[],
  inUse: string,
): Finding {
  const name = masterKey === null ? path : "MASTER_KEY";
  const found = `${name} is not the key in use (check ${inUse}): the venue does not start with it`;
  if (masterKey !== null && stored.some((key) => checkOf(key) === inUse))
    return fault(check, found, `unset MASTER_KEY: ${path} holds the key in use`);
  const mend = "set MASTER_KEY to the key it was changed to, as `rialto master-key rotate` said";
  return fault(check, found, mend);
}

function checkOf(key: string): string {
  return masterKeyCheck(Buffer.from(key, "hex"));
}

/** The check of the key that seals, where a venue or a database can be asked; null where none can. */
async function checkInUse(
  { dataDir, databaseUrl }: Config,
  isRunning: boolean,
): Promise<string | null> {
  if (isRunning) {
    const { result } = await callControl(controlSocketPath(dataDir), "master-key/show");
    const known = shown.safeParse(result);
    return known.success ? (known.data.versions.at(-1)?.check ?? null) : null;
  }
  if (databaseUrl === null) return null;
  const sql = openPostgres({ url: databaseUrl }, "queries");
  try {
    const versions = await new PostgresSealedRows(sql).versions();
    return versions.at(-1)?.check ?? null;
  } catch {
    // A server that cannot be asked is a finding of its own; one that was never migrated has no key.
    return null;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
