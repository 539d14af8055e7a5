// What the venue and its embedded ledger share: made once, kept in a file of the data folder that only
// its owner can read. A file that is not as it was written stops the start.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Entropy } from "../../ports/entropy.ts";

export interface LedgerSecrets {
  /** Signs the venue's tokens. */
  readonly api: string;
  /** Opens the API of faults and faucet. */
  readonly admin: string;
  /** Of the ledger's login to the database. */
  readonly database: string;
}

const names = ["api", "admin", "database"] as const;
const secretBytes = 32;
const ownerOnly = 0o600;

/** Those in `folder`, which are made if absent. */
export async function ledgerSecretsOf(folder: string, entropy: Entropy): Promise<LedgerSecrets> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "secrets.json");
  const made = Object.fromEntries(
    names.map((name) => [name, Buffer.from(entropy.bytes(secretBytes)).toString("hex")]),
  );
  try {
    // Fails if the file exists: two starts at once agree on the first one's.
    await writeFile(path, JSON.stringify(made), { mode: ownerOnly, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const kept = JSON.parse(await readFile(path, "utf8").catch(() => "{}")) as Partial<LedgerSecrets>;
  const { api, admin, database } = kept;
  if (api === undefined || admin === undefined || database === undefined)
    throw new Error(`${path} does not hold the ledger's secrets`);
  return { api, admin, database };
}
