// A trader's wallet: one Ed25519 key in a PKCS #8 file, in the format that openssl writes. The file is all that is
// needed to use the account at the venue and the party on the ledger.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

const ownerOnly = 0o600;
const ownerOnlyFolder = 0o700;
const keyBytes = 32;

export interface WalletKey {
  readonly key: KeyObject;
  /** Public key in standard base64. */
  readonly publicKey: string;
  readonly isNew: boolean;
}

/**
 * Returns the key in the file at `path`. If the file is missing, generates it and its folder; throws for invalid
 * content.
 */
export async function walletKeyIn(path: string): Promise<WalletKey> {
  const made = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
  const isNew = await created(path, made).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw new Error(`cannot create a key at ${path}: ${String(error)}`);
  });
  const key = keyOf(await readFile(path, "utf8"));
  if (key?.asymmetricKeyType !== "ed25519")
    throw new Error(`${path} holds no Ed25519 key: 'openssl genpkey -algorithm ed25519' makes one`);
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return { key, isNew, publicKey: spki.subarray(-keyBytes).toString("base64") };
}

async function created(path: string, pem: string | Buffer): Promise<true> {
  await mkdir(dirname(path), { recursive: true, mode: ownerOnlyFolder });
  await writeFile(path, pem, { mode: ownerOnly, flag: "wx" });
  return true;
}

function keyOf(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}
