// Active API keys: their accounts and permissions. Secrets are not here; they are stored encrypted in their
// own table. A revoked key is removed; its SQL row remains, and ids are never reused.

import { type KeyType, RateTier } from "../../../core/accounts.ts";
import { assert } from "../../../core/assert.ts";
import { apiKeysMax } from "../../../core/limits.ts";

export interface ApiKeyState {
  readonly keyId: number;
  readonly account: number;
  readonly keyType: KeyType;
  /** The session of the key; 0 for a key without one. */
  readonly sessionId: number;
  tier: RateTier;
  permissions: number;
  /** Microseconds UTC at which the key is revoked; 0 for never. */
  expiresUs: number;
}

export class KeyTable {
  readonly #keys = new Map<number, ApiKeyState>();
  /** Keys of each account except session keys: at most ten, plus those the operator created. */
  readonly #ofAccount = new Map<number, ApiKeyState[]>();

  get count(): number {
    return this.#keys.size;
  }

  hasRoom(): boolean {
    return this.#keys.size < apiKeysMax;
  }

  get(keyId: number): ApiKeyState | undefined {
    return this.#keys.get(keyId);
  }

  /** Keys of the account except session keys. */
  ofAccount(account: number): readonly ApiKeyState[] {
    return this.#ofAccount.get(account) ?? [];
  }

  /** Number of the account's keys; session keys do not count. */
  countOf(account: number): number {
    return this.ofAccount(account).length;
  }

  /**
   * Whether the account has a key with a tier above standard, which only the operator creates. Permissions do not
   * matter, because users set them themselves.
   */
  hasOperators(account: number): boolean {
    return this.ofAccount(account).some(({ tier }) => tier !== RateTier.standard);
  }

  /**
   * The highest tier among the account's keys; sessions and their keys have the standard tier. Spec LIM-30.
   */
  largestTier(account: number): RateTier {
    let largest: RateTier = RateTier.standard;
    for (const { tier } of this.#ofAccount.get(account) ?? []) if (tier > largest) largest = tier;
    return largest;
  }

  /** Adds a key, which does not expire yet; asserts that its id is new. */
  register(registered: Omit<ApiKeyState, "expiresUs">): void {
    assert(!this.#keys.has(registered.keyId), "a key id must be registered only once");
    const key = { ...registered, expiresUs: 0 };
    this.#keys.set(key.keyId, key);
    if (key.sessionId !== 0) return;
    const others = this.#ofAccount.get(key.account);
    if (others === undefined) this.#ofAccount.set(key.account, [key]);
    else others.push(key);
  }

  /** Sets when the key expires, in microseconds UTC; 0 for never. Asserts that it is registered. */
  setExpiry(keyId: number, expiresUs: number): void {
    const key = this.#keys.get(keyId);
    assert(key !== undefined, "a key must be registered when its expiry is set");
    key.expiresUs = expiresUs;
  }

  /** Keys that will expire, by ascending id. */
  expiring(): ApiKeyState[] {
    return this.all().filter(({ expiresUs }) => expiresUs !== 0);
  }

  /** Removes a key for good; asserts that it is registered. */
  revoke(keyId: number): void {
    const key = this.#keys.get(keyId);
    assert(key !== undefined, "a key must be registered when it is revoked");
    this.#keys.delete(keyId);
    if (key.sessionId !== 0) return;
    const left = (this.#ofAccount.get(key.account) ?? []).filter((one) => one !== key);
    if (left.length === 0) this.#ofAccount.delete(key.account);
    else this.#ofAccount.set(key.account, left);
  }

  ids(): Iterable<number> {
    return this.#keys.keys();
  }

  /** All keys by ascending id. */
  all(): ApiKeyState[] {
    return [...this.#keys.values()].sort((a, b) => a.keyId - b.keyId);
  }
}
