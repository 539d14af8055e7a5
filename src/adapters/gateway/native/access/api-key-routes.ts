// A user's API keys: list, create, revoke. A key's row in the database describes it; clearing's state says whether the
// key is active. Session keys are not listed.

import type * as z from "zod";
import { createKeyBody, listKeysQuery } from "../../../../../schemas/http/native.ts";
import { defaultKeyPermissions, RateTier } from "../../../../core/accounts.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { PublicIdKind, parsePublicId } from "../../../../core/ids/public-id.ts";
import { keyLabelLengthMax, keysListedMax, keysPerAccountMax } from "../../../../core/limits.ts";
import type { KeyListing } from "../../../../ports/access/key-store.ts";
import { mintKey } from "../../../../services/access/key-minting.ts";
import { type Outcome, routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import type { AwaitingRequest } from "../../requests/store-wait.ts";
import { type SurfaceError, unexpected } from "../../requests/surface-error.ts";
import { nativeFaults } from "../error-map.ts";
import {
  isoOfMs,
  isoOfUs,
  refusalOf,
  submitCommand,
  submitCommandWithTime,
} from "../native-context.ts";
import { createdKeyText, isOwnKey, keyIdText, listedKey } from "./api-key-text.ts";
import { sessionLabel } from "./session-routes.ts";

/** Each key leaves a permanent row. This weight allows sixty new keys a minute, which is plenty. */
export const createKeyWeight = 20;

const reservedPrefixes = [sessionLabel, "mm-", "taker-"] as const;
/**
 * Control characters, line separators, unpaired surrogates, and characters that change how others are
 * displayed, such as writing direction. The two joiners are allowed, because many scripts use them.
 */
const uncleanForm = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;

/** Characters of the reserved prefixes, each before its lookalikes (Unicode TS 39), in lower case. */
const lookalikes = [
  "a\u0430\u03b1\u0251",
  "e\u0435\u03b5\u04bd",
  "i\u0456\u03b9\u0131",
  "k\u043a\u03ba",
  "m\u043c\u03bc",
  "n\u03bd\u0578",
  "o\u043e\u03bf\u0585",
  "p\u0440\u03c1",
  "r\u0433",
  "s\u0455",
  "t\u0442\u03c4",
  ":\u02d0\ua789\u2236\u0589\u05c3",
  "-\u2212\u2043\u02d7\u30fc\u2796",
] as const;
const plainForms: ReadonlyMap<string, string> = new Map(
  lookalikes.flatMap(([plain = "", ...others]) => others.map((other) => [other, plain] as const)),
);

/**
 * A label reduced to what a reader sees: compatibility forms, case, dashes, lookalikes and invisible characters make no
 * difference.
 */
function seen(label: string): string {
  const shown = label.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  const dashed = shown
    .replace(/\p{Pd}/gu, "-")
    .trimStart()
    .toLowerCase();
  return [...dashed].map((character) => plainForms.get(character) ?? character).join("");
}

/** Returns the fault of an invalid label, or undefined for a valid one. Spec KEY-2. */
function labelFault(label: string): SurfaceError | undefined {
  // The label is spread because its limit counts characters, not UTF-16 units.
  if ([...label].length > keyLabelLengthMax) return nativeFaults.labelTooLong;
  if (uncleanForm.test(label)) return nativeFaults.labelControls;
  const isReserved = reservedPrefixes.some((prefix) => seen(label).startsWith(prefix));
  return isReserved ? nativeFaults.labelReserved : undefined;
}

/** The public key for the body's key type, null for HMAC, or the fault. */
function publicKeyOf(params: z.output<typeof createKeyBody>): string | null | SurfaceError {
  const type = (params.key_type ?? "HMAC").toUpperCase();
  const publicKey = params.public_key ?? null;
  if (type === "HMAC") return publicKey === null ? null : nativeFaults.publicKeyUnneeded;
  if (type !== "ED25519") return nativeFaults.badKeyType;
  return publicKey ?? nativeFaults.publicKeyMissing;
}

export class ApiKeys {
  readonly #context: RouteContext;

  constructor(context: RouteContext) {
    this.#context = context;
  }

  async list(account: number, withRevoked: boolean): Promise<Outcome> {
    const { keys, limiter, build } = this.#context;
    const rows = await keys.ofAccount({ account, withRevoked, limit: keysListedMax });
    const show = (row: KeyListing) => listedKey(row, limiter.lastUseMs(row.keyId));
    const [first] = rows;
    const since = first === undefined ? build.startedAt : isoOfMs(first.usesKnownMs);
    return JSON.stringify({ keys: rows.reverse().map(show), uses_known_since: since });
  }

  async create(account: number, params: z.output<typeof createKeyBody>): Promise<Outcome> {
    const { minting, clock, bridge, model } = this.#context;
    const label = params.label ?? null;
    const fault = label === null ? undefined : labelFault(label);
    if (fault !== undefined) return fault;
    const publicKey = publicKeyOf(params);
    if (publicKey !== null && typeof publicKey !== "string") return publicKey;
    // Clearing decides on this limit. It is also checked here, so that a refusal leaves no row in the database.
    if (model.state.keys.countOf(account) >= keysPerAccountMax) return nativeFaults.tooManyKeys;
    const createdMs = clock.nowMs();
    const minted = await mintKey(minting, {
      account,
      label,
      publicKey,
      allowedRanges: [],
      createdMs,
    });
    if (minted === null) return nativeFaults.badPublicKey;
    const { keyId, keyType } = minted.row;
    const defaults = { tier: RateTier.standard, permissions: defaultKeyPermissions };
    const command = {
      kind: CommandKind.registerKey,
      account,
      keyId,
      keyType,
      ...defaults,
    } as const;
    return refusalOf(await submitCommand(bridge, command)) ?? createdKeyText(minted);
  }

  async revoke(call: AwaitingRequest, account: number, id: string): Promise<Outcome> {
    const { model, keys, storeWait } = this.#context;
    const named = parsePublicId(PublicIdKind.key, id);
    const keyState = named === null ? undefined : model.state.keys.get(named.number);
    if (!isOwnKey(model.state, keyState, account)) return nativeFaults.keyUnknown;
    const { keyId, tier, permissions } = keyState;
    const find = () => keys.find(keyId);
    // The command is sent once: a second one would find the key revoked. So only the reads are repeated.
    const row = await storeWait.result(call, find(), find);
    const isNamed = row !== null && keyIdText(keyId, row.createdUs) === id.toLowerCase();
    if (!isNamed) return nativeFaults.keyUnknown;
    const change = { keyId, tier, permissions, expects: 0, isRevoked: true };
    const command = { kind: CommandKind.changeKey, account, ...change } as const;
    const answer = await submitCommandWithTime(this.#context, command);
    const refusal = refusalOf(answer);
    if (refusal !== undefined) return refusal;
    const revokedUs = answer?.endedUs ?? (await storeWait.result(call, find(), find))?.revokedUs;
    if (revokedUs === null || revokedUs === undefined) return unexpected;
    return JSON.stringify({ id: id.toLowerCase(), revoked_at: isoOfUs(revokedUs) });
  }
}

/** The routes of a user's API keys. */
export const apiKeyRoutes = routeGroup((context) => new ApiKeys(context))([
  sessionRoute("GET /v1/api-keys", {
    summary: "The user's API keys.",
    reads: listKeysQuery,
    answer: (keys, _, { include_revoked: withRevoked }, { account }) =>
      keys.list(account, withRevoked),
  }),
  sessionRoute("POST /v1/api-keys", {
    summary: "Creates an API key; its secret is shown only once.",
    body: createKeyBody,
    faults: { 409: "The account has ten active keys." },
    example: '{"label":"desk"}',
    isRepeatable: true,
    weight: createKeyWeight,
    answer: (keys, _, params, { account }) => keys.create(account, params),
  }),
  sessionRoute("DELETE /v1/api-keys/{id}", {
    summary: "Revokes an API key immediately.",
    exampleName: '$(own POST /v1/api-keys \'{"label":"old"}\' | field .id)',
    isByUuid: true,
    answer: (keys, call, { id }, { account }) => keys.revoke(call, account, id),
  }),
]);
