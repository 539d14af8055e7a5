// The key all nonces derive from, made from the master key, so that an operator has one secret to keep.
// Whoever has it could open every leaf; without it a rebuild of an epoch gives other leaves.

import { createHash, createHmac } from "node:crypto";

const purpose = "rialto epoch nonces, version 1";

/** The nonce key under a master key of 64 hexadecimal digits: 32 bytes. */
export function nonceKeyOf(masterKey: string): Uint8Array {
  return createHmac("sha256", Buffer.from(masterKey, "hex")).update(purpose).digest();
}

/** Sixteen hexadecimal digits that tell one nonce key from another and lead back to none. */
export function nonceKeyCheck(nonceKey: Uint8Array): string {
  return createHash("sha256").update(nonceKey).digest("hex").slice(0, 16);
}
