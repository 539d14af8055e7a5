// A new Ed25519 key, as an API key needs it.

import { generateKeyPairSync, type KeyObject } from "node:crypto";

export interface Ed25519Key {
  readonly privateKey: KeyObject;
  /** The 32 bytes of the public key in base64. */
  readonly publicKey: string;
}

export function newEd25519Key(): Ed25519Key {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const der = publicKey.export({ format: "der", type: "spki" });
  return { privateKey, publicKey: der.subarray(-32).toString("base64") };
}
