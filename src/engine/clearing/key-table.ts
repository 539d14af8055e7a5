// Active API keys as clearing knows them: whose they are and what they may do. Secrets are not here;
// they rest encrypted in their own table. A key that is revoked is gone: its row stays in SQL, whose
// sequence never gives its id again.

import type { KeyType, RateTier } from "../../core/accounts.ts";
import { assert } from "../../core/assert.ts";
import { apiKeysMax } from "../../core/limits.ts";

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
  /** Keys of each account but its session keys. */
  readonly #counts = new Map<number, number>();

  get count(): number {
    return this.#keys.size;
  }

  hasRoom(): boolean {
    return this.#keys.size < apiKeysMax;
  }

  get(keyId: number): ApiKeyState | undefined {
    return this.#keys.get(keyId);
  }

  /** Keys of the account; session keys do not count. */
  countOf(account: number): number {
    return this.#counts.get(account) ?? 0;
  }

  /** Adds a key; asserts that its id is new. */
  register(key: ApiKeyState): void {
    assert(!this.#keys.has(key.keyId), "a key id is registered once");
    this.#keys.set(key.keyId, key);
    this.#count(key, 1);
  }

  /** Removes a key for good; asserts that it is registered. */
  revoke(keyId: number): void {
    const key = this.#keys.get(keyId);
    assert(key !== undefined, "a revoked key is registered");
    this.#keys.delete(keyId);
    this.#count(key, -1);
  }

  /** All keys by ascending id. */
  all(): ApiKeyState[] {
    return [...this.#keys.values()].sort((a, b) => a.keyId - b.keyId);
  }

  #count({ account, sessionId }: ApiKeyState, change: 1 | -1): void {
    if (sessionId !== 0) return;
    const count = this.countOf(account) + change;
    if (count === 0) this.#counts.delete(account);
    else this.#counts.set(account, count);
  }
}
