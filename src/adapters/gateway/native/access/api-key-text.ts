// API key records of the native surface. Only the answer that creates a key contains its secret; the public key is
// shown if the key has one.

import { KeyType, rateTierNames } from "../../../../core/accounts.ts";
import { PublicIdKind, publicId } from "../../../../core/ids/public-id.ts";
import type { ApiKeyState } from "../../../../engine/state/tables/key-table.ts";
import type { VenueState } from "../../../../engine/state/venue-state.ts";
import type { KeyListing, KeyRow } from "../../../../ports/access/key-store.ts";
import type { MintedKey } from "../../../../services/access/key-minting.ts";
import { isoOfMs, isoOfUs } from "../native-context.ts";

export const keyTypeNames: Readonly<Record<KeyType, string>> = {
  [KeyType.hmac]: "HMAC",
  [KeyType.ed25519]: "ED25519",
};

/** Whether a key belongs to the account or to one of its sub-accounts, and is neither revoked nor a session key. */
export function isOwnKey(
  { accounts }: Pick<VenueState, "accounts">,
  key: ApiKeyState | undefined,
  account: number,
): key is ApiKeyState {
  return key !== undefined && key.sessionId === 0 && accounts.ownerOf(key.account) === account;
}

/** The public id of a key, used in its revocation path. */
export function keyIdText(keyId: number, createdUs: number): string {
  return publicId(PublicIdKind.key, keyId, Math.floor(createdUs / 1000));
}

function recordOf(
  row: Pick<KeyRow, "keyId" | "key" | "label" | "keyType" | "publicKey">,
  tier: number,
  createdUs: number,
) {
  return {
    id: keyIdText(row.keyId, createdUs),
    key: row.key,
    label: row.label,
    key_type: keyTypeNames[row.keyType],
    rate_tier: rateTierNames[tier],
    created_at: isoOfUs(createdUs),
    ...(row.publicKey !== null && { public_key: row.publicKey }),
  };
}

/** A new key; keys created here always have the standard tier. */
export function createdKeyText({ row, secret }: MintedKey): string {
  return JSON.stringify({
    ...recordOf(row, 0, row.createdMs * 1000),
    ...(secret !== null && { secret }),
  });
}

/**
 * A key as shown in the list, with the time of its revocation if it is revoked. `countedMs` is the minute of its last
 * request to this process, null if there was none; an earlier one, or one of another process, is in the listing.
 */
export function listedKey(listing: KeyListing, countedMs: number | null): object {
  const { createdUs, revokedUs, usedMs } = listing;
  // A minute before the key's creation is that of a key of long ago with the same row of the rate limiter.
  const isOwn = countedMs !== null && countedMs + 60_000 > createdUs / 1000;
  const lastUseMs = Math.max(isOwn ? countedMs : 0, usedMs ?? 0);
  return {
    ...recordOf(listing, listing.tier, createdUs),
    last_used_at: lastUseMs > 0 ? isoOfMs(lastUseMs) : null,
    ...(revokedUs !== null && { revoked_at: isoOfUs(revokedUs) }),
  };
}
