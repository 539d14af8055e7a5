// API keys in memory, found by their value: material only (account, signature check, addresses).
// Tier, permissions and revocation are the venue's state and are asked there. Material is loaded
// when a registration is seen; a request that comes first waits for loads under way. A load that
// fails is tried again: a key that is registered must not stay unknown until the next start.

import { KeyType } from "../../core/accounts.ts";
import { present } from "../../core/assert.ts";
import type { KeyRow, KeyStore } from "../../ports/key-store.ts";
import { Ed25519Signature } from "./ed25519-signature.ts";
import { HmacSignature } from "./hmac-signature.ts";
import type { SecretBox } from "./secret-box.ts";
import type { SignatureCheck } from "./signed-request.ts";

export interface ApiKey {
  readonly keyId: number;
  readonly account: number;
  readonly check: SignatureCheck;
  /** Whether the key may be used from `address`. */
  allowsAddress(address: string): boolean;
}

export interface KeyDirectoryOptions {
  /** Makes the test of an address against CIDR ranges; called for non-empty lists only. */
  rangesHold(ranges: readonly string[]): (address: string) => boolean;
  /** A load failed; the key stays unknown until it is loaded again, which is tried by itself. */
  onFault(keyId: number, cause: unknown): void;
  /** Calls `again` after that long, unless everything has ended by then. */
  later(again: () => void, delayMs: number): void;
}

/** A database that restarts is back within this; one that stays away is not asked more than this. */
const retryMs = { first: 100, longest: 30_000 } as const;

export class KeyDirectory {
  readonly #store: KeyStore;
  readonly #box: SecretBox;
  readonly #options: KeyDirectoryOptions;
  readonly #byValue = new Map<string, ApiKey>();
  readonly #values = new Map<number, string>();
  readonly #loads = new Set<Promise<void>>();

  constructor(store: KeyStore, box: SecretBox, options: KeyDirectoryOptions) {
    this.#store = store;
    this.#box = box;
    this.#options = options;
  }

  /** Loads every key; called before the door opens. A row that cannot be opened is reported, not fatal. */
  async loadAll(): Promise<void> {
    for (const row of await this.#store.loadAll()) {
      try {
        this.#add(row);
      } catch (cause) {
        this.#options.onFault(row.keyId, cause);
      }
    }
  }

  /** Begins to load the material of a key just registered. */
  load(keyId: number): void {
    this.#tryLoad(keyId, retryMs.first);
  }

  #tryLoad(keyId: number, retryAfterMs: number): void {
    if (this.#values.has(keyId)) return;
    const load = this.#loadOne(keyId).catch((cause: unknown) => {
      const { onFault, later } = this.#options;
      onFault(keyId, cause);
      const next = Math.min(2 * retryAfterMs, retryMs.longest);
      later(() => this.#tryLoad(keyId, next), retryAfterMs);
    });
    this.#loads.add(load);
    void load.finally(() => this.#loads.delete(load));
  }

  /** Drops a revoked key and what its secret left in memory. */
  forget(keyId: number): void {
    const value = this.#values.get(keyId);
    if (value === undefined) return;
    this.#byValue.get(value)?.check.erase();
    this.#byValue.delete(value);
    this.#values.delete(keyId);
  }

  find(value: string): ApiKey | undefined {
    return this.#byValue.get(value);
  }

  get isLoading(): boolean {
    return this.#loads.size > 0;
  }

  /** Resolves when the loads now under way have ended, well or not. */
  async settled(): Promise<void> {
    await Promise.all(this.#loads);
  }

  async #loadOne(keyId: number): Promise<void> {
    const row = await this.#store.load(keyId);
    this.#add(present(row, "the row of a registered key"));
  }

  #add(row: KeyRow): void {
    const { keyId, account, allowedRanges } = row;
    const holds = allowedRanges.length === 0 ? null : this.#options.rangesHold(allowedRanges);
    this.#byValue.set(row.key, {
      keyId,
      account,
      check: this.#checkOf(row),
      allowsAddress: (address) => holds === null || holds(address),
    });
    this.#values.set(keyId, row.key);
  }

  #checkOf(row: KeyRow): SignatureCheck {
    if (row.keyType === KeyType.ed25519) {
      return new Ed25519Signature(present(row.publicKey, "public key of an Ed25519 key"));
    }
    const sealed = present(row.sealedSecret, "sealed secret of an HMAC key");
    return new HmacSignature(this.#box.open(sealed, row, row.sealVersion));
  }
}
