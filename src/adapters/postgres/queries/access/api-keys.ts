// Stores API keys. A row is written before the key is registered. Later changes of permissions are projected from
// events; only lists of keys show them.

import type { KeyType } from "../../../../core/accounts.ts";
import type {
  KeyListing,
  KeyPage,
  KeyRow,
  KeyStore,
  KeyUse,
  KeyUseStore,
} from "../../../../ports/access/key-store.ts";
import type { Sql } from "../../connection.ts";
import { Fragment } from "../../sql.ts";

interface ApiKeyRow {
  readonly key_id: number;
  readonly account: number;
  readonly api_key: string;
  readonly key_type: number;
  readonly label: string | null;
  readonly sealed_secret: Uint8Array | null;
  readonly seal_version: number;
  readonly public_key: Buffer | null;
  readonly ranges: readonly string[];
  readonly session_id: number | null;
  readonly created_us: string;
  readonly tier: number;
  readonly permissions: number;
  readonly revoked_us: string | null;
}

/** A row for a list of keys. */
interface ListedRow extends ApiKeyRow {
  readonly used_ms: string | null;
  readonly uses_known_ms: string;
}

/** Columns of a listed row. Uses are kept since the migration that added their column. */
const listed = new Fragment(
  [
    `*, to_json(allowed_ranges) as ranges,
     (select floor(extract(epoch from applied_at) * 1000)::bigint from schema_migrations
      where version = 19) as uses_known_ms`,
  ],
  [],
);

export class PostgresKeyStore implements KeyStore, KeyUseStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async takeKeyId(): Promise<number> {
    const [row] = await this.#sql<{ id: string }[]>`select nextval('api_key_ids') as id`;
    return Number(row?.id);
  }

  async insert(row: KeyRow): Promise<void> {
    const sealed = row.sealedSecret === null ? null : Buffer.from(row.sealedSecret);
    const publicKey = row.publicKey === null ? null : Buffer.from(row.publicKey, "base64");
    const ranges = arrayText(row.allowedRanges);
    await this.#sql`
      insert into api_keys (key_id, account, api_key, key_type, label, sealed_secret, seal_version,
                            public_key, allowed_ranges, session_id, created_us)
      values (${row.keyId}, ${row.account}, ${row.key}, ${row.keyType}, ${row.label}, ${sealed},
              ${row.sealVersion}, ${publicKey}, ${ranges}::text[], ${row.sessionId},
              ${row.createdMs * 1000})`;
  }

  async load(keyId: number): Promise<KeyRow | null> {
    const [row] = await this.#sql<ApiKeyRow[]>`
      select *, to_json(allowed_ranges) as ranges from api_keys where key_id = ${keyId}`;
    return row === undefined ? null : materialOf(row);
  }

  /** Returns the registered keys that are not revoked; other keys grant nothing. */
  async loadAll(): Promise<KeyRow[]> {
    const rows = await this.#sql<ApiKeyRow[]>`
      select *, to_json(allowed_ranges) as ranges from api_keys
      where is_registered and revoked_us is null order by key_id`;
    return rows.map(materialOf);
  }

  /**
   * Returns at most `limit` registered keys of one account or of all accounts, with ids above `after`, ordered by id.
   */
  async list({ account, after, limit }: KeyPage): Promise<KeyListing[]> {
    const rows = await this.#sql<ListedRow[]>`
      select ${listed} from api_keys
      where is_registered and key_id > ${after}
        and (${account}::integer is null or account = ${account})
      order by key_id limit ${limit}`;
    return rows.map(listingOf);
  }

  async find(keyId: number): Promise<KeyListing | null> {
    const [row] = await this.#sql<ListedRow[]>`
      select ${listed} from api_keys
      where is_registered and key_id = ${keyId}`;
    return row === undefined ? null : listingOf(row);
  }

  /** Whether an API key of this text is registered. */
  async has(apiKey: string): Promise<boolean> {
    const rows = await this.#sql`
      select key_id from api_keys where api_key = ${apiKey} and is_registered`;
    return rows.length > 0;
  }

  async ofAccount({
    account,
    withRevoked,
    limit,
  }: {
    account: number;
    withRevoked: boolean;
    limit: number;
  }): Promise<KeyListing[]> {
    const rows = await this.#sql<ListedRow[]>`
      select ${listed} from api_keys
      where is_registered and account = ${account} and session_id is null
        and (${withRevoked} or revoked_us is null)
      order by key_id desc limit ${limit}`;
    return rows.map(listingOf);
  }

  async replaceRanges(
    keyId: number,
    before: readonly string[],
    after: readonly string[],
  ): Promise<boolean> {
    const rows = await this.#sql`
      update api_keys set allowed_ranges = ${arrayText(after)}::text[]
      where key_id = ${keyId} and allowed_ranges = ${arrayText(before)}::text[] returning key_id`;
    return rows.length > 0;
  }

  async noteUses(uses: readonly KeyUse[]): Promise<void> {
    // A minute before the key's creation is that of a key of long ago with the same row of the rate limiter.
    await this.#sql`
      update api_keys k set used_ms = u.used_ms
      from unnest(${`{${uses.map(({ keyId }) => keyId).join(",")}}`}::integer[],
                  ${`{${uses.map(({ usedMs }) => usedMs).join(",")}}`}::bigint[]) as u (key_id, used_ms)
      where k.key_id = u.key_id and u.used_ms > coalesce(k.used_ms, k.created_us / 1000 - 60000)`;
  }

  /** Replaces the addresses from which a key may be used. */
  async setAllowedRanges(keyId: number, ranges: readonly string[]): Promise<void> {
    await this.#sql`
      update api_keys set allowed_ranges = ${arrayText(ranges)}::text[] where key_id = ${keyId}`;
  }
}

function listingOf(row: ListedRow): KeyListing {
  const { sealedSecret: _, sealVersion: __, createdMs: ___, ...shown } = materialOf(row);
  return {
    ...shown,
    tier: row.tier,
    permissions: row.permissions,
    createdUs: Number(row.created_us),
    revokedUs: row.revoked_us === null ? null : Number(row.revoked_us),
    usedMs: row.used_ms === null ? null : Number(row.used_ms),
    usesKnownMs: Number(row.uses_known_ms),
  };
}

function materialOf(row: ApiKeyRow): KeyRow {
  return {
    keyId: row.key_id,
    account: row.account,
    key: row.api_key,
    keyType: row.key_type as KeyType,
    label: row.label,
    sealedSecret: row.sealed_secret,
    sealVersion: row.seal_version,
    publicKey: row.public_key === null ? null : row.public_key.toString("base64"),
    allowedRanges: row.ranges,
    sessionId: row.session_id,
    createdMs: Math.floor(Number(row.created_us) / 1000),
  };
}

/** Formats an array of ranges. They contain only hex digits, dots, colons and a slash, so nothing needs escaping. */
function arrayText(ranges: readonly string[]): string {
  for (const range of ranges) {
    if (!/^[0-9a-fA-F.:/]+$/.test(range)) throw new RangeError(`not an address range: ${range}`);
  }
  return `{${ranges.join(",")}}`;
}

/** The account of each API key that was ever registered, also of revoked ones. */
export async function accountsOfKeys(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ api_key: string; account: number }[]>`
    select api_key, account from api_keys where is_registered`;
  return new Map(rows.map(({ api_key: key, account }) => [key, account]));
}
