// The keys of statements of liabilities. Each opens what is below it and nothing beside it:
//
//   nonce key ─▶ liability key ─▶ epoch key (an auditor's) ─▶ account key (a member's)

import { createHmac } from "node:crypto";

const purpose = "liabilities";

function bigEndian(value: number, bytes: 4 | 8): Uint8Array {
  const made = Buffer.alloc(bytes);
  if (bytes === 8) made.writeBigUInt64BE(BigInt(value));
  else made.writeUInt32BE(value);
  return made;
}

function hmac(key: Uint8Array, message: Uint8Array | string): Uint8Array {
  return createHmac("sha256", key).update(message).digest();
}

/** The key that opens every leaf of one epoch's statement: 32 bytes. Spec LIA-7. */
export function epochKeyOf(nonceKey: Uint8Array, epoch: number): Uint8Array {
  return hmac(hmac(nonceKey, purpose), bigEndian(epoch, 8));
}

/** The key that opens the leaves of one account in that statement: 32 bytes. Spec LIA-7. */
export function accountKeyOf(epochKey: Uint8Array, account: number): Uint8Array {
  return hmac(epochKey, bigEndian(account, 4));
}
