// Active API keys as clearing knows them: whose they are and what they may do. Secrets are not here;
// they rest encrypted in their own table. A key that is revoked is gone: its row stays in SQL, whose
// sequence never gives its id again.

import { type KeyType, RateTier } from "../../../core/accounts.ts";
import { assert } from "../../../core/assert.ts";
import { apiKeysMax } from "../../../core/limits.ts";

export interface ApiKeyState {
  readonly keyId: number;
  readonly account: number;
  readonly keyType: KeyType;
  /** The session it lives with; 0 for a key of its own. */
  readonly sessionId: number;
  tier: RateTier;
  permissions: number;
}

export class KeyTable {
  readonly #keys = new Map<number, ApiKeyState>();
  /** Keys of each account but its session keys: ten at most, but for those that the operator made. */
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

  /** Keys of the account but its session keys. */
  ofAccount(account: number): readonly ApiKeyState[] {
    return this.#ofAccount.get(account) ?? [];
  }

  /** Keys of the account; session keys do not count. */
  countOf(account: number): number {
    return this.ofAccount(account).length;
  }

  /** Whether the operator has given the account a key of another tier than users make. Permissions are theirs. */
  hasOperators(account: number): boolean {
    return this.ofAccount(account).some(({ tier }) => tier !== RateTier.standard);
  }

  /** The largest tier among the account's keys; a session and its key have the standard one. Spec LIM-30. */
  largestTier(account: number): RateTier {
    let largest: RateTier = RateTier.standard;
    for (const { tier } of this.#ofAccount.get(account) ?? []) if (tier > largest) largest = tier;
    return largest;
  }

  /** Adds a key; asserts that its id is new. */
  register(key: ApiKeyState): void {
    assert(!this.#keys.has(key.keyId), "a key id is registered once");
    this.#keys.set(key.keyId, key);
    if (key.sessionId !== 0) return;
    const others = this.#ofAccount.get(key.account);
    if (others === undefined) this.#ofAccount.set(key.account, [key]);
    else others.push(key);
  }

  /** Removes a key for good; asserts that it is registered. */
  revoke(keyId: number): void {
    const key = this.#keys.get(keyId);
    assert(key !== undefined, "a revoked key is registered");
    this.#keys.delete(keyId);
    if (key.sessionId !== 0) return;
    const left = (this.#ofAccount.get(key.account) ?? []).filter((one) => one !== key);
    if (left.length === 0) this.#ofAccount.delete(key.account);
    else this.#ofAccount.set(key.account, left);
  }

  /** All keys by ascending id. */
  all(): ApiKeyState[] {
    return [...this.#keys.values()].sort((a, b) => a.keyId - b.keyId);
  }
}
