// Which of the master keys at hand are this venue's. The store knows versions by their checks; the
// newest of them seals. A key that is at hand and not known yet belongs to a rotation that begins; one
// that is known and not at hand is named with the number of rows that cannot be opened without it.

import type { MasterKeyVersion, SealedStore } from "../../ports/access/sealed-store.ts";
import { type MasterKey, masterKeyCheck } from "./secret-box.ts";

export interface AdmittedKeys {
  /** The one that seals first, then older ones; never empty. */
  readonly keys: readonly MasterKey[];
  /** Older versions that seal rows and are not at hand. */
  readonly missing: readonly MasterKeyVersion[];
}

/** The keys among `given` (32 bytes each); throws where the newest version is not among them. */
export async function admitKeys(
  store: SealedStore,
  given: readonly Uint8Array[],
): Promise<AdmittedKeys> {
  const versions = await store.versions();
  const newest = versions.at(-1);
  if (newest === undefined) throw new Error("the database knows no version of the master key");
  const keys: MasterKey[] = [];
  const missing: MasterKeyVersion[] = [];
  for (const known of [...versions].reverse()) {
    const { version, check, rows } = known;
    const key = given.find((one) => masterKeyCheck(one) === check);
    if (key !== undefined) keys.push({ version, key });
    else if (known === newest) throw new Error(wordsOfWrongKey(newest));
    else if (rows > 0) missing.push(known);
  }
  return { keys, missing };
}

function wordsOfWrongKey({ version, check }: MasterKeyVersion): string {
  return (
    "MASTER_KEY, or master.key in DATA_DIR, is not the key under which this venue's secrets are sealed" +
    ` (version ${version}, check ${check}): give that key, or restore the file`
  );
}
