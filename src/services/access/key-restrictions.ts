// Restrictions of an API key as its owner changes them: permission names, what counts as widening, and the text that a
// wallet signs to widen the restrictions. Narrowing them needs only a session. Spec KEY-9, KEY-10.

import { KeyPermission } from "../../core/accounts.ts";

export interface KeyRestrictions {
  /** Bits of KeyPermission. */
  readonly permissions: number;
  /** CIDR ranges; empty for any address. */
  readonly allowedRanges: readonly string[];
}

const names: readonly (readonly [name: string, bit: number])[] = [
  ["READ", KeyPermission.read],
  ["TRADE", KeyPermission.trade],
  ["WITHDRAW", KeyPermission.withdraw],
];

/** The bit of a permission's name, in any case; 0 for an unknown name. */
export function permissionOf(name: string): number {
  return names.find(([known]) => known === name.toUpperCase())?.[1] ?? 0;
}

/** Names of permission bits, in bit order. */
export function permissionNames(permissions: number): string[] {
  return names.filter(([, bit]) => (permissions & bit) !== 0).map(([name]) => name);
}

/** Whether `after` allows anything that `before` does not; `isWithin` compares address ranges. */
export function isWidening(
  before: KeyRestrictions,
  after: KeyRestrictions,
  isWithin: (range: string, ranges: readonly string[]) => boolean,
): boolean {
  if ((after.permissions & ~before.permissions) !== 0) return true;
  if (before.allowedRanges.length === 0) return false;
  const { allowedRanges } = after;
  return (
    allowedRanges.length === 0 ||
    !allowedRanges.every((range) => isWithin(range, before.allowedRanges))
  );
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
  return [
    "Rialto API key change, version 1",
    "Signing this changes what one API key may do; it opens no session and moves nothing.",
    `Venue: ${venue}`,
    `Party: ${partyId}`,
    `Key: ${keyId}`,
    `Permissions: ${permissionNames(permissions).join(", ")}`,
    `Addresses: ${allowedRanges.length === 0 ? "any" : allowedRanges.join(", ")}`,
    `Nonce: ${nonce}`,
    `Issued: ${new Date(issuedMs).toISOString()}`,
    `Expires: ${new Date(expiresMs).toISOString()}`,
  ].join("\n");
}

/** The venue named in a text that `restrictionText` made. */
export function venueNamed(message: string): string {
  return message.split("\n")[2]?.slice("Venue: ".length) ?? "";
}
