// The keys that seal secrets at rest: given by the operator, or made once and kept in the data directory,
// readable by their owner alone, a key a line and the newest first. Losing them makes every HMAC key
// useless, so none is ever replaced silently: a file that does not hold keys stops the start.

import { chmod, lstat, open, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Entropy } from "../../ports/entropy.ts";
import type { Config } from "../config/config.ts";

const fileName = "master.key";
const keyBytes = 32;
const ownerOnly = 0o600;
/** A rotation has two at a time; somebody may have restored a few. */
const keysMax = 16;

export type MasterKeySettings = Pick<Config, "dataDir" | "masterKey" | "masterKeysEarlier">;

/** Whether keys are kept in the data directory. */
export async function hasMasterKey(dataDir: string): Promise<boolean> {
  return (await lstat(join(dataDir, fileName)).catch(() => null)) !== null;
}

/**
 * Every key at hand, 64 hexadecimal digits each: those given, then those in the data directory. Where there is
 * none at all one is made, but only for a database that nothing was sealed in yet: a made one would be wrong,
 * and would be in the way of the right one.
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

/** What to say where a venue's key is gone. */
export function missingKey(dataDir: string): Error {
  const path = join(dataDir, fileName);
  return new Error(
    `${path} is missing, and this venue's secrets are encrypted with the key in it: ` +
      "restore the file from your backup, or pass the key in MASTER_KEY; nothing was changed",
  );
}

/** The keys in the data directory, the newest first; throws if the file there holds something else. */
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

/** Keeps exactly these keys, the newest first: after a crash the file holds them or what it held. */
export async function keepMasterKeys(dataDir: string, keys: readonly string[]): Promise<void> {
  const path = join(dataDir, fileName);
  const unfinished = `${path}.new`;
  await writeFile(unfinished, `${keys.join("\n")}\n`, { mode: ownerOnly, flush: true });
  await rename(unfinished, path);
  // The name itself must be on disk before anything is sealed with a key that only this file has.
  const folder = await open(dataDir);
  await folder.sync().finally(() => folder.close());
}

/** 64 hexadecimal digits nobody can foresee. */
export function newMasterKey(entropy: Entropy): string {
  return Buffer.from(entropy.bytes(keyBytes)).toString("hex");
}

async function makeIfAbsent(dataDir: string, entropy: Entropy): Promise<void> {
  try {
    // Fails if the file exists: two starts at once agree on the first one's key.
    await writeFile(join(dataDir, fileName), `${newMasterKey(entropy)}\n`, {
      mode: ownerOnly,
      flag: "wx",
      flush: true,
    });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
