// The secrets that the venue and its embedded ledger share: generated once and stored in a file of the data folder
// that only its owner can read. An invalid file stops the start.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Entropy } from "../../ports/entropy.ts";

export interface LedgerSecrets {
  /** Key with which the venue's tokens are signed. */
  readonly api: string;
  /** Token of the admin API (faults and faucet). */
  readonly admin: string;
  /** Password of the ledger's database login. */
  readonly database: string;
}

const names = ["api", "admin", "database"] as const;
const secretBytes = 32;
const ownerOnly = 0o600;

/** Returns the secrets in `folder`; generates them if they are missing. */
export async function ledgerSecretsOf(folder: string, entropy: Entropy): Promise<LedgerSecrets> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "secrets.json");
  const made = Object.fromEntries(
    names.map((name) => [name, Buffer.from(entropy.bytes(secretBytes)).toString("hex")]),
  );
  try {
    // Fails if the file exists, which is then used instead: two concurrent starts must use the same secrets.
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
