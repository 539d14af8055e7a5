// Stores API key material, which the journal must not contain. Tier, permissions and revocation are venue state, which
// is folded from events. This store does not decide whether a key is valid. Types only.

import type { KeyType } from "../../core/accounts.ts";

/** A stored key. The row is written before clearing registers the key; after that only `allowedRanges` changes. */
export interface KeyRow {
  readonly keyId: number;
  readonly account: number;
  /** Value of X-MBX-APIKEY: 64 letters and digits. */
  readonly key: string;
  readonly keyType: KeyType;
  readonly label: string | null;
  /** HMAC secret, encrypted with the master key and bound to key id and account; null for Ed25519. */
  readonly sealedSecret: Uint8Array | null;
  /** Version of the master key with which the secret is encrypted. */
  readonly sealVersion: number;
  /** Public key: standard base64 of 32 bytes for Ed25519, null for HMAC. */
  readonly publicKey: string | null;
  /** CIDR ranges from which the key may be used; empty for any address. */
  readonly allowedRanges: readonly string[];
  /** The session with which the key ends; null for a key that does not depend on a session. */
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
  /** Start of the minute of its last use, in Unix ms, as of a minute ago; null for none since `usesKnownMs`. */
  readonly usedMs: number | null;
  /** Unix ms since which the database keeps uses. */
  readonly usesKnownMs: number;
}

/** Start of the minute in which a key was last used, in Unix ms. */
export interface KeyUse {
  readonly keyId: number;
  readonly usedMs: number;
}

export interface KeyUseStore {
  /** Stores uses; an older one than that stored, or one from before the key's creation, changes nothing. */
  noteUses(uses: readonly KeyUse[]): Promise<void>;
}

/** A page of the key list. */
export interface KeyPage {
  /** The account whose keys are listed; null for the keys of all accounts. */
  readonly account: number | null;
  /** The last id of the previous page; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

export interface KeyStore {
  /** Returns a new, unique key id. */
  takeKeyId(): Promise<number>;
  /** Stores the row; throws if the key value or the id already exists. */
  insert(row: KeyRow): Promise<void>;
  load(keyId: number): Promise<KeyRow | null>;
  loadAll(): Promise<KeyRow[]>;
  /** Returns a registered key, revoked or not; null if it does not exist. */
  find(keyId: number): Promise<KeyListing | null>;
  /** Returns at most `limit` registered keys of an account, newest first, without session keys. */
  ofAccount(query: { account: number; withRevoked: boolean; limit: number }): Promise<KeyListing[]>;
  /**
   * Replaces the addresses from which a key may be used. Returns false, and changes nothing, if the stored addresses
   * differ from `before`.
   */
  replaceRanges(
    keyId: number,
    before: readonly string[],
    after: readonly string[],
  ): Promise<boolean>;
}
