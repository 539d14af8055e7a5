// The key from which the nonces of all leaves are derived. It is itself derived from the master key, so that an
// operator has only one secret to keep. Rebuilding an epoch with another nonce key gives different leaves.

import { createHash, createHmac } from "node:crypto";

const purpose = "rialto epoch nonces, version 1";

/** The nonce key of a master key of 64 hexadecimal digits: 32 bytes. */
export function nonceKeyOf(masterKey: string): Uint8Array {
  return createHmac("sha256", Buffer.from(masterKey, "hex")).update(purpose).digest();
}

/** Sixteen hexadecimal digits that identify a nonce key without revealing it. */
export function nonceKeyCheck(nonceKey: Uint8Array): string {
  return createHash("sha256").update(nonceKey).digest("hex").slice(0, 16);
}
