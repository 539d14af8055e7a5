// The keys that encrypt stored secrets. The operator passes them, or the venue generates one and stores it in the data
// folder. The file is readable by its owner only, with one key per line, the newest first. Without the keys no stored
// HMAC key can be decrypted, so the venue never replaces a master key silently: a file without valid keys stops the
// start.

import { chmod, lstat, open, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Entropy } from "../../ports/entropy.ts";
import type { Config } from "../config/config.ts";

const fileName = "master.key";
const keyBytes = 32;
const ownerOnly = 0o600;
/** Maximum number of keys in a file: a rotation has two, and a restored file may have more. */
const keysMax = 16;

export type MasterKeySettings = Pick<Config, "dataDir" | "masterKey" | "masterKeysEarlier">;

/** Whether the data folder has a key file. */
export async function hasMasterKey(dataDir: string): Promise<boolean> {
  return (await lstat(join(dataDir, fileName)).catch(() => null)) !== null;
}

/**
 * Returns all available keys, each of 64 hexadecimal digits: MASTER_KEY if given, then the keys in the data folder,
 * then the earlier keys that were passed. With neither MASTER_KEY nor a key file, generates a key, but only if the
 * database has no encrypted secrets, because a new key could not decrypt them.
 */
export async function masterKeysOf(
  settings: MasterKeySettings,
  entropy: Entropy,
  isSealed: () => Promise<boolean>,
): Promise<string[]> {
  const { dataDir, masterKey, masterKeysEarlier } = settings;
  if (masterKey === null && !(await hasMasterKey(dataDir))) {
    if (await isSealed()) throw missingKey(dataDir);
    await makeIfAbsent(dataDir, entropy);
  }
  const stored = await storedMasterKeys(dataDir);
  return [...(masterKey === null ? [] : [masterKey]), ...stored, ...masterKeysEarlier];
}

/** Returns the error for a missing key file. */
export function missingKey(dataDir: string): Error {
  const path = join(dataDir, fileName);
  return new Error(
    `${path} is missing, and this venue's secrets are encrypted with the key in it: ` +
      "restore the file from your backup, or pass the key in MASTER_KEY; nothing was changed",
  );
}

/** Returns the keys in the data folder, newest first; throws if the file is invalid. */
export async function storedMasterKeys(dataDir: string): Promise<string[]> {
  const path = join(dataDir, fileName);
  if (!(await hasMasterKey(dataDir))) return [];
  const lines = (await readFile(path, "utf8")).trim().split(/\s*\n\s*/);
  if (lines.length > keysMax || !lines.every((line) => /^[0-9a-f]{64}$/i.test(line))) {
    throw new Error(
      `${path} does not hold a master key: expected 64 hexadecimal digits, one key per line`,
    );
  }
  if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, ownerOnly);
  return lines.map((line) => line.toLowerCase());
}

/** Stores exactly these keys, newest first. Atomic: after a crash the file has the new or the old content. */
export async function keepMasterKeys(dataDir: string, keys: readonly string[]): Promise<void> {
  const path = join(dataDir, fileName);
  const unfinished = `${path}.new`;
  await writeFile(unfinished, `${keys.join("\n")}\n`, { mode: ownerOnly, flush: true });
  await rename(unfinished, path);
  // The directory entry must be durable before anything is encrypted with a key that only this file has.
  const folder = await open(dataDir);
  await folder.sync().finally(() => folder.close());
}

/** Returns 64 random hexadecimal digits. */
export function newMasterKey(entropy: Entropy): string {
  return Buffer.from(entropy.bytes(keyBytes)).toString("hex");
}

async function makeIfAbsent(dataDir: string, entropy: Entropy): Promise<void> {
  try {
    // Fails if the file exists, which is then used instead: two concurrent starts must use the same key.
    await writeFile(join(dataDir, fileName), `${newMasterKey(entropy)}\n`, {
      mode: ownerOnly,
      flag: "wx",
      flush: true,
    });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
