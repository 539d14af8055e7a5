// Stores liquidity providers. Fronts read and add them; the operator decides on them.

import { PublicIdKind, publicId } from "../../../../core/ids/public-id.ts";
import {
  type NewProvider,
  type ProviderKey,
  type ProviderOffice,
  type ProviderRecord,
  type ProviderRegistry,
  ProviderState,
  type ProviderSwap,
  type VenueKey,
} from "../../../../ports/swaps/provider-registry.ts";
import { numberOrNull, type Stored } from "../../rows.ts";
import type { Sql, Statements } from "../../sql.ts";

export type StoredProvider = Stored<ProviderRecord>;

export function providerOf(row: StoredProvider): ProviderRecord {
  const { provider, name, url, party, reason, health } = row;
  return {
    ...{ provider, name, url, party, reason, health },
    state: row.state as ProviderState,
    score: Number(row.score),
    pairs: JSON.parse(row.pairs) as string[],
    createdMs: Number(row.created_ms),
    decidedMs: numberOrNull(row.decided_ms),
    asked: Number(row.asked),
    quoted: Number(row.quoted),
    passed: Number(row.passed),
    late: Number(row.late),
    invalid: Number(row.invalid),
    failed: Number(row.failed),
    settled: Number(row.settled),
    declined: Number(row.declined),
    unlocked: Number(row.unlocked),
    answerMs: Number(row.answer_ms),
    healthMs: numberOrNull(row.health_ms),
  };
}

/** Maximum number of active keys of a provider: two, while one replaces the other. */
const activeKeysMax = 2;

/** Time in milliseconds after which an undecided registration is deleted: a week. */
const pendingMs = 7 * 86_400_000;

function keyOf(row: Stored<ProviderKey>): ProviderKey {
  return {
    keyId: row.key_id,
    provider: row.provider,
    publicKey: row.public_key,
    createdMs: Number(row.created_ms),
    retiredMs: numberOrNull(row.retired_ms),
  };
}

