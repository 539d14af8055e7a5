// Idempotency keys as clearing knows them: hashes of the client's text, so that they are of one length
// whatever characters they have, and of what was asked.

import { createHash } from "node:crypto";
import { requestKeyLengthMax } from "../../../../core/limits.ts";
import type { RequestKey } from "../../../../core/request-keys.ts";

/** Control and format characters, halves of a character, and what is none. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Whether a text may be a key: 1 to 64 printable characters. */
export function isKeyText(text: string): boolean {
  const { length } = [...text];
  return length >= 1 && length <= requestKeyLengthMax && !unprintable.test(text);
}

/** The key of a request; `scope` keeps what different routes do apart, `payload` is what was asked. */
export function requestKeyOf(scope: string, text: string, payload: string): RequestKey {
  const key = createHash("sha256").update(`${scope}\n${text}`).digest();
  const asked = createHash("sha256").update(payload).digest();
  return {
    high: key.readBigInt64LE(0),
    low: key.readBigInt64LE(8),
    payload: asked.readBigInt64LE(0),
  };
}
