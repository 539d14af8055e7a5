// API keys in memory, found by their value. Holds key material only (account, signature check, addresses);
// tier, permissions and revocation are in the venue's state. Material is loaded when the registration event
// is seen; a request that arrives before the load has ended waits for it.

import { KeyType } from "../../core/accounts.ts";
import { present } from "../../core/assert.ts";
import type { KeyRow, KeyStore } from "../../ports/access/key-store.ts";
import { MaterialLoads, type MaterialLoadsOptions } from "./material-loads.ts";
import { keyOwner, type SecretBox } from "./secret-box.ts";
import type { SignatureCheck } from "./signed-request.ts";
import { Ed25519Signature, HmacSignature } from "./signed-request.ts";

export interface ApiKey {
  readonly keyId: number;
  readonly account: number;
  readonly check: SignatureCheck;
  /** Whether the key may be used from `address`. */
  allowsAddress(address: string): boolean;
}

export interface KeyDirectoryOptions extends MaterialLoadsOptions {
  /** Returns a check of whether an address is in one of the CIDR ranges. It is called only with non-empty lists. */
  rangesHold(ranges: readonly string[]): (address: string) => boolean;
}

export class KeyDirectory {
  readonly #store: KeyStore;
  readonly #box: SecretBox;
  readonly #options: KeyDirectoryOptions;
  readonly #byValue = new Map<string, ApiKey>();
  readonly #values = new Map<number, string>();
  /** Keys that were dropped before their material was loaded. If their load fails, it is not retried. */
  readonly #givenUp = new Set<number>();
  readonly #loads: MaterialLoads;

  constructor(store: KeyStore, box: SecretBox, options: KeyDirectoryOptions) {
    this.#store = store;
    this.#box = box;
    this.#options = options;
    const isNeeded = (keyId: number) => !this.#values.has(keyId) && !this.#givenUp.has(keyId);
    this.#loads = new MaterialLoads((keyId) => this.#loadOne(keyId), isNeeded, options);
  }

  /** Loads every key, before the listener opens. A row that cannot be decrypted is reported, not fatal. */
  async loadAll(): Promise<void> {
    for (const row of await this.#store.loadAll()) {
      try {
        this.#add(row);
      } catch (cause) {
        this.#options.onFault(row.keyId, cause);
      }
    }
  }

  /** Starts loading a key that was registered or changed and is not revoked. */
  load(keyId: number): void {
    // A changed key is first dropped with `forget` and then loaded again. If the key was not loaded yet, `forget` has
    // added it to `#givenUp`.
    this.#givenUp.delete(keyId);
    this.#loads.begin(keyId);
  }

  /** Drops a key that was revoked or changed, and erases its secret from memory. */
  forget(keyId: number): void {
    const value = this.#values.get(keyId);
    if (value === undefined) {
      this.#givenUp.add(keyId);
      return;
    }
    this.#byValue.get(value)?.check.erase();
    this.#byValue.delete(value);
    this.#values.delete(keyId);
  }

  find(value: string): ApiKey | undefined {
    return this.#byValue.get(value);
  }

  ofId(keyId: number): ApiKey | undefined {
    const value = this.#values.get(keyId);
    return value === undefined ? undefined : this.#byValue.get(value);
  }

  get isLoading(): boolean {
    return this.#loads.isBusy;
  }

  /** Resolves when all loads in progress have ended, with or without success. */
  settled(): Promise<void> {
    return this.#loads.settled();
  }

  async #loadOne(keyId: number): Promise<void> {
    const row = await this.#store.load(keyId);
    this.#add(present(row, "a registered key must have a row"));
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
      return new Ed25519Signature(present(row.publicKey, "an Ed25519 key must have a public key"));
    }
    const sealed = present(row.sealedSecret, "an HMAC key must have an encrypted secret");
    return new HmacSignature(this.#box.open(sealed, keyOwner(row), row.sealVersion));
  }
}