export class PostgresProviderRegistry implements ProviderRegistry, ProviderOffice {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async register(given: NewProvider): Promise<ProviderRecord | "otherTerms" | "full"> {
    const { name, url, party, pairs, keyId, publicKey, nowMs, pendingMax } = given;
    return this.#sql.begin(async (sql) => {
      // Serialises registrations, so that the limit cannot be exceeded and no key is registered twice.
      await sql`lock table liquidity_provider_keys in share row exclusive mode`;
      const known = await recordOfKey(sql as unknown as Sql, keyId);
      if (known !== null) return isSame(known, given) ? known : "otherTerms";
      await sql`
        delete from liquidity_providers
        where state = ${ProviderState.pending} and created_ms < ${nowMs - pendingMs}`;
      const [waiting] = await sql<{ count: string }[]>`
        select count(*) from liquidity_providers where state = ${ProviderState.pending}`;
      if (Number(waiting?.count) >= pendingMax) return "full";
      const [taken] = await sql<{ number: string }[]>`
        select nextval('liquidity_provider_numbers') as number`;
      const number = Number(taken?.number);
      const provider = publicId(PublicIdKind.provider, number, nowMs);
      const [row] = await sql<StoredProvider[]>`
        insert into liquidity_providers (provider, number, name, url, party, pairs, created_ms)
        values (${provider}, ${number}, ${name}, ${url}, ${party}, ${JSON.stringify(pairs)},
                ${nowMs})
        returning *`;
      await sql`
        insert into liquidity_provider_keys (key_id, provider, public_key, created_ms)
        values (${keyId}, ${provider}, ${publicKey}, ${nowMs})`;
      return providerOf(row as StoredProvider);
    });
  }

  async byKey(keyId: string): Promise<{ record: ProviderRecord; publicKey: string } | null> {
    const [row] = await this.#sql<(StoredProvider & { public_key: string })[]>`
      select p.*, k.public_key
      from liquidity_provider_keys k join liquidity_providers p on p.provider = k.provider
      where k.key_id = ${keyId} and k.retired_ms is null`;
    return row === undefined ? null : { record: providerOf(row), publicKey: row.public_key };
  }

  async keysOf(provider: string): Promise<ProviderKey[]> {
    const rows = await this.#sql<Stored<ProviderKey>[]>`
      select * from liquidity_provider_keys where provider = ${provider}
      order by created_ms desc limit 20`;
    return rows.map(keyOf);
  }

  async addKey(key: Omit<ProviderKey, "retiredMs">): Promise<"added" | "known" | "taken" | "full"> {
    const { keyId, provider, publicKey, createdMs } = key;
    return this.#sql.begin(async (sql) => {
      await sql`select from liquidity_providers where provider = ${provider} for update`;
      const [same] = await sql<{ provider: string; retired_ms: string | null }[]>`
        select provider, retired_ms from liquidity_provider_keys where key_id = ${keyId}`;
      if (same !== undefined)
        return same.provider === provider && same.retired_ms === null ? "known" : "taken";
      const [active] = await sql<{ count: string }[]>`
        select count(*) from liquidity_provider_keys
        where provider = ${provider} and retired_ms is null`;
      if (Number(active?.count) >= activeKeysMax) return "full";
      const added = await sql`
        insert into liquidity_provider_keys (key_id, provider, public_key, created_ms)
        values (${keyId}, ${provider}, ${publicKey}, ${createdMs})
        on conflict do nothing returning key_id`;
      return added.length === 0 ? "taken" : "added";
    });
  }

  async retireKey(
    provider: string,
    keyId: string,
    nowMs: number,
  ): Promise<"retired" | "unknown" | "last"> {
    return this.#sql.begin(async (sql) => {
      await sql`select from liquidity_providers where provider = ${provider} for update`;
      const active = await sql<{ key_id: string }[]>`
        select key_id from liquidity_provider_keys
        where provider = ${provider} and retired_ms is null`;
      if (!active.some((each) => each.key_id === keyId)) return "unknown";
      if (active.length === 1) return "last";
      await sql`
        update liquidity_provider_keys set retired_ms = ${nowMs} where key_id = ${keyId}`;
      return "retired";
    });
  }

  async takeNonce(keyId: string, nonce: string, nowMs: number, memoryMs: number): Promise<boolean> {
    const [row] = await this.#sql<{ taken: string }[]>`
      with old as (
        delete from liquidity_provider_nonces where seen_ms < ${nowMs - memoryMs}
      ), made as (
        insert into liquidity_provider_nonces (key_id, nonce, seen_ms)
        values (${keyId}, ${nonce}, ${nowMs}) on conflict do nothing returning 1
      )
      select count(*) as taken from made`;
    return Number(row?.taken) === 1;
  }

  async venueKeys(nowMs: number): Promise<VenueKey[]> {
    const rows = await this.#sql<StoredVenueKey[]>`
      select key_id, public_key, created_ms, signs_from_ms, retires_ms from venue_signing_keys
      where retires_ms is null or retires_ms > ${nowMs}
      order by number desc`;
    return rows.map(venueKeyOf);
  }

  async swapsOf(query: Parameters<ProviderRegistry["swapsOf"]>[0]): Promise<ProviderSwap[]> {
    const { provider, before, limit } = query;
    const rows = await this.#sql<Stored<ProviderSwap & { readonly swapNo: number }>[]>`
      select swap_no, swap_id, market, side, price_ticks, lots, state, update_id, created_ms
      from swaps where provider = ${provider} and swap_no < ${before ?? Number.MAX_SAFE_INTEGER}
      order by swap_no desc limit ${limit}`;
    return rows.map((row) => ({
      number: Number(row.swap_no),
      swapId: row.swap_id,
      market: Number(row.market),
      side: row.side as ProviderSwap["side"],
      priceTicks: Number(row.price_ticks),
      lots: Number(row.lots),
      state: row.state as ProviderSwap["state"],
      updateId: row.update_id,
      createdMs: Number(row.created_ms),
    }));
  }

  async list(): Promise<ProviderRecord[]> {
    const rows = await this.#sql<StoredProvider[]>`
      select * from liquidity_providers order by number desc limit 1000`;
    return rows.map(providerOf);
  }

  async decide(
    decision: Parameters<ProviderOffice["decide"]>[0],
  ): Promise<ProviderRecord | null | "partyTaken"> {
    const { provider, from, to, reason, nowMs } = decision;
    const states = `{${from.join(",")}}`;
    try {
      const [row] = await this.#sql<StoredProvider[]>`
        update liquidity_providers
        set state = ${to}, reason = ${reason}, decided_ms = ${nowMs},
            score = case when ${to} = ${ProviderState.approved}::integer then 1000 else score end
        where provider = ${provider} and state = any(${states}::smallint[])
        returning *`;
      return row === undefined ? null : providerOf(row);
    } catch (error) {
      if (isUniqueFault(error)) return "partyTaken";
      throw error;
    }
  }
}

export type StoredVenueKey = Stored<VenueKey>;

export function venueKeyOf(row: StoredVenueKey): VenueKey {
  return {
    keyId: row.key_id,
    publicKey: row.public_key,
    createdMs: Number(row.created_ms),
    signsFromMs: Number(row.signs_from_ms),
    retiresMs: numberOrNull(row.retires_ms),
  };
}

async function recordOfKey(sql: Statements, keyId: string): Promise<ProviderRecord | null> {
  const [row] = await sql<StoredProvider[]>`
    select p.* from liquidity_provider_keys k join liquidity_providers p on p.provider = k.provider
    where k.key_id = ${keyId}`;
  return row === undefined ? null : providerOf(row);
}

function isSame(known: ProviderRecord, given: NewProvider): boolean {
  const { name, url, party, pairs } = given;
  const isNamed = known.name === name && known.url === url && known.party === party;
  return isNamed && JSON.stringify(known.pairs) === JSON.stringify(pairs);
}

/** True for the error with which the database refuses a second approved provider with the same party or address. */
function isUniqueFault(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "23505";
}
