// Sends one signed request of a trader, as a client would.

import { createHmac } from "node:crypto";

export interface SignedAnswer<Shape> {
  readonly status: number;
  readonly json: Shape;
  readonly headers: Headers;
}

export interface SignedRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | number>>;
}

/**
 * The parameters with the current time and their HMAC signature, as a query. The request may arrive a minute later, because
 * the machine may be busy, unless the parameters have another window.
 */
export function signedQuery(
  secret: string,
  parameters: Readonly<Record<string, string | number>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) query.append(name, String(value));
  if (!query.has("recvWindow")) query.append("recvWindow", "60000");
  query.append("timestamp", String(Date.now()));
  const text = query.toString();
  const signature = createHmac("sha256", secret).update(text).digest("hex");
  return `${text}&signature=${signature}`;
}

/** How long a request may wait, in ms, if a test says nothing else: on a busy machine the default of 5 s is not enough. */
const recvWindow = 60_000;

/**
 * Signs the request with the trader's HMAC key and the current time, and sends it. The caller gives the shape of the
 * answer.
 */
export async function signedFetch<Shape = unknown>(
  address: string,
  { key, secret }: { readonly key: string; readonly secret: string },
  { method, path, parameters }: SignedRequest,
): Promise<SignedAnswer<Shape>> {
  const headers = { "X-MBX-APIKEY": key };
  const url = `${address}${path}?${signedQuery(secret, { recvWindow, ...parameters })}`;
  const response = await fetch(url, { method, headers });
  const { status } = response;
  return { status, json: (await response.json()) as Shape, headers: response.headers };
}
