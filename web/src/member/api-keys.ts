// The user's API keys and their restrictions. A change that gives a key more than it had is signed with the browser's
// key, after this page has checked that the text to sign says exactly that change.

import { storedPermissions } from "../../../src/core/accounts.ts";
import { permissionOf, restrictionText } from "../../../src/services/access/key-restrictions.ts";
import { requestOwn, session } from "./session.ts";
import { VenueFault } from "./venue-api.ts";
import { sign, storedKey } from "./wallet-key.ts";

export interface Restrictions {
  readonly permissions: readonly string[];
  /** Addresses and networks; empty for any. */
  readonly allowed_addresses: readonly string[];
  /** Null for never. */
  readonly expires_at: string | null;
}

interface ApiKey {
  readonly id: string;
  readonly key: string;
  readonly label: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export interface RestrictedKey extends ApiKey {
  /** Since when an absent last use is known; null if that is the key's creation. */
  readonly unusedSince: string | null;
  readonly restrictions: Restrictions;
}

export interface NewApiKey extends ApiKey {
  readonly secret: string;
}

const path = "/v1/api-keys";

/** The permissions that can be chosen, with what they allow. */
export const permissionOptions = [
  ["READ", "Read account, orders and trades"],
  ["TRADE_SPOT", "Trade spot markets"],
  ["TRADE_PERPETUAL", "Trade perpetuals"],
  ["TRANSFER", "Transfer between your wallets"],
  ["WITHDRAW", "Withdraw to the ledger"],
] as const;
export type Permission = (typeof permissionOptions)[number][0];

/** Rights of a new key: whoever wants more chooses it. */
export const firstPermissions: readonly Permission[] = ["READ"];

/** Returns the permissions as single ones: the venue says TRADE for its three parts. */
export function singleOf(permissions: readonly string[]): Permission[] {
  const isWhole = permissions.includes("TRADE");
  return permissionOptions
    .map(([name]) => name)
    .filter((name) => {
      const isPart = name !== "READ" && name !== "WITHDRAW";
      return permissions.includes(name) || (isWhole && isPart);
    });
}

/** Parses the typed list of addresses, which may be separated by commas, spaces or lines. */
export function addressesIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((address) => address !== "");
}

/** Whether a typed text is an address, or one with the length of a prefix; whether bits are set behind it, the venue says. */
export function isAddressOrNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const isShort = /^(\d{1,3}\.){3}\d{1,3}$/.test(address);
  const isSound = isShort
    ? address.split(".").every((byte) => Number(byte) <= 255)
    : address.includes(":") && URL.canParse(`http://[${address}]`);
  const bits = prefix ?? "0";
  return (
    isSound && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (isShort ? 32 : 128)
  );
}

interface KeyList {
  readonly keys: readonly ApiKey[];
  readonly uses_known_since: string;
}

export async function readKeys(): Promise<RestrictedKey[]> {
  const { keys, uses_known_since: since } = await requestOwn<KeyList>("GET", path);
  return Promise.all(
    keys.map(async (key) => ({
      ...key,
      // Of an older key the venue does not know whether it was used before.
      unusedSince: key.created_at < since ? since : null,
      restrictions: await requestOwn<Restrictions>("GET", `${path}/${key.id}/restrictions`),
    })),
  );
}

/**
 * Creates a key with restrictions. Its secret is returned only once the restrictions apply; if they are refused, the key
 * is revoked, so that no key has more rights than its owner chose.
 */
export async function createKey(label: string, wanted: Restrictions): Promise<NewApiKey> {
  const made = await requestOwn<NewApiKey>("POST", path, { body: { label } });
  try {
    await restrictKey(made.id, wanted);
  } catch (fault) {
    await revokeKey(made.id);
    throw fault;
  }
  return made;
}

export async function revokeKey(id: string): Promise<void> {
  await requestOwn("DELETE", `${path}/${id}`);
}

interface Challenge {
  readonly nonce: string;
  readonly message: string;
  readonly expires_at: string;
}

/** Replaces the restrictions of a key. Signs the change if it needs that. */
export async function restrictKey(id: string, wanted: Restrictions): Promise<void> {
  const change = `${path}/${id}/restrictions`;
  try {
    await requestOwn("PUT", change, { body: wanted });
  } catch (fault) {
    const needsSignature =
      fault instanceof VenueFault && /adds rights to the key/.test(fault.message);
    if (!needsSignature) throw fault;
    const challenge = await requestOwn<Challenge>("POST", `${change}/challenge`, { body: wanted });
    const proof = { nonce: challenge.nonce, signature: await signed(id, wanted, challenge) };
    await requestOwn("PUT", change, { body: { ...wanted, ...proof } });
  }
}

/** Signs the venue's text if it is exactly the wanted change of this key at this venue. */
async function signed(
  keyId: string,
  wanted: Restrictions,
  { nonce, message, expires_at: expiresAt }: Challenge,
): Promise<string> {
  const issuedMs = Date.parse(/^Issued: (.*)$/m.exec(message)?.[1] ?? "");
  const bits = wanted.permissions.map(permissionOf).reduce((all, bit) => all | bit, 0);
  const { expires_at: until } = wanted;
  const expected = Number.isNaN(issuedMs)
    ? ""
    : restrictionText({
        venue: location.host,
        partyId: session.value?.partyId ?? "",
        keyId,
        nonce,
        issuedMs,
        expiresMs: Date.parse(expiresAt),
        permissions: storedPermissions(bits),
        allowedRanges: wanted.allowed_addresses,
        expiresUs: until === null ? 0 : Date.parse(until) * 1000,
      });
  if (message !== expected)
    throw new Error("The message to sign is not the change you chose. Nothing was signed.");
  const key = await storedKey();
  if (key === null) throw new Error("Your key is no longer stored in this browser.");
  return sign(key, message);
}
