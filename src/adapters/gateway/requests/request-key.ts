// The idempotency keys of requests, as clearing remembers them.

import { createHash } from "node:crypto";
import type { RequestKey } from "../../../core/request-keys.ts";

/** The idempotency key of a request; `scope` separates routes, `payload` identifies the content. */
export function requestKeyOf(scope: string, text: string, payload: string): RequestKey {
  const key = createHash("sha256").update(`${scope}\n${text}`).digest();
  const payloadHash = createHash("sha256").update(payload).digest();
  return {
    high: key.readBigInt64LE(0),
    low: key.readBigInt64LE(8),
    payload: payloadHash.readBigInt64LE(0),
  };
}
