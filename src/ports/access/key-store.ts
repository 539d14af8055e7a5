// Where the material of API keys rests: what the journal must not carry. Tier, permissions and
// revocation are venue state and come from events; this store never decides whether a key is valid.
// Types only.

import type { KeyType } from "../../core/accounts.ts";

/** One key at rest. Rows are written before the key's registration; only its addresses change after. */
export interface KeyRow {
  readonly keyId: number;
  readonly account: number;
  /** Value of X-MBX-APIKEY: 64 letters and digits. */
  readonly key: string;
  readonly keyType: KeyType;
  readonly label: string | null;
  /** HMAC secret sealed under the master key, bound to key id and account; null for Ed25519. */
  readonly sealedSecret: Uint8Array | null;
  /** Which master key sealed it. */
  readonly sealVersion: number;
  /** Standard base64 of 32 bytes for Ed25519; null for HMAC. */
  readonly publicKey: string | null;
  /** CIDR ranges the key may be used from; empty for anywhere. */
  readonly allowedRanges: readonly string[];
  /** The session the key lives with; null for a key of its own. */
  readonly sessionId: number | null;
  readonly createdMs: number;
}

/** A registered key with its tier and permissions, without its key material. */
export interface KeyListing {
  readonly keyId: number;
  readonly account: number;
  readonly key: string;
  readonly keyType: KeyType;
  readonly label: string | null;
  readonly publicKey: string | null;
  readonly sessionId: number | null;
  readonly tier: number;
  readonly permissions: number;
  readonly allowedRanges: readonly string[];
  readonly createdUs: number;
  readonly revokedUs: number | null;
}

/** Which keys a page lists. */
export interface KeyPage {
  /** null for keys of all accounts. */
  readonly account: number | null;
  /** The last id of the page before; 0 begins. */
  readonly after: number;
  readonly limit: number;
}

export interface KeyStore {
  /** A key id never given before. */
  takeKeyId(): Promise<number>;
  /** Writes the row; refuses (throws) a key value or id that exists. */
  insert(row: KeyRow): Promise<void>;
  load(keyId: number): Promise<KeyRow | null>;
  loadAll(): Promise<KeyRow[]>;
  /** A registered key, revoked or not, or null. */
  find(keyId: number): Promise<KeyListing | null>;
  /** Registered keys of an account but its session keys, newest first, at most `limit`. */
  ofAccount(query: { account: number; withRevoked: boolean; limit: number }): Promise<KeyListing[]>;
  /** Replaces the addresses a key may be used from; false where they are not `before` any more. */
  replaceRanges(
    keyId: number,
    before: readonly string[],
    after: readonly string[],
  ): Promise<boolean>;
}
