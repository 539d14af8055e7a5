// Wallet sessions: challenge, verify, logout, and the API key a browser trades with.

import type * as z from "zod";
import {
  challengeBody,
  emptyBody,
  sessionKeyBody,
  verifyBody,
} from "../../../../../schemas/http/native.ts";
import { AccountType, accountTypeNames } from "../../../../core/accounts.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { PublicIdKind, publicId } from "../../../../core/ids/public-id.ts";
import { accountOfReferralCode } from "../../../../core/ids/referral-code.ts";
import type { SessionState } from "../../../../engine/state/tables/session-table.ts";
import { deviceName } from "../../../../services/access/device-name.ts";
import { mintKey } from "../../../../services/access/key-minting.ts";
import { partyIdOf, standardHint } from "../../../../services/access/party-id.ts";
import { type LoginFault, WalletLogin } from "../../../../services/access/wallet-login.ts";
import { loginRoute, type Outcome, routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { notExecuted, type SurfaceError } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { nativeErrors, nativeFaults } from "../error-map.ts";
import { afterwards, isoOfMs, refusalOf, submitCommand } from "../native-context.ts";
import { createdKeyText } from "./api-key-text.ts";

/** The path that returns the text to sign for a login. */
const loginPath = "/v1/wallet/challenge";

/** Returns whether a log-in ends at this path, which notes the caller's device. Spec SES-21. */
export function isVerifyPath(path: string): boolean {
  return path === "/v1/wallet/verify";
}

/** Returns whether the answer at this path names the venue's host in a text for a wallet to sign. Spec SES-14. */
export function isChallengePath(path: string): boolean {
  return path === loginPath || /^\/v1\/api-keys\/[^/]+\/restrictions\/challenge$/.test(path);
}

/** Prefix of every session key's label; users cannot choose it. */
export const sessionLabel = "spot-session:";

function loginError(fault: LoginFault): SurfaceError {
  if (fault === null) return notExecuted;
  if (typeof fault === "number") return nativeErrors[fault];
  const faults = {
    badKey: nativeFaults.badPublicKey,
    badHint: nativeFaults.badHint,
    badProof: nativeFaults.badProof,
    networkFull: nativeFaults.networkFull,
  };
  return faults[fault];
}

/** The public id of an account's user. */
export function userIdOf({ model }: RouteContext, account: number): string {
  const openedUs = model.state.accounts.openedUsOf(account);
  return publicId(PublicIdKind.user, account, Math.floor(openedUs / 1000));
}

class Logins {
  readonly #context: RouteContext;
  readonly #login: WalletLogin;

  constructor(context: RouteContext) {
    this.#context = context;
    const { bridge, keys, clock, entropy, challengeMs, sessionMs, isSoundPoint } = context;
    this.#login = new WalletLogin({
      store: context.sessions,
      clock,
      entropy,
      challengeMs,
      sessionMs,
      isSoundPoint,
      takeSessionId: () => keys.takeKeyId(),
      openAccount: () => {
        const kind = CommandKind.openAccount;
        return submitCommand(bridge, { kind, account: 0, accountType: AccountType.standard });
      },
      openSession: (session) =>
        submitCommand(bridge, { kind: CommandKind.openSession, ...session }),
    });
  }

  async challenge(params: z.output<typeof challengeBody>, host: string): Promise<Outcome> {
    const hint = params.party_hint ?? standardHint;
    const venue = this.#context.authority.nameFor(host);
    const challenge = await this.#login.challenge(params.public_key, hint, venue);
    if (typeof challenge === "string") return loginError(challenge);
    const { nonce, message, partyId, expiresMs } = challenge;
    const expiresAt = isoOfMs(expiresMs);
    return JSON.stringify({ nonce, message, party_id: partyId, expires_at: expiresAt });
  }

  async verify(
    params: z.output<typeof verifyBody>,
    { address, userAgent }: HttpCall,
  ): Promise<Outcome> {
    const referrer = this.#referrerOf(params.referral_code ?? null);
    if (referrer === null) return nativeFaults.unknownReferralCode;
    const { limiter, accountsPerNetwork, clock } = this.#context;
    const mayOpen = () =>
      limiter.takeNewAccount(address.networkHash, accountsPerNetwork, clock.nowMs());
    const origin = { device: deviceName(userAgent) ?? "", address: address.text };
    const { public_key: publicKey, nonce, signature } = params;
    const login = await this.#login.verify(publicKey, nonce, signature, { mayOpen, origin });
    if (login === null || typeof login !== "object") return loginError(login);
    const { account, token, expiresMs, partyId } = login;
    if (referrer !== 0 && referrer !== account) await this.#refer(account, referrer);
    const type = this.#context.model.state.accounts.typeOf(account) ?? AccountType.standard;
    return JSON.stringify({
      token,
      expires_at: isoOfMs(expiresMs),
      user_id: userIdOf(this.#context, account),
      party_id: partyId,
      account_type: accountTypeNames[type],
    });
  }

  /** The account that a referral code names: 0 without a code, null for an unknown code. */
  #referrerOf(code: string | null): number | null {
    if (code === null) return 0;
    const account = accountOfReferralCode(code);
    const { accounts } = this.#context.model.state;
    const isKnown = account !== null && accounts.isCustomer(account);
    return isKnown && !accounts.isSubAccount(account) ? account : null;
  }

  /**
   * Sets the account's referrer. Clearing accepts only the first one, and only before the account has traded. If it
   * refuses, the login still succeeds.
   */
  async #refer(account: number, referrer: number): Promise<void> {
    const { rewards } = this.#context.model.state;
    if (rewards.isTouched(account)) return;
    await submitCommand(this.#context.bridge, { kind: CommandKind.setReferrer, account, referrer });
  }

  async logout({ account, sessionId }: SessionState): Promise<Outcome> {
    const { bridge, sessions } = this.#context;
    const command = { kind: CommandKind.closeSession, account, sessionId } as const;
    const refusal = refusalOf(await submitCommand(bridge, command));
    if (refusal !== undefined) return refusal;
    // The event has already closed the session. A row that could not be deleted expires on its own.
    afterwards(this.#context, sessions.removeSession(sessionId));
    return null;
  }

  async setKey({ account, sessionId }: SessionState, publicKey: string): Promise<Outcome> {
    const { sessions, minting, clock, bridge } = this.#context;
    const user = await sessions.userOf(account);
    const party = user === null ? standardHint : partyIdOf(user.partyHint, user.fingerprint);
    const minted = await mintKey(minting, {
      account,
      label: sessionLabel + party,
      publicKey,
      allowedRanges: [],
      sessionId,
      createdMs: clock.nowMs(),
    });
    if (minted === null) return nativeFaults.badPublicKey;
    const { keyId } = minted.row;
    const command = { kind: CommandKind.setSessionKey, account, sessionId, keyId } as const;
    return refusalOf(await submitCommand(bridge, command)) ?? createdKeyText(minted);
  }
}

