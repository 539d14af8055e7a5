// Requests signed by a provider, over real sockets, with options to sign them wrongly.

import { randomBytes } from "node:crypto";
import { type SignatureHeaders, signMessage } from "../../src/services/access/message-signature.ts";
import { signingKeyId, signingKeyOf } from "../../src/services/access/venue-signer.ts";
import type { NativeAnswer } from "../support/client/native-client.ts";

/** A key with its public half and its id. */
export type ProviderKey = ReturnType<typeof newProviderKey>;

export function newProviderKey() {
  const { key, publicKey } = signingKeyOf(randomBytes(32));
  return { key, publicKey, keyId: signingKeyId(publicKey) };
}

export interface SignedRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** May include a query; the query is not signed. */
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
  readonly nowMs?: number;
  /** Changes the headers after signing. */
  readonly change?: (headers: SignatureHeaders) => Partial<SignatureHeaders>;
  /** Sent instead of the signed body. */
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
