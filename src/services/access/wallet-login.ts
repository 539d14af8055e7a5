// Logging in with a wallet: a challenge to sign, and a session for the signature. A nonce is taken out
// before the signature is looked at, so that it serves once whatever comes of it. Accounts and sessions
// begin with an event; rows written before it open nothing.

import { assert } from "../../core/assert.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { ChallengeRow, SessionStore, WalletUser } from "../../ports/access/session-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import { isForLogin, loginText } from "./login-text.ts";
import { fingerprintOf, isPartyHint, partyIdOf } from "./party-id.ts";
import { hashOf } from "./session-directory.ts";
import { canonicalPublicKey, Ed25519Signature } from "./signed-request.ts";

const nonceBytes = 32;
const tokenBytes = 32;

/** What clearing answered: the number of what was opened, or why it was not. */
export type Opening = { readonly reason: RejectReason; readonly subject: number } | null;

export interface WalletLoginParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** How long a challenge may be answered. */
  readonly challengeMs: number;
  /** How long a session lasts from its login. */
  readonly sessionMs: number;
  /** Whether 32 bytes are a point of the curve that is safe as a public key. */
  isSoundPoint(publicKey: Uint8Array): boolean;
  /** A number for a session, never given before to a session or a key. */
  takeSessionId(): Promise<number>;
  /** Opens an account; null if clearing was not asked. */
  openAccount(): Promise<Opening>;
  openSession(session: { account: number; sessionId: number; expiresUs: number }): Promise<Opening>;
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

/** Why there is no login; a number is clearing's refusal, null stands for "was not asked". */
export type LoginFault = "badKey" | "badHint" | "badProof" | "networkFull" | RejectReason | null;

export class WalletLogin {
  readonly #parts: WalletLoginParts;

  constructor(parts: WalletLoginParts) {
    this.#parts = parts;
  }

  /**
   * A message for the holder of a key to sign; `hint` counts for a key that never logged in. `venue` is the
   * name under which the venue was asked, one of its own.
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
    assert(!partyId.includes("\n"), "a party id is one line");
    const message = loginText({ venue, partyId, nonce, issuedMs: nowMs, expiresMs });
    const row = { nonceHash: hashOf(nonce), publicKey: key, partyHint, message, expiresMs };
    await store.addChallenge(row, nowMs);
    return { nonce, message, partyId, expiresMs };
  }

  /**
   * Opens a session for a signature over the message of `nonce`, and an account for a new key where `mayOpen`
   * answers that its network may have another.
   */
  async verify(
    publicKey: string,
    nonce: string,
    signature: string,
    mayOpen: () => boolean,
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
    const login = await this.#open(user);
    if (login !== RejectReason.unknownAccount) return login;
    // Its account was never used and has closed since: the key begins anew. Spec ACC-30.
    await store.forgetUser(user);
    const again = await this.#userOf(challenge, mayOpen);
    return isFault(again) ? again : this.#open(again);
  }

  #soundKey(publicKey: string): string | null {
    const key = canonicalPublicKey(publicKey);
    const isSound = key !== null && this.#parts.isSoundPoint(Buffer.from(key, "base64"));
    return isSound ? key : null;
  }

  /** The user of a key. Of two first logins at once one leaves an account that nobody has. */
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

  async #open({ account, partyHint, fingerprint }: WalletUser): Promise<Login | LoginFault> {
    const { store, clock, entropy, sessionMs, takeSessionId, openSession } = this.#parts;
    const token = Buffer.from(entropy.bytes(tokenBytes)).toString("base64url");
    const sessionId = await takeSessionId();
    const nowMs = clock.nowMs();
    const expiresMs = nowMs + sessionMs;
    await store.addSession({ sessionId, tokenHash: hashOf(token), account, expiresMs }, nowMs);
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
