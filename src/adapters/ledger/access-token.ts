// Gets access tokens for the participant. They are minted from a shared secret (development networks), fetched from an
// identity provider with client credentials, or given in the configuration. A minted or fetched token is used until
// shortly before it expires, and discarded if the participant refuses it. Secrets are never logged.

import { createHmac } from "node:crypto";
import type { TokenSource } from "../../ports/ledger/ledger-endpoint.ts";

export interface AccessTokens {
  /** Returns a valid token. */
  token(): Promise<string>;
  /** Discards a refused token, so that the next call fetches a new one. */
  renew(): void;
}

/** Scope of the Ledger API, for identity providers that select an API by scope instead of audience. */
const ledgerScope = "daml_ledger_api";

/** Time before its expiry at which a token is replaced, so that none expires during a request. */
const spareMs = 30_000;
const mintedLifeMs = 600_000;
const fetchTimeoutMs = 10_000;

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

/** Returns a JWT for `userId`, signed with HMAC-SHA256 and valid until `expiresMs`. */
export function mintToken(secret: string, userId: string, expiresMs: number): string {
  const head = encoded({ alg: "HS256", typ: "JWT" });
  const body = encoded({ sub: userId, scope: ledgerScope, exp: Math.floor(expiresMs / 1000) });
  const signature = createHmac("sha256", secret).update(`${head}.${body}`).digest("base64url");
  return `${head}.${body}.${signature}`;
}

/** Returns tokens for `userId` from `source`. `now` returns the current time in ms, for checking their expiry. */
export function accessTokens(source: TokenSource, userId: string, now: () => number): AccessTokens {
  if (source.kind === "minted") return mintedTokens(source.secret, userId, now);
  if (source.kind === "given") return givenToken(source.token);
  return credentialTokens(source, now);
}

/** Returns tokens minted from a secret that the venue shares with the ledger. */
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

/** Returns one fixed token from the configuration. It is used unchanged; another program must renew it. */
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
