// What an API key may do and from where, as its member changes it: names of permissions, what widens a key, and
// the text that a wallet signs before one is widened. Narrowing needs no more than a session. Spec KEY-9, KEY-10.

import { KeyPermission } from "../../core/accounts.ts";

export interface KeyRestrictions {
  /** Bits of KeyPermission. */
  readonly permissions: number;
  /** CIDR ranges; empty for anywhere. */
  readonly allowedRanges: readonly string[];
}

const names: readonly (readonly [name: string, bit: number])[] = [
  ["READ", KeyPermission.read],
  ["TRADE", KeyPermission.trade],
  ["WITHDRAW", KeyPermission.withdraw],
];

/** The bit of a permission's name, in any case; 0 for what is none. */
export function permissionOf(name: string): number {
  return names.find(([known]) => known === name.toUpperCase())?.[1] ?? 0;
}

/** Names of permission bits, in their order. */
export function permissionNames(permissions: number): string[] {
  return names.filter(([, bit]) => (permissions & bit) !== 0).map(([name]) => name);
}

/** Whether a key of `after` can do anything that one of `before` cannot; `isWithin` compares address ranges. */
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

/** What a wallet signs: this change of this key at this venue, and no login. */
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

/** The venue that a text names. */
export function venueNamed(message: string): string {
  return message.split("\n")[2]?.slice("Venue: ".length) ?? "";
}
