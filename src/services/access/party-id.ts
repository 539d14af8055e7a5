// Party ids of wallets: a readable hint and the fingerprint of the wallet's key, by the ledger network's
// rule. The fingerprint identifies the party; the hint is for people. Spec SES-3.

import { createHash } from "node:crypto";

/** Purpose of a public key in the network's hash rule, as four bytes. */
const publicKeyPurpose = Buffer.from([0, 0, 0, 12]);

/** Multihash prefix: SHA-256, 32 bytes. */
const multihash = "1220";

const hintForm = /^[A-Za-z0-9_-]{1,64}$/;

/** The hint for a wallet that sends none. */
export const standardHint = "user";

/** Whether `text` may be the readable part of a party id: 1–64 letters, digits, `_` and `-`. */
export function isPartyHint(text: string): boolean {
  return hintForm.test(text);
}

/** The fingerprint in hex of a public key in standard base64. */
export function fingerprintOf(publicKey: string): string {
  const key = Buffer.from(publicKey, "base64");
  return createHash("sha256").update(publicKeyPurpose).update(key).digest("hex");
}

/** The full party id. */
export function partyIdOf(hint: string, fingerprint: string): string {
  return `${hint}::${multihash}${fingerprint}`;
}
