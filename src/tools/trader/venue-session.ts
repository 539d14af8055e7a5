// A trader's session at a venue's public API, opened with the wallet's key.

import { sign } from "node:crypto";
import { isLoginText } from "../../services/access/login-text.ts";
import { signingKeyId } from "../../services/access/venue-signer.ts";
import type { WalletKey } from "./wallet-key.ts";

/** Timeout in ms: longer than any route of the native API may take. */
const timeoutMs = 40_000;

/** Reports that the venue refused a request; has the venue's message. */
export class VenueRefusal extends Error {
  override name = "VenueRefusal";
  readonly status: number;

  constructor(status: number, path: string, message: string) {
    super(`the venue refuses ${path}: ${status} ${message}`);
    this.status = status;
  }
}

export class VenueSession {
  readonly venue: string;
  readonly party: string;
  readonly #token: string;

  private constructor(venue: string, party: string, token: string) {
    this.venue = venue;
    this.party = party;
    this.#token = token;
  }

  /** Logs in; the first login creates the account. */
  static async open(venue: string, { key, publicKey }: WalletKey): Promise<VenueSession> {
    const challenge = await request<{ nonce: string; message: string }>(
      venue,
      "/v1/wallet/challenge",
      {
        body: { public_key: publicKey },
      },
    );
    const { nonce, message } = challenge;
    const { host } = new URL(venue);
    if (!isLoginText(message, nonce, host)) {
      const why = `is not the text of a login at ${host}`;
      throw new Error(`the text to sign from ${venue} ${why}: nothing was signed`);
    }
    const signature = sign(null, Buffer.from(message), key).toString("base64");
    const body = { public_key: publicKey, nonce, signature };
    const opened = await request<{ token: string; party_id: string }>(venue, "/v1/wallet/verify", {
      body,
    });
    const { party_id: party, token } = opened;
    // The party decides whose holdings are locked, so it must belong to the wallet's key and be in the signed text.
    const isOwn = party.endsWith(`::${signingKeyId(publicKey)}`);
    if (!isOwn || !message.split("\n").includes(`Party: ${party}`)) {
      throw new Error(
        `${venue} assigns party ${party} to this wallet, which is not the party in the signed text`,
      );
    }
    return new VenueSession(venue, party, token);
  }

  /** Returns the answer to a GET; throws a VenueRefusal for an error status. */
  get<T>(path: string): Promise<T> {
    return request(this.venue, path, { token: this.#token });
  }

  post<T>(path: string, body: object = {}): Promise<T> {
    return request(this.venue, path, { token: this.#token, body });
  }
}

async function request<T>(
  venue: string,
  path: string,
  { token, body }: { readonly token?: string; readonly body?: object },
): Promise<T> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (token !== undefined) headers["authorization"] = `Bearer ${token}`;
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await fetch(venue + path, { headers, signal, ...sent }).catch((error: unknown) => {
    const { cause } = error as Error;
    const message = cause instanceof Error ? cause.message : String(error);
    throw new Error(`no venue answers at ${venue} (${message}): start one with 'rialto start'`);
  });
  const text = await answer.text();
  if (!answer.ok)
    throw new VenueRefusal(answer.status, path.split("?")[0] ?? path, messageOf(text));
  return JSON.parse(text) as T;
}

/** Returns the message of an error, which is plain text or, on some routes, JSON with one field. */
function messageOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === "string" ? error : text.slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}
