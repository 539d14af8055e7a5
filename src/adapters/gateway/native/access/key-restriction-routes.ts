// Restrictions of a user's API keys: permissions, allowed addresses and expiry. A session is enough to read or narrow
// them; widening needs the wallet's signature over that exact change. New addresses are stored in the key's row before
// the command is sent, because the command's event makes every front read the row.

import * as z from "zod";
import { changeRestrictionsBody, restrictionsBody } from "../../../../../schemas/http/native.ts";
import {
  AccountFlag,
  isPermitted,
  KeyPermission,
  storedPermissions,
} from "../../../../core/accounts.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { PublicIdKind, parsePublicId } from "../../../../core/ids/public-id.ts";
import { keyRangesMax } from "../../../../core/limits.ts";
import {
  addsPermission,
  isWidening,
  type KeyRestrictions,
  permissionNames,
  permissionOf,
  restrictionText,
  venueNamed,
  withdrawsAnywhere,
} from "../../../../services/access/key-restrictions.ts";
import { partyIdOf } from "../../../../services/access/party-id.ts";
import { hashOf } from "../../../../services/access/session-directory.ts";
import { Ed25519Signature } from "../../../../services/access/signed-request.ts";
import { isRange, isWithin, networkOf } from "../../../network/address-ranges.ts";
import { type Outcome, routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { type SurfaceError, unexpected } from "../../requests/surface-error.ts";
import { nativeFaults, notNetwork, notRange } from "../error-map.ts";
import { isoOfMs, refusalOf, submitCommand } from "../native-context.ts";
import { isOwnKey, keyIdText } from "./api-key-text.ts";

/** Weight of a change or a challenge: both read rows, and a challenge stores a row until it expires. */
const changeWeight = 20;
const nonceBytes = 32;

/** A key of the caller with its current restrictions. */
interface OwnKey extends KeyRestrictions {
  /** The account of the key: the caller's, or one of its sub-accounts. */
  readonly account: number;
  readonly keyId: number;
  readonly id: string;
}

type Wanted = z.output<typeof restrictionsBody>;

interface Proof {
  readonly nonce: string;
  readonly signature: string;
}

/** A requested time in microseconds: 0 for never (null), undefined for one that is not a time of the future. */
function expiryOf(text: string | null, nowMs: number): number | undefined {
  if (text === null) return 0;
  const ms = isoTime.safeParse(text).success ? Date.parse(text) : Number.NaN;
  return ms > nowMs && ms < expiryMsMax ? ms * 1000 : undefined;
}

/** A time of a day that exists, with seconds and at most milliseconds. */
const isoTime = z.iso.datetime().regex(/:\d\d:\d\d(\.\d{1,3})?Z$/);
/** The year 2100: microseconds until then are exact. */
const expiryMsMax = 4_102_444_800_000;

function restrictionsText({ id, permissions, allowedRanges, expiresUs }: OwnKey): string {
  const shown = { permissions: permissionNames(permissions), allowed_addresses: allowedRanges };
  const expires_at = expiresUs === 0 ? null : isoOfMs(expiresUs / 1000);
  return JSON.stringify({ id, ...shown, expires_at });
}

class RestrictedKeys {
  readonly #context: RouteContext;

  constructor(context: RouteContext) {
    this.#context = context;
  }

  async show(account: number, id: string): Promise<Outcome> {
    const key = await this.#own(account, id);
    return "status" in key ? key : restrictionsText(key);
  }

  /** The restrictions in a body, or the fault. A body without `expires_at` leaves the key's expiry as it is. */
  #wanted(
    { account, expiresUs: before }: OwnKey,
    { permissions, allowed_addresses: allowedRanges, expires_at }: Wanted,
  ): KeyRestrictions | SurfaceError {
    const bits = permissions.map(permissionOf);
    if (bits.length === 0 || bits.includes(0)) return nativeFaults.badPermissions;
    if (allowedRanges.length > keyRangesMax) return nativeFaults.tooManyAddresses;
    for (const range of allowedRanges) {
      if (!isRange(range)) return notRange(range);
      const network = networkOf(range);
      if (network !== null) return notNetwork(range, network);
    }
    const { model, clock } = this.#context;
    const expiresUs = expires_at === undefined ? before : expiryOf(expires_at, clock.nowMs());
    if (expiresUs === undefined) return nativeFaults.badExpiry;
    const stored = storedPermissions(bits.reduce((all, bit) => all | bit, 0));
    const wanted = { permissions: stored, allowedRanges, expiresUs };
    if (withdrawsAnywhere(wanted)) return nativeFaults.withdrawsAnywhere;
    const mayWithdraw = model.state.accounts.has(account, AccountFlag.canWithdraw);
    const withdraws = isPermitted(stored, KeyPermission.withdraw);
    return withdraws && !mayWithdraw ? nativeFaults.withdrawalDenied : wanted;
  }

  /** A key of the account or of one of its sub-accounts that is neither revoked nor a session key. */
  async #own(account: number, id: string): Promise<OwnKey | SurfaceError> {
    const { model, keys } = this.#context;
    const named = parsePublicId(PublicIdKind.key, id);
    const keyState = named === null ? undefined : model.state.keys.get(named.number);
    if (named === null || !isOwnKey(model.state, keyState, account)) return nativeFaults.keyUnknown;
    const row = await keys.find(named.number);
    const known = row === null ? null : keyIdText(row.keyId, row.createdUs);
    // The key may have been revoked during the lookup.
    const current = model.state.keys.get(named.number);
    if (row === null || known !== id.toLowerCase() || !isOwnKey(model.state, current, account))
      return nativeFaults.keyUnknown;
    const { permissions, expiresUs } = current;
    const { keyId, allowedRanges } = row;
    const { account: ofKey } = current;
    return { keyId, id: known, account: ofKey, permissions, allowedRanges, expiresUs };
  }

  async challenge(
    account: number,
    id: string,
    params: z.output<typeof restrictionsBody>,
    host: string,
  ): Promise<Outcome> {
    const venue = this.#context.authority.nameFor(host);
    const { sessions, clock, entropy, challengeMs } = this.#context;
    const [own, user] = [await this.#own(account, id), await sessions.userOf(account)];
    if ("status" in own) return own;
    if (user === null) return unexpected;
    const wanted = this.#wanted(own, params);
    if ("status" in wanted) return wanted;
    const { publicKey, partyHint, fingerprint } = user;
    const nonce = Buffer.from(entropy.bytes(nonceBytes)).toString("base64url");
    const issuedMs = clock.nowMs();
    const expiresMs = issuedMs + challengeMs;
    const partyId = partyIdOf(partyHint, fingerprint);
    const named = { venue, partyId, keyId: own.id, nonce, issuedMs, expiresMs };
    const message = restrictionText({ ...wanted, ...named });
    const row = { nonceHash: hashOf(nonce), publicKey, partyHint, message, expiresMs };
    await sessions.addChallenge(row, issuedMs);
    return JSON.stringify({ nonce, message, expires_at: isoOfMs(expiresMs) });
  }

  async change(
    account: number,
    id: string,
    params: z.output<typeof changeRestrictionsBody>,
  ): Promise<Outcome> {
    const own = await this.#own(account, id);
    if ("status" in own) return own;
    const wanted = this.#wanted(own, params);
    if ("status" in wanted) return wanted;
    const proof = proofOf(params);
    if (proof !== null && "status" in proof) return proof;
    if (proof !== null && !(await this.#isProved(account, own, wanted, proof)))
      return nativeFaults.badProof;
    if (proof === null && isWidening(own, wanted, isWithin)) return nativeFaults.wideningUnsigned;
    return this.#carryOut(own, wanted, proof !== null);
  }

  /**
   * Returns whether the wallet signed this exact change. The challenge is used up whether the signature is valid or
   * not.
   */
  async #isProved(
    account: number,
    { id }: OwnKey,
    wanted: KeyRestrictions,
    { nonce, signature }: Proof,
  ): Promise<boolean> {
    const { sessions, clock, challengeMs } = this.#context;
    const user = await sessions.userOf(account);
    if (user === null) return false;
    const { publicKey, partyHint, fingerprint } = user;
    const taken = await sessions.takeChallenge(hashOf(nonce), publicKey, clock.nowMs());
    if (taken === null) return false;
    const { message, expiresMs } = taken;
    const partyId = partyIdOf(partyHint, fingerprint);
    const named = { partyId, keyId: id, nonce, expiresMs, issuedMs: expiresMs - challengeMs };
    const expected = restrictionText({ ...wanted, ...named, venue: venueNamed(message) });
    return (
      message === expected && (await new Ed25519Signature(publicKey).verify(message, signature))
    );
  }

  async #carryOut(own: OwnKey, wanted: KeyRestrictions, isSigned: boolean): Promise<Outcome> {
    const { keys } = this.#context;
    const { keyId, allowedRanges: before } = own;
    const { allowedRanges: after } = wanted;
    // If another request or the operator changed the restrictions concurrently, do not overwrite that change.
    if (!(await keys.replaceRanges(keyId, before, after))) return nativeFaults.keyChangedMeanwhile;
    const refusal = await this.#permit(own, wanted, isSigned);
    if (refusal === undefined) return restrictionsText({ ...own, ...wanted });
    await keys.replaceRanges(keyId, after, before);
    return refusal;
  }

  /** Sends the command whose event puts the change into effect. */
  async #permit(
    { account, keyId, expiresUs: expectsExpiresUs }: OwnKey,
    { permissions, expiresUs }: KeyRestrictions,
    isSigned: boolean,
  ): Promise<SurfaceError | undefined> {
    const { model, bridge } = this.#context;
    const current = model.state.keys.get(keyId);
    // The key was its owner's when the change was read, and a key never changes its account; it can only be revoked.
    if (current?.account !== account) return nativeFaults.keyUnknown;
    const { permissions: expects } = current;
    if (!isSigned && addsPermission(expects, permissions)) return nativeFaults.keyChangedMeanwhile;
    // The check above compared the change with the permissions in `current`, and an earlier one with the expiry that was
    // read then. Clearing accepts the change only if the key still has both.
    const change = { keyId, permissions, expects, expiresUs, expectsExpiresUs };
    return refusalOf(
      await submitCommand(bridge, { kind: CommandKind.restrictKey, account, ...change }),
    );
  }
}

