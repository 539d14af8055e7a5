// Access tokens for the participant: minted from a shared secret on development networks, otherwise fetched
// from an identity provider with client credentials. A token is used until shortly before it expires, and
// discarded if the participant refuses it. Secrets are never logged.

import { createHmac } from "node:crypto";
import type { TokenSource } from "../../ports/ledger/ledger-endpoint.ts";

export interface AccessTokens {
  /** A valid token. */
  token(): Promise<string>;
  /** Discards a refused token: the next call fetches a new one. */
  renew(): void;
}

/** Scope of the Ledger API in tokens without an audience. */
const ledgerScope = "daml_ledger_api";

/** A token is replaced this long before it expires, so that none expires during a request. */
const spareMs = 30_000;
const mintedLifeMs = 600_000;
const fetchTimeoutMs = 10_000;

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

/** A JWT signed with HMAC-SHA256 for `userId`, ending at `expiresMs`. */
export function mintToken(secret: string, userId: string, expiresMs: number): string {
  const head = encoded({ alg: "HS256", typ: "JWT" });
  const body = encoded({ sub: userId, scope: ledgerScope, exp: Math.floor(expiresMs / 1000) });
  const signature = createHmac("sha256", secret).update(`${head}.${body}`).digest("base64url");
  return `${head}.${body}.${signature}`;
}

/** Tokens for `userId` from `source`; `now` is the time in ms used for their validity. */
export function accessTokens(source: TokenSource, userId: string, now: () => number): AccessTokens {
  if (source.kind === "minted") return mintedTokens(source.secret, userId, now);
  if (source.kind === "given") return givenToken(source.token);
  return credentialTokens(source, now);
}

/** Tokens minted from a secret shared with the ledger. */
function mintedTokens(secret: string, userId: string, now: () => number): AccessTokens {
  let held = { text: "", expiresMs: 0 };
  return {
    async token() {
      if (held.expiresMs - spareMs < now()) {
        const expiresMs = now() + mintedLifeMs;
        held = { text: mintToken(secret, userId, expiresMs), expiresMs };
      }
      return held.text;
    },
    renew() {
      held = { text: "", expiresMs: 0 };
    },
  };
}

/** A fixed token from the configuration, used as is; another program must renew it. */
function givenToken(text: string): AccessTokens {
  return { token: async () => text, renew: () => undefined };
}

export type ClientCredentials = Omit<Extract<TokenSource, { kind: "credentials" }>, "kind">;

function credentialTokens(credentials: ClientCredentials, now: () => number): AccessTokens {
  let held: { text: string; expiresMs: number } | null = null;
  return {
    async token() {
      if (held === null || held.expiresMs - spareMs < now())
        held = await fetchToken(credentials, now);
      return held.text;
    },
    renew() {
      held = null;
    },
  };
}

async function fetchToken(
  { tokenUrl, clientId, clientSecret, audience }: ClientCredentials,
  now: () => number,
): Promise<{ text: string; expiresMs: number }> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
    scope: ledgerScope,
  });
  if (audience !== null) form.set("audience", audience);
  const signal = AbortSignal.timeout(fetchTimeoutMs);
  const response = await fetch(tokenUrl, { method: "POST", body: form, signal });
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const { access_token: text, expires_in: lifeS } = body;
  if (!response.ok || typeof text !== "string") {
    throw new Error(`the identity provider of the ledger answered ${response.status}`);
  }
  return { text, expiresMs: now() + (typeof lifeS === "number" ? lifeS : 60) * 1000 };
}
