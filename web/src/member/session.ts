// The wallet session: opened by signing the venue's challenge, stored for this tab until it ends, and shared with the other
// tabs of this browser. A second key, created for the session only, opens the account's streams and signs requests.

import { signal } from "@preact/signals";
import { isLoginText } from "../../../src/services/access/login-text.ts";
import { bytesToBase64 } from "./key-file.ts";
import { listenToTabs, type Session, tellTabs } from "./shared-session.ts";
import { keepSigningKey } from "./signing-key.ts";
import { isOutcomeUnknown, type RequestOptions, request, VenueFault } from "./venue-api.ts";
import { makeKey, makePair, sign, storedKey } from "./wallet-key.ts";

const storageName = "rialto-session";

function remembered(): Session | null {
  const text = sessionStorage.getItem(storageName);
  if (text === null) return null;
  const session = JSON.parse(text) as Session;
  return session.expiresMs > Date.now() ? session : null;
}

export const session = signal<Session | null>(remembered());

/** Why the log-in ended without the user's doing in this tab; empty otherwise. */
export const whyEnded = signal("");

const elsewhereText = "You have logged out in another tab.";

const endedText = "Your log-in has ended: it was ended elsewhere, or its time was over.";

/** Whether this browser has a key; null until looked up. */
export const hasKey = signal<boolean | null>(null);

export async function lookForKey(): Promise<void> {
  hasKey.value = (await storedKey()) !== null;
}

function keep(next: Session | null): void {
  session.value = next;
  whyEnded.value = "";
  if (next === null) sessionStorage.removeItem(storageName);
  else sessionStorage.setItem(storageName, JSON.stringify(next));
}

listenToTabs((message) => {
  const own = session.peek();
  if (message.kind === "wanted" && own !== null) tellTabs({ kind: "begun", session: own });
  if (message.kind === "begun" && own === null) keep(message.session);
  if (message.kind === "ended" && own?.token === message.token) {
    keep(null);
    whyEnded.value = elsewhereText;
  }
});

if (session.peek() === null) tellTabs({ kind: "wanted" });

interface Challenge {
  readonly nonce: string;
  readonly message: string;
}

interface Verified {
  readonly token: string;
  readonly expires_at: string;
  readonly user_id: string;
  readonly party_id: string;
  readonly account_type: string;
}

/**
 * Logs in with the browser's key, which is created at the first login. A referral code counts only at the first login.
 */
export async function logIn(referralCode = ""): Promise<void> {
  const { key } = await makeKey();
  hasKey.value = true;
  const { nonce, message } = await request<Challenge>("POST", "/v1/wallet/challenge", {
    body: { public_key: key.publicKey },
  });
  if (!isLoginText(message, nonce, location.host)) {
    const login = `a login at ${location.host}`;
    throw new Error(`The message to sign is not ${login}. Nothing was signed.`);
  }
  const signature = await sign(key, message);
  const verified = await request<Verified>("POST", "/v1/wallet/verify", {
    body: {
      public_key: key.publicKey,
      nonce,
      signature,
      ...(referralCode !== "" && { referral_code: referralCode }),
    },
  });
  const begun: Session = {
    token: verified.token,
    expiresMs: Date.parse(verified.expires_at),
    userId: verified.user_id,
    partyId: verified.party_id,
    accountType: verified.account_type,
    apiKey: await sessionKey(verified.token),
  };
  keep(begun);
  tellTabs({ kind: "begun", session: begun });
}

async function sessionKey(token: string): Promise<string> {
  const { publicKey, privateKey } = await makePair();
  const raw = bytesToBase64(await crypto.subtle.exportKey("raw", publicKey));
  const body = { public_key: raw };
  const { key } = await request<{ key: string }>("POST", "/v1/wallet/session-key", { token, body });
  await keepSigningKey(key, privateKey);
  return key;
}

export async function logOut(): Promise<void> {
  const ended = session.value;
  keep(null);
  if (ended === null) return;
  tellTabs({ kind: "ended", token: ended.token });
  await request("POST", "/v1/wallet/logout", { token: ended.token, body: {} }).catch(ignoreEnded);
}

function ignoreEnded(fault: unknown): void {
  if (!(fault instanceof VenueFault && fault.status === 401)) throw fault;
}

/** Drops, by throwing, an answer to a session that has ended: it is of an account that is no longer shown. */
export function checkSession(begun: Session): void {
  if (session.peek() !== begun) throw new VenueFault(401, "The session has ended.");
}

/** Sends a request as the user. A response with status 401 also ends the session in this tab. */
export async function requestOwn<T>(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  const { value } = session;
  if (value === null) throw new VenueFault(401, "Log in first.");
  try {
    const answer = await request<T>(method, path, { ...options, token: value.token });
    checkSession(value);
    return answer;
  } catch (fault) {
    if (fault instanceof VenueFault && fault.status === 401 && session.value === value) {
      keep(null);
      whyEnded.value = endedText;
    }
    throw fault;
  }
}

/**
 * Sends, as the user, a request that must take effect only once. The request has an idempotency key. If its outcome is
 * unknown, it is sent a second time with the same key. If the venue cannot say then either, the first fault is thrown: a
 * refusal of the second request says nothing about the first.
 */
export async function requestOnce<T>(
  path: string,
  params: Readonly<Record<string, unknown>>,
): Promise<T> {
  const body = { ...params, idempotency_key: crypto.randomUUID() };
  const send = () => requestOwn<T>("POST", path, { body });
  try {
    return await send();
  } catch (fault) {
    if (!isOutcomeUnknown(fault)) throw fault;
    return send().catch((second: unknown) => {
      const isAnswered = second instanceof VenueFault && second.status > 0 && second.status < 500;
      throw isAnswered ? second : fault;
    });
  }
}
