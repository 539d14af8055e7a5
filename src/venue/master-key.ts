// The key that seals API secrets at rest: given by the operator, or made once and kept in the data
// directory, readable by its owner alone. Losing it makes every HMAC key useless, so it is never
// replaced silently: a file that is not a key stops the start.

import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Entropy } from "../ports/entropy.ts";

const fileName = "master.key";
const keyBytes = 32;
const ownerOnly = 0o600;

/** Whether a key is kept in the data directory. */
export async function hasMasterKey(dataDir: string): Promise<boolean> {
  return (await stat(join(dataDir, fileName)).catch(() => null)) !== null;
}

/** 64 hexadecimal digits: `given`, or those in the data directory, which are made if absent. */
export async function masterKeyOf(
  dataDir: string,
  given: string | null,
  entropy: Entropy,
): Promise<string> {
  if (given !== null) return given;
  const path = join(dataDir, fileName);
  try {
    const made = Buffer.from(entropy.bytes(keyBytes)).toString("hex");
    // Fails if the file exists: two starts at once agree on the first one's key.
    await writeFile(path, `${made}\n`, { mode: ownerOnly, flag: "wx" });
    return made;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const kept = (await readFile(path, "utf8")).trim();
  if (!/^[0-9a-f]{64}$/i.test(kept)) {
    throw new Error(`${path} does not hold a master key: 64 hexadecimal digits are expected`);
  }
  if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, ownerOnly);
  return kept;
}