/** The nonce and signature of a proof; null if the request has no proof. */
function proofOf({
  nonce,
  signature,
}: z.output<typeof changeRestrictionsBody>): Proof | SurfaceError | null {
  const [sentNonce, signed] = [nonce ?? null, signature ?? null];
  if (sentNonce === null && signed === null) return null;
  return sentNonce === null || signed === null
    ? nativeFaults.halfProof
    : { nonce: sentNonce, signature: signed };
}

const reader = '$(own POST /v1/api-keys \'{"label":"reader"}\' | field .id)';

/** The routes of API key restrictions. */
export const keyRestrictionRoutes = routeGroup((context) => new RestrictedKeys(context))([
  sessionRoute("GET /v1/api-keys/{id}/restrictions", {
    summary: "Permissions, allowed addresses and expiry of a key.",
    faults: { 404: "The user has no such key." },
    exampleName: reader,
    isByUuid: true,
    answer: (keys, _, { id }, { account }) => keys.show(account, id),
  }),
  sessionRoute("PUT /v1/api-keys/{id}/restrictions", {
    summary:
      "Replaces a key's permissions, addresses and expiry; adding rights needs the wallet's signature.",
    body: changeRestrictionsBody,
    faults: {
      401: "The nonce or the signature is invalid; the nonce is used up.",
      403: "The change adds rights, and the wallet has not signed it; or the account may not withdraw.",
      404: "The user has no such key.",
      409: "The key was changed by another request.",
    },
    example: '{"permissions":["READ","TRADE_SPOT"],"allowed_addresses":["192.0.2.0/24"]}',
    exampleName: reader,
    weight: changeWeight,
    isByUuid: true,
    answer: (keys, _, { id, ...params }, { account }) => keys.change(account, id, params),
  }),
  sessionRoute("POST /v1/api-keys/{id}/restrictions/challenge", {
    summary: "The message to sign with the wallet; it names the change.",
    body: restrictionsBody,
    faults: { 404: "The user has no such key." },
    example: '{"permissions":["READ","TRADE"],"allowed_addresses":[]}',
    exampleName: reader,
    isRepeatable: true,
    weight: changeWeight,
    isByUuid: true,
    answer: (keys, { signed }, { id, ...params }, { account }) =>
      keys.challenge(account, id, params, signed?.host ?? ""),
  }),
]);