/** The routes of login, logout and session keys. */
export const sessionRoutes = routeGroup((context) => new Logins(context))([
  loginRoute("POST /v1/wallet/challenge", {
    summary: "The login message to sign with the wallet.",
    body: challengeBody,
    exampleLine: "challenge me",
    isRepeatable: true,
    answer: (logins, { signed }, params) => logins.challenge(params, signed?.host ?? ""),
  }),
  loginRoute("POST /v1/wallet/verify", {
    summary: "Opens a session with the signed message.",
    body: verifyBody,
    faults: { 401: "The nonce or the signature is invalid." },
    exampleLine: "verify me",
    answer: (logins, call, params) => logins.verify(params, call),
  }),
  sessionRoute("POST /v1/wallet/logout", {
    summary: "Ends the session and revokes its key.",
    body: emptyBody,
    isSilent: true,
    answer: (logins, _, __, session) => logins.logout(session),
  }),
  sessionRoute("POST /v1/wallet/session-key", {
    summary: "Registers an Ed25519 key that is valid as long as the session.",
    body: sessionKeyBody,
    exampleLine: 'own POST /v1/wallet/session-key "{\\"public_key\\":\\"$(public_key session)\\"}"',
    isRepeatable: true,
    answer: (logins, _, { public_key: publicKey }, session) => logins.setKey(session, publicKey),
  }),
]);
