// Restrictions of an API key as its owner changes them: permission names, what counts as widening, and the text that a
// wallet signs to widen the restrictions. Narrowing them needs only a session. Spec KEY-9, KEY-10.

import { isPermitted, KeyPermission, singlePermissions } from "../../core/accounts.ts";

export interface KeyRestrictions {
  /** Bits of KeyPermission. */
  readonly permissions: number;
  /** CIDR ranges; empty for any address. */
  readonly allowedRanges: readonly string[];
  /** Microseconds UTC at which the key is revoked; 0 for never. */
  readonly expiresUs: number;
}

const names: readonly (readonly [name: string, bit: number])[] = [
  ["READ", KeyPermission.read],
  ["TRADE", KeyPermission.trade],
  ["TRADE_SPOT", KeyPermission.tradeSpot],
  ["TRADE_PERPETUAL", KeyPermission.tradePerpetual],
  ["TRANSFER", KeyPermission.transfer],
  ["WITHDRAW", KeyPermission.withdraw],
];

/** The names of all permissions, as a refusal lists them. */
export const everyPermissionName = names.map(([name]) => name).join(", ");

/** The bit of a permission's name, in any case; 0 for an unknown name. */
export function permissionOf(name: string): number {
  return names.find(([known]) => known === name.toUpperCase())?.[1] ?? 0;
}

/** Names of permission bits in their stored form, so TRADE in place of its three parts. */
export function permissionNames(permissions: number): string[] {
  return names.filter(([, bit]) => (permissions & bit) !== 0).map(([name]) => name);
}

/** Whether `after` allows anything that `before` does not; `isWithin` compares address ranges. */
export function isWidening(
  before: KeyRestrictions,
  after: KeyRestrictions,
  isWithin: (range: string, ranges: readonly string[]) => boolean,
): boolean {
  if (addsPermission(before.permissions, after.permissions)) return true;
  if (lastsLonger(before.expiresUs, after.expiresUs)) return true;
  if (before.allowedRanges.length === 0) return false;
  const { allowedRanges } = after;
  return (
    allowedRanges.length === 0 ||
    !allowedRanges.every((range) => isWithin(range, before.allowedRanges))
  );
}

/** Whether a set of permissions allows anything that another one does not. */
export function addsPermission(before: number, after: number): boolean {
  return (singlePermissions(after) & ~singlePermissions(before)) !== 0;
}

function lastsLonger(beforeUs: number, afterUs: number): boolean {
  return beforeUs !== 0 && (afterUs === 0 || afterUs > beforeUs);
}

/** Whether the restrictions allow withdrawals from anywhere, which no owner may set. Spec KEY-17. */
export function withdrawsAnywhere({ permissions, allowedRanges }: KeyRestrictions): boolean {
  return isPermitted(permissions, KeyPermission.withdraw) && allowedRanges.length === 0;
}

export interface RestrictionTerms extends KeyRestrictions {
  /** Host and port under which the venue is reached. */
  readonly venue: string;
  readonly partyId: string;
  /** The key's public id. */
  readonly keyId: string;
  readonly nonce: string;
  readonly issuedMs: number;
  readonly expiresMs: number;
}

/** The text that a wallet signs. It is valid for this change of this key at this venue, and not as a login. */
export function restrictionText(terms: RestrictionTerms): string {
  const { venue, partyId, keyId, permissions, allowedRanges, nonce, issuedMs, expiresMs } = terms;
  const { expiresUs } = terms;
  return [
    "Rialto API key change, version 2",
    "Signing this changes what one API key may do; it opens no session and moves nothing.",
    `Venue: ${venue}`,
    `Party: ${partyId}`,
    `Key: ${keyId}`,
    `Permissions: ${permissionNames(permissions).join(", ")}`,
    `Addresses: ${allowedRanges.length === 0 ? "any" : allowedRanges.join(", ")}`,
    `Key expires: ${expiresUs === 0 ? "never" : new Date(expiresUs / 1000).toISOString()}`,
    `Nonce: ${nonce}`,
    `Issued: ${new Date(issuedMs).toISOString()}`,
    `Expires: ${new Date(expiresMs).toISOString()}`,
  ].join("\n");
}

/** The venue named in a text that `restrictionText` made. */
export function venueNamed(message: string): string {
  return message.split("\n")[2]?.slice("Venue: ".length) ?? "";
}
