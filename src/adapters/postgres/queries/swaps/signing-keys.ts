// Stores the venue's keys for signing requests to providers. The private keys are stored encrypted.

import type {
  NewSigningKey,
  SealedKey,
  SigningKeyStore,
  VenueKey,
} from "../../../../ports/swaps/provider-registry.ts";
import type { Sql } from "../../connection.ts";
import { type StoredVenueKey, venueKeyOf } from "./provider-registry.ts";

/** Prefix of the names under which private keys are stored as secrets; the key's number follows. */
const secretPrefix = "provider signing key ";

/** Maximum number of published keys: two, while one replaces the other. */
const publishedMax = 2;

interface StoredSealedKey extends StoredVenueKey {
  readonly number: string;
  readonly sealed: Uint8Array;
  readonly seal_version: number;
}

export class PostgresSigningKeys implements SigningKeyStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async sealedKeys(nowMs: number): Promise<readonly (VenueKey & SealedKey)[]> {
    const rows = await this.#sql<StoredSealedKey[]>`
      select k.*, s.sealed, s.seal_version
      from venue_signing_keys k join venue_secrets s on s.name = ${secretPrefix} || k.number
      where k.retires_ms is null or k.retires_ms > ${nowMs}
      order by k.number desc`;
    return rows.map((row) => ({
      ...venueKeyOf(row),
      owner: `${secretPrefix}${row.number}`,
      sealed: new Uint8Array(row.sealed),
      sealVersion: row.seal_version,
    }));
  }

  async addKey(key: NewSigningKey): Promise<VenueKey | null> {
    const { keyId, publicKey, sealVersion, nowMs, signsFromMs, retirePreviousMs } = key;
    return this.#sql.begin(async (sql) => {
      await sql`lock table venue_signing_keys in share row exclusive mode`;
      if (key.isAtOnce)
        await sql`update venue_signing_keys set retires_ms = least(retires_ms, ${nowMs})`;
      const published = await sql<{ number: string }[]>`
        select number from venue_signing_keys where retires_ms is null or retires_ms > ${nowMs}`;
      if (published.length >= publishedMax) return null;
      await sql`update venue_signing_keys set retires_ms = ${retirePreviousMs}
                where retires_ms is null`;
      const [made] = await sql<StoredSealedKey[]>`
        insert into venue_signing_keys (key_id, public_key, created_ms, signs_from_ms)
        values (${keyId}, ${publicKey}, ${nowMs},
                ${published.length === 0 ? nowMs : signsFromMs})
        returning *`;
      const row = made as StoredSealedKey;
      const name = `${secretPrefix}${row.number}`;
      await sql`insert into venue_secrets (name, sealed, seal_version)
                values (${name}, ${Buffer.from(key.seal(name))}, ${sealVersion})`;
      return venueKeyOf(row);
    });
  }
}
