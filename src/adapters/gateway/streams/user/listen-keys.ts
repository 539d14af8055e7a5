// Listen keys: each key grants access to an account's stream until the key expires. A key is 64 random characters,
// valid for an hour after its last extension. A new request returns the live key of the same API key, as Binance does,
// so that clients which request a key after a reconnect keep receiving. A connection whose key was ended on any front
// is notified and closed. Spec STR-25, STR-35.

import { createHash } from "node:crypto";
import { listenKeysPerAccountMax } from "../../../../core/limits.ts";
import type { MarketKind } from "../../../../core/markets.ts";
import type { ListenKeyRow, ListenKeyStore } from "../../../../ports/access/listen-key-store.ts";
import type { Clock } from "../../../../ports/clock.ts";
import type { Entropy } from "../../../../ports/entropy.ts";
import { listenKeyOwner, type SecretBox } from "../../../../services/access/secret-box.ts";
import type { StreamConnection } from "../stream-connection.ts";

const keyLength = 64;

export interface ListenKeyParts {
  readonly store: ListenKeyStore;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly box: SecretBox;
  /** Time for which a key is valid after its last extension, in milliseconds (Binance: an hour). */
  readonly lifeMs: number;
}

/** The account and the surface to which listen keys belong. */
export interface ListenKeyOwner {
  readonly account: number;
  readonly surface: MarketKind;
}

/** The account and surface of a listen key, with the API key that requests it. */
interface OwnMaker extends ListenKeyOwner {
  readonly keyId: number;
}

function hashOf(listenKey: string): string {
  return createHash("sha256").update(listenKey).digest("hex");
}

export class ListenKeys {
  readonly #parts: ListenKeyParts;
  /** Connections of this front, each with the hash of the listen key it used. */
  readonly #connections = new Map<StreamConnection, string>();

  constructor(parts: ListenKeyParts) {
    this.#parts = parts;
  }

  /** Extends and returns the live listen key of an API key, or creates a listen key if there is none. */
  async make(owner: ListenKeyOwner, keyId: number): Promise<string> {
    return (await this.#live({ ...owner, keyId })) ?? (await this.#fresh({ ...owner, keyId }));
  }

  /** Extends one key of the owner, or all keys if none is named. Returns false if there was no such key. */
  async extend(owner: ListenKeyOwner, listenKey: string | undefined): Promise<boolean> {
    const { store, clock, lifeMs } = this.#parts;
    const hash = listenKey === undefined ? null : hashOf(listenKey);
    const nowMs = clock.nowMs();
    return (await store.extend({ ...owner, hash }, nowMs + lifeMs, nowMs)) > 0;
  }

  /** Ends one key of the owner, or all keys if none is named. */
  async end(owner: ListenKeyOwner, listenKey: string | undefined): Promise<void> {
    const hash = listenKey === undefined ? null : hashOf(listenKey);
    await this.#parts.store.remove({ ...owner, hash });
  }

  /**
   * Returns the account and the surface whose stream the listen key opens, or null if the key is not valid. Records
   * that the connection uses this key.
   */
  async open(listenKey: string, connection: StreamConnection): Promise<ListenKeyRow | null> {
    const { store, clock } = this.#parts;
    const hash = hashOf(listenKey);
    const row = await store.find(hash, clock.nowMs());
    if (row !== null && connection.socket !== null) this.#connections.set(connection, hash);
    return row;
  }

  /** Extends and returns the newest live key; null if there is none or it cannot be decrypted. */
  async #live(maker: OwnMaker): Promise<string | null> {
    const { store, clock, box } = this.#parts;
    const row = await store.newest(maker, clock.nowMs());
    // A listen key that was encrypted with a removed master key stays valid, but cannot be decrypted any more.
    if (row === null || !box.keys.some(({ version }) => version === row.sealVersion)) return null;
    const listenKey = box.open(row.sealed, listenKeyOwner(maker), row.sealVersion);
    const { account, surface } = maker;
    const isLive = await this.extend({ account, surface }, listenKey);
    return isLive ? listenKey : null;
  }

  async #fresh({ account, surface, keyId }: OwnMaker): Promise<string> {
    const { store, clock, entropy, box, lifeMs } = this.#parts;
    const listenKey = entropy.text(keyLength);
    const nowMs = clock.nowMs();
    const row = { account, keyId, surface, expiresMs: nowMs + lifeMs };
    const sealed = box.seal(listenKey, listenKeyOwner({ keyId, surface }));
    const seal = { sealed, sealVersion: box.version };
    await store.add(hashOf(listenKey), row, { nowMs, liveMax: listenKeysPerAccountMax, seal });
    return listenKey;
  }

  leave(connection: StreamConnection): void {
    this.#connections.delete(connection);
  }

  /** Connections of this front whose listen key has ended. */
  async ended(): Promise<StreamConnection[]> {
    const known = [...this.#connections];
    if (known.length === 0) return [];
    const { store, clock } = this.#parts;
    const hashes = [...new Set(known.map(([, hash]) => hash))];
    const live = new Set(await store.live(hashes, clock.nowMs()));
    return known.filter(([, hash]) => !live.has(hash)).map(([connection]) => connection);
  }
}
