// API keys as clearing knows them: whose they are and what they may do. Secrets are not here; they
// rest encrypted in their own table. A revoked key stays, so that its id is never used again.

import type { KeyType, RateTier } from "../../core/accounts.ts";
import { assert } from "../../core/assert.ts";
import { apiKeysMax } from "../../core/limits.ts";

export interface ApiKeyState {
  readonly keyId: number;
  readonly account: number;
  readonly keyType: KeyType;
  tier: RateTier;
  permissions: number;
  isRevoked: boolean;
}

export class KeyTable {
  readonly #keys = new Map<number, ApiKeyState>();

  get count(): number {
    return this.#keys.size;
  }

  hasRoom(): boolean {
    return this.#keys.size < apiKeysMax;
  }

  get(keyId: number): ApiKeyState | undefined {
    return this.#keys.get(keyId);
  }

  /** Adds a key; asserts that its id is new. */
  register(key: ApiKeyState): void {
    assert(!this.#keys.has(key.keyId), "a key id is registered once");
    this.#keys.set(key.keyId, key);
  }

  /** All keys by ascending id. */
  all(): ApiKeyState[] {
    return [...this.#keys.values()].sort((a, b) => a.keyId - b.keyId);
  }
}
