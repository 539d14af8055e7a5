// Sends requests signed by a provider over real sockets, with options to sign them incorrectly.

import { randomBytes } from "node:crypto";
import { type SignatureHeaders, signMessage } from "../../src/services/access/message-signature.ts";
import { signingKeyId, signingKeyOf } from "../../src/services/access/venue-signer.ts";
import type { NativeAnswer } from "../support/client/native-client.ts";

/** A private key with its public key and its id. */
export type ProviderKey = ReturnType<typeof newProviderKey>;

export function newProviderKey() {
  const { key, publicKey } = signingKeyOf(randomBytes(32));
  return { key, publicKey, keyId: signingKeyId(publicKey) };
}

export interface SignedRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path of the request; a query may follow, which is not signed. */
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
  readonly nowMs?: number;
  /** Returns headers that replace the signed ones. */
  readonly change?: (headers: SignatureHeaders) => Partial<SignatureHeaders>;
  /** Body to send instead of the signed one. */
  readonly sentBody?: string;
}

/** Signs a request with `key` and sends it. */
export async function sendSigned(
  base: string,
  { key, keyId }: ProviderKey,
  request: SignedRequest,
): Promise<NativeAnswer> {
  const body = request.body === undefined ? "" : JSON.stringify(request.body);
  const [path = ""] = request.path.split("?");
  const made = signMessage(
    { method: request.method, authority: new URL(base).host, path, body },
    {
      keyId,
      key,
      idempotencyKey: request.idempotencyKey ?? randomBytes(8).toString("hex"),
      nonce: randomBytes(16),
      nowMs: request.nowMs ?? Date.now(),
    },
  );
  const sent = request.sentBody ?? body;
  const response = await fetch(base + request.path, {
    method: request.method,
    headers: { ...made, ...request.change?.(made), "content-type": "application/json" },
    ...(sent !== "" && { body: sent }),
  });
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  const json = type.startsWith("application/json") && text !== "" ? JSON.parse(text) : null;
  return { status: response.status, type, text, json };
}
