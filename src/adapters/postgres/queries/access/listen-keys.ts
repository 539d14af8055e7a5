// Stores listen keys. Each key is stored encrypted and is found by its hash.

import type {
  ListenKeyChoice,
  ListenKeyMaker,
  ListenKeyRow,
  ListenKeyStore,
  ListenKeyTerms,
} from "../../../../ports/access/listen-key-store.ts";
import type { Sql } from "../../connection.ts";
import type { Stored } from "../../rows.ts";

interface SealedRow {
  readonly hash: string;
  readonly sealed_key: Uint8Array;
  readonly seal_version: number;
}

export class PostgresListenKeys implements ListenKeyStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async add(
    hash: string,
    { account, keyId, surface, expiresMs }: ListenKeyRow,
    { nowMs, liveMax, seal }: ListenKeyTerms,
  ): Promise<void> {
    await this.#sql`
      with ended as (
        delete from listen_keys
        where account = ${account} and surface = ${surface}
          and (expires_ms <= ${nowMs} or hash in (
            select hash from listen_keys
            where account = ${account} and surface = ${surface} and expires_ms > ${nowMs}
            order by created_ms desc, hash offset ${liveMax - 1}))
      )
      insert into listen_keys
        (hash, account, key_id, surface, created_ms, expires_ms, sealed_key, seal_version)
      values (${hash}, ${account}, ${keyId}, ${surface}, ${nowMs}, ${expiresMs},
        ${seal.sealed}, ${seal.sealVersion})`;
  }

  async newest({ account, surface, keyId }: ListenKeyMaker, nowMs: number) {
    const [row] = await this.#sql<SealedRow[]>`
      select hash, sealed_key, seal_version from listen_keys
      where account = ${account} and surface = ${surface} and key_id = ${keyId}
        and expires_ms > ${nowMs} and sealed_key is not null
      order by created_ms desc, hash limit 1`;
    if (row === undefined) return null;
    return { hash: row.hash, sealed: row.sealed_key, sealVersion: row.seal_version };
  }

  async find(hash: string, nowMs: number): Promise<ListenKeyRow | null> {
    const [row] = await this.#sql<Stored<ListenKeyRow>[]>`
      select account, key_id, surface, expires_ms from listen_keys
      where hash = ${hash} and expires_ms > ${nowMs}`;
    if (row === undefined) return null;
    return {
      account: Number(row.account),
      keyId: Number(row.key_id),
      surface: row.surface as ListenKeyRow["surface"],
      expiresMs: Number(row.expires_ms),
    };
  }

  async extend(
    { account, surface, hash }: ListenKeyChoice,
    expiresMs: number,
    nowMs: number,
  ): Promise<number> {
    const { count } = await this.#sql`
      update listen_keys set expires_ms = ${expiresMs}
      where account = ${account} and surface = ${surface} and expires_ms > ${nowMs}
        and (${hash}::text is null or hash = ${hash})`;
    return count;
  }

  async remove({ account, surface, hash }: ListenKeyChoice): Promise<void> {
    await this.#sql`
      delete from listen_keys
      where account = ${account} and surface = ${surface}
        and (${hash}::text is null or hash = ${hash})`;
  }

  async live(hashes: readonly string[], nowMs: number): Promise<string[]> {
    const rows = await this.#sql<{ hash: string }[]>`
      select hash from listen_keys
      where hash = any (${`{${hashes.join(",")}}`}::text[]) and expires_ms > ${nowMs}`;
    return rows.map(({ hash }) => hash);
  }
}
