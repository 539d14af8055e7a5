// Reads and replaces rows with encrypted secrets, and stores the versions of the master key that encrypts them. A list
// of these rows starts with the venue's secrets, sorted by name, and ends with the API keys, sorted by number.

import type {
  MasterKeyVersion,
  ResealedRow,
  SealedRow,
  SealedStore,
} from "../../../../ports/access/sealed-store.ts";
import { keyOwner, venueOwner } from "../../../../services/access/secret-box.ts";
import type { Sql } from "../../connection.ts";

interface KeyColumns {
  readonly key_id: number;
  readonly account: number;
  readonly sealed_secret: Uint8Array | null;
  readonly seal_version: number;
  readonly is_revoked: boolean;
}

interface SecretColumns {
  readonly name: string;
  readonly sealed: Uint8Array;
  readonly seal_version: number;
}

export class PostgresSealedRows implements SealedStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async versions(): Promise<MasterKeyVersion[]> {
    const rows = await this.#sql<Record<"version" | "check" | "created_ms" | "rows", string>[]>`
      select version::text, key_check as check,
             floor(extract(epoch from created_at) * 1000)::text as created_ms,
             ((select count(*) from api_keys where seal_version = version)
              + (select count(*) from venue_secrets where seal_version = version))::text as rows
      from master_keys order by master_keys.version`;
    return rows.map((row) => ({
      version: Number(row.version),
      check: row.check,
      createdMs: Number(row.created_ms),
      rows: Number(row.rows),
    }));
  }

  async versionNumbers(): Promise<number[]> {
    const rows = await this.#sql<{ version: string }[]>`
      select version::text from master_keys order by master_keys.version`;
    return rows.map(({ version }) => Number(version));
  }

  async adopt(check: string): Promise<boolean> {
    const adopted = await this.#sql`
      update master_keys set key_check = ${check} where version = 1 and key_check is null
      returning version`;
    return adopted.length === 1;
  }

  async register(version: number, check: string): Promise<boolean> {
    const registered = await this.#sql`
      insert into master_keys (version, key_check) values (${version}, ${check})
      on conflict do nothing returning version`;
    return registered.length === 1;
  }

  async retireBefore(version: number): Promise<void> {
    await this.#sql`delete from master_keys where version < ${version}`;
  }

  async rowsBefore(version: number, limit: number): Promise<SealedRow[]> {
    const secrets = await this.#sql<SecretColumns[]>`
      select name, sealed, seal_version from venue_secrets
      where seal_version < ${version} order by name limit ${limit}`;
    const keys = await this.#sql<KeyColumns[]>`
      select key_id, account, sealed_secret, seal_version, revoked_us is not null as is_revoked
      from api_keys where seal_version < ${version}
      order by seal_version, key_id limit ${limit - secrets.length}`;
    return [...secrets.map(secretRow), ...keys.map(keyRow)];
  }

  async rowsOf(version: number, after: SealedRow | null, limit: number): Promise<SealedRow[]> {
    const isBehindSecrets = after?.kind === "API key";
    const secrets = isBehindSecrets
      ? []
      : await this.#sql<SecretColumns[]>`
          select name, sealed, seal_version from venue_secrets
          where seal_version = ${version} and name > ${String(after?.id ?? "")}
          order by name limit ${limit}`;
    const behindKey = isBehindSecrets ? Number(after.id) : 0;
    const keys = await this.#sql<KeyColumns[]>`
      select key_id, account, sealed_secret, seal_version, revoked_us is not null as is_revoked
      from api_keys where seal_version = ${version} and key_id > ${behindKey}
      order by seal_version, key_id limit ${limit - secrets.length}`;
    return [...secrets.map(secretRow), ...keys.map(keyRow)];
  }

  async reseal(version: number, rows: readonly ResealedRow[]): Promise<void> {
    await this.#sql.begin(async (sql) => {
      for (const { row, sealed } of rows) {
        const bytes = sealed === null ? null : Buffer.from(sealed);
        if (row.kind === "API key") {
          await sql`
            update api_keys set seal_version = ${version},
                                sealed_secret = coalesce(${bytes}, sealed_secret)
            where key_id = ${row.id} and seal_version = ${row.version}`;
        } else {
          await sql`
            update venue_secrets set seal_version = ${version}, sealed = ${bytes}
            where name = ${row.id} and seal_version = ${row.version}`;
        }
      }
    });
  }

  async secret(name: string): Promise<SealedRow | null> {
    const [row] = await this.#sql<SecretColumns[]>`
      select name, sealed, seal_version from venue_secrets where name = ${name}`;
    return row === undefined ? null : secretRow(row);
  }

  async addSecret(name: string, sealed: Uint8Array, version: number): Promise<void> {
    await this.#sql`
      insert into venue_secrets (name, sealed, seal_version)
      values (${name}, ${Buffer.from(sealed)}, ${version}) on conflict do nothing`;
  }
}

function secretRow({ name, sealed, seal_version: version }: SecretColumns): SealedRow {
  const owner = venueOwner(name);
  return { kind: "venue secret", id: name, owner, sealed, version, isRevoked: false };
}

function keyRow(row: KeyColumns): SealedRow {
  const { key_id: keyId, account, sealed_secret: secret } = row;
  return {
    kind: "API key",
    id: keyId,
    owner: keyOwner({ keyId, account }),
    sealed: secret?.length ? secret : null,
    version: row.seal_version,
    isRevoked: row.is_revoked,
  };
}
