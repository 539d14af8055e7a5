// NKeys, by which NATS knows its users, made by the script that operators use.

import { execFile } from "node:child_process";
import { createPrivateKey, type KeyObject } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../tidy/tree.ts";

const run = promisify(execFile);

export interface Nkey {
  readonly publicKey: string;
  /** The secret, as a client's seed file contains it. */
  readonly seed: string;
}

/** Bytes of a seed before the key itself. */
const prefixBytes = 2;
const keyBytes = 32;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** PKCS #8 of an Ed25519 key, up to its 32 bytes. */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** Makes the key pair of a new user. */
export async function createUserNkey(): Promise<Nkey> {
  const { stdout } = await run(process.execPath, [
    join(projectRoot, "deploy/nats/create-nkey.mjs"),
  ]);
  const [, publicKey = "", seed = ""] = /^public key: (\w+)\nseed: (\w+)\n$/.exec(stdout) ?? [];
  return { publicKey, seed };
}

/** Returns the key that signs for the user. */
export function privateKeyOf({ seed }: Nkey): KeyObject {
  let bits = "";
  for (const letter of seed) bits += alphabet.indexOf(letter).toString(2).padStart(5, "0");
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const key = Buffer.concat([pkcs8, bytes.subarray(prefixBytes, prefixBytes + keyBytes)]);
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}
