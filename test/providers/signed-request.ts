// Requests that a provider signs, over real sockets, with ways to sign them wrongly.

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
  /** With a query where there is one; the query is not signed. */
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
  readonly nowMs?: number;
  /** Changes the headers after they were made. */
  readonly change?: (headers: SignatureHeaders) => Partial<SignatureHeaders>;
  /** Sent instead of what was signed. */
  readonly sentBody?: string;
}

/** Signs a request with `key` and sends it. */
export async function sendSigned(
  base: string,
  { key, keyId }: ProviderKey,
  ask: SignedRequest,
): Promise<NativeAnswer> {
  const body = ask.body === undefined ? "" : JSON.stringify(ask.body);
  const [path = ""] = ask.path.split("?");
  const made = signMessage(
    { method: ask.method, authority: new URL(base).host, path, body },
    {
      keyId,
      key,
      idempotencyKey: ask.idempotencyKey ?? randomBytes(8).toString("hex"),
      nonce: randomBytes(16),
      nowMs: ask.nowMs ?? Date.now(),
    },
  );
  const sent = ask.sentBody ?? body;
  const response = await fetch(base + ask.path, {
    method: ask.method,
    headers: { ...made, ...ask.change?.(made), "content-type": "application/json" },
    ...(sent !== "" && { body: sent }),
  });
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  const json = type.startsWith("application/json") && text !== "" ? JSON.parse(text) : null;
  return { status: response.status, type, text, json };
}
