// `doctor` on the master key: whether it exists, is the key in use, and is unreadable for other users. Keys are
// compared by check values that are derived from them; the keys themselves are never printed.

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
/** The venue reads the key's check from its database, which may not answer. */
const patienceMs = 3_000;

const shown = z.object({ versions: z.array(z.object({ check: z.string().nullable() })) });

/** Checks the key that a start would use. */
export async function keyFinding(
  config: Config,
  isRunning: boolean,
  isGateway: boolean,
): Promise<Finding> {
  const { dataDir, masterKey } = config;
  const path = join(dataDir, "master.key");
  if (((await stat(path).catch(() => null))?.mode ?? 0) & 0o077)
    return warning(check, `other users can read ${path}`, `chmod 600 ${path}`);
  const stored = await storedMasterKeys(dataDir).catch((error: Error) => error);
  if (stored instanceof Error)
    return fault(check, stored.message, `restore ${path} from your backup`);
  const own = masterKey ?? stored[0];
  if (own === undefined) return absentFinding(dataDir, path, isGateway);
  const inUse = await checkInUse(config, isRunning);
  if (inUse !== null && checkOf(own) !== inUse)
    return waitingFinding(config, inUse, isGateway) ?? strangerFinding(config, path, stored, inUse);
  if (masterKey === null) {
    if (stored.length === 1) return ok(check, `stored in ${path}`);
    const found = `${stored.length} keys in ${path}: a rotation is in progress`;
    return warning(check, found, "run 'rialto master-key rotate' to finish it");
  }
  if (stored.length === 0 || stored.includes(masterKey)) return ok(check, "given in MASTER_KEY");
  return warning(
    check,
    `given in MASTER_KEY, but ${path} holds a different key`,
    `move ${path} to the backups it belongs to: a start without MASTER_KEY would use it`,
  );
}

function absentFinding(dataDir: string, path: string, isGateway: boolean): Finding {
  if (isGateway) return fault(check, "none is given", "set MASTER_KEY to the leader's master key");
  if (!existsSync(join(dataDir, "postgres"))) return ok(check, "created on the first start");
  const mend = `restore ${path} from your backup, or set MASTER_KEY: without the key no stored secret can be decrypted`;
  return fault(check, `${path} is missing`, mend);
}

/** Returns the finding for a process that was given the key of a coming rotation as well; null for any other. */
function waitingFinding(
  { masterKeysEarlier, lease }: Config,
  inUse: string,
  isGateway: boolean,
): Finding | null {
  const waits = isGateway || lease !== null;
  if (!(waits && masterKeysEarlier.some((key) => checkOf(key) === inUse))) return null;
  return warning(
    check,
    "MASTER_KEY is not in use yet, MASTER_KEY_EARLIER is",
    "run 'rialto master-key rotate' at the leader when all gateways and venues have both keys",
  );
}

/** Returns the finding for an available key that is not the key in use. */
function strangerFinding(
  { masterKey }: Config,
  path: string,
  stored: readonly string[],
  inUse: string,
): Finding {
  const name = masterKey === null ? path : "MASTER_KEY";
  const found = `${name} is not the key in use (check ${inUse}): the venue will not start with it`;
  if (masterKey !== null && stored.some((key) => checkOf(key) === inUse))
    return fault(check, found, `unset MASTER_KEY: ${path} holds the key in use`);
  const mend = "set MASTER_KEY to the key that 'rialto master-key rotate' introduced";
  return fault(check, found, mend);
}

function checkOf(key: string): string {
  return masterKeyCheck(Buffer.from(key, "hex"));
}

/** Returns the check value of the key in use, from the running venue or the database; null if neither is available. */
async function checkInUse(
  { dataDir, databaseUrl }: Config,
  isRunning: boolean,
): Promise<string | null> {
  if (isRunning) {
    const signal = AbortSignal.timeout(patienceMs);
    const { result } = await callControl(
      controlSocketPath(dataDir),
      "master-key/show",
      {},
      signal,
    ).catch(() => ({ result: null }));
    const known = shown.safeParse(result);
    return known.success ? (known.data.versions.at(-1)?.check ?? null) : null;
  }
  if (databaseUrl === null) return null;
  const sql = openPostgres({ url: databaseUrl }, "queries");
  try {
    const versions = await new PostgresSealedRows(sql).versions();
    return versions.at(-1)?.check ?? null;
  } catch {
    // An unreachable server is a separate finding; a database that was never migrated has no key.
    return null;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
