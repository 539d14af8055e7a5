// Wallet login: a challenge to sign, and a session for the signature. The nonce is consumed before the signature is
// checked, so each nonce can be used once. Accounts and sessions start with an event; a row that is stored before its
// event gives no access.

import { assert } from "../../core/assert.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type {
  ChallengeRow,
  LoginOrigin,
  SessionStore,
  WalletUser,
} from "../../ports/access/session-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import { isForLogin, loginText } from "./login-text.ts";
import { fingerprintOf, isPartyHint, partyIdOf } from "./party-id.ts";
import { hashOf } from "./session-directory.ts";
import { canonicalPublicKey, Ed25519Signature } from "./signed-request.ts";

const nonceBytes = 32;
const tokenBytes = 32;

/** Clearing's reply: the number of the account or session opened, or the reason for refusal. */
export type Opening = { readonly reason: RejectReason; readonly subject: number } | null;

export interface WalletLoginParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** How long a challenge is valid. */
  readonly challengeMs: number;
  /** How long a session lasts from login. */
  readonly sessionMs: number;
  /** Whether 32 bytes are a curve point that is safe as a public key. */
  isSoundPoint(publicKey: Uint8Array): boolean;
  /** A number for a session, unique among sessions and keys. */
  takeSessionId(): Promise<number>;
  /** Opens an account; null if clearing was not reached. */
  openAccount(): Promise<Opening>;
  openSession(session: { account: number; sessionId: number; expiresUs: number }): Promise<Opening>;
}

export interface LoginTerms {
  /** Whether the client's network may open another account. */
  mayOpen(): boolean;
  readonly origin: LoginOrigin;
}

export interface Challenge {
  readonly nonce: string;
  readonly message: string;
  readonly partyId: string;
  readonly expiresMs: number;
}

export interface Login {
  readonly token: string;
  readonly expiresMs: number;
  readonly account: number;
  readonly partyId: string;
}

/** Why a login failed; a number is clearing's reject reason, null means clearing was not reached. */
export type LoginFault = "badKey" | "badHint" | "badProof" | "networkFull" | RejectReason | null;

export class WalletLogin {
  readonly #parts: WalletLoginParts;

  constructor(parts: WalletLoginParts) {
    this.#parts = parts;
  }

  /**
   * A message for the holder of a key to sign; `hint` applies to a key that never logged in. `venue` is the
   * host name used by the client, one of the venue's own.
   */
  async challenge(
    publicKey: string,
    hint: string,
    venue: string,
  ): Promise<Challenge | "badKey" | "badHint"> {
    const { store, clock, entropy, challengeMs } = this.#parts;
    const key = this.#soundKey(publicKey);
    if (key === null) return "badKey";
    if (!isPartyHint(hint)) return "badHint";
    const fingerprint = fingerprintOf(key);
    const partyHint = (await store.findUser(fingerprint))?.partyHint ?? hint;
    const partyId = partyIdOf(partyHint, fingerprint);
    const nonce = Buffer.from(entropy.bytes(nonceBytes)).toString("base64url");
    const nowMs = clock.nowMs();
    const expiresMs = nowMs + challengeMs;
    assert(!partyId.includes("\n"), "a party id must be a single line");
    const message = loginText({ venue, partyId, nonce, issuedMs: nowMs, expiresMs });
    const row = { nonceHash: hashOf(nonce), publicKey: key, partyHint, message, expiresMs };
    await store.addChallenge(row, nowMs);
    return { nonce, message, partyId, expiresMs };
  }

  /**
   * Opens a session if `signature` is valid for the message that contains `nonce`. For a new key it opens an account
   * first; the login fails if `mayOpen` denies the client's network another account.
   */
  async verify(
    publicKey: string,
    nonce: string,
    signature: string,
    { mayOpen, origin }: LoginTerms,
  ): Promise<Login | LoginFault> {
    const { store, clock } = this.#parts;
    const key = this.#soundKey(publicKey);
    if (key === null) return "badKey";
    const challenge = await store.takeChallenge(hashOf(nonce), key, clock.nowMs());
    if (challenge === null || !isForLogin(challenge.message)) return "badProof";
    const isSigned = await new Ed25519Signature(key).verify(challenge.message, signature);
    if (!isSigned) return "badProof";
    const user = await this.#userOf(challenge, mayOpen);
    if (isFault(user)) return user;
    const login = await this.#open(user, origin);
    if (login !== RejectReason.unknownAccount) return login;
    // The account was closed because it was never used, so the key is treated as a new one. Spec ACC-30.
    await store.forgetUser(user);
    const again = await this.#userOf(challenge, mayOpen);
    return isFault(again) ? again : this.#open(again, origin);
  }

  #soundKey(publicKey: string): string | null {
    const key = canonicalPublicKey(publicKey);
    const isSound = key !== null && this.#parts.isSoundPoint(Buffer.from(key, "base64"));
    return isSound ? key : null;
  }

  /** The user of a key; opens an account for a new key. Two concurrent first logins leave one account unused. */
  async #userOf(
    { publicKey, partyHint }: ChallengeRow,
    mayOpen: () => boolean,
  ): Promise<WalletUser | "networkFull" | RejectReason | null> {
    const { store, clock } = this.#parts;
    const fingerprint = fingerprintOf(publicKey);
    const known = await store.findUser(fingerprint);
    if (known !== null) return known;
    if (!mayOpen()) return "networkFull";
    const opening = await this.#parts.openAccount();
    if (opening === null || opening.reason !== RejectReason.none) return opening?.reason ?? null;
    const account = opening.subject;
    return store.addUser({ fingerprint, account, partyHint, publicKey, createdMs: clock.nowMs() });
  }

  async #open(
    { account, partyHint, fingerprint }: WalletUser,
    origin: LoginOrigin,
  ): Promise<Login | LoginFault> {
    const { store, clock, entropy, sessionMs, takeSessionId, openSession } = this.#parts;
    const token = Buffer.from(entropy.bytes(tokenBytes)).toString("base64url");
    const sessionId = await takeSessionId();
    const nowMs = clock.nowMs();
    const expiresMs = nowMs + sessionMs;
    const row = { sessionId, tokenHash: hashOf(token), account, expiresMs, ...origin };
    await store.addSession(row, nowMs);
    const opening = await openSession({ account, sessionId, expiresUs: expiresMs * 1000 });
    if (opening === null || opening.reason !== RejectReason.none) return opening?.reason ?? null;
    return { token, expiresMs, account, partyId: partyIdOf(partyHint, fingerprint) };
  }
}

function isFault(
  user: WalletUser | "networkFull" | RejectReason | null,
): user is "networkFull" | RejectReason | null {
  return user === null || typeof user !== "object";
}
