// Stores the amounts that stay locked until their settlement batch is confirmed, and finds their releases in the
// journal.

import { EventKind } from "../../../../core/generated/events.ts";
import { BatchState } from "../../../../ports/ledger/batch-states.ts";
import type {
  CoinRelease,
  SettledCoinStore,
  SettledReceipt,
} from "../../../../ports/ledger/settled-coins.ts";
import { decodeEventBytes } from "../../../../wire/records/event-bytes.ts";
import type { Stored } from "../../rows.ts";
import type { Sql, Statements } from "../../sql.ts";

const { confirmed } = BatchState;
/** Maximum number of releases sent to clearing at once; they fit into clearing's ring. */
const releasesMax = 500;

export class PostgresSettledCoins implements SettledCoinStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async openReleases(): Promise<CoinRelease[]> {
    const rows = await this.#sql<Stored<CoinRelease>[]>`
      select release_id, account, asset, amount, seq_before from settlement_releases
      order by release_id`;
    return rows.map(releaseOf);
  }

  async prepareReleases(seqBefore: number): Promise<CoinRelease[]> {
    return this.#sql.begin(async (tx) => {
      const rows = await tx<Stored<CoinRelease>[]>`
        insert into settlement_releases (account, asset, amount, seq_before)
        select r.account, r.asset, sum(r.amount), ${seqBefore}
        from settlement_receipts r join settlement_batches b on b.batch_id = r.batch_id
        where r.release_id is null and b.state = ${confirmed}
        group by r.account, r.asset
        order by r.account, r.asset limit ${releasesMax}
        on conflict (account, asset) do nothing
        returning release_id, account, asset, amount, seq_before`;
      if (rows.length === 0) return [];
      await tx`
        update settlement_receipts r set release_id = s.release_id
        from settlement_releases s, settlement_batches b
        where s.release_id = any (${numberArray(rows.map(({ release_id }) => release_id))}::bigint[])
          and r.account = s.account and r.asset = s.asset and r.release_id is null
          and b.batch_id = r.batch_id and b.state = ${confirmed}`;
      return rows.map(releaseOf).sort((one, other) => one.releaseId - other.releaseId);
    });
  }

  async finishReleases(done: readonly number[], notDone: readonly number[]): Promise<void> {
    await this.#sql.begin(async (tx) => {
      await tx`
        delete from settlement_receipts where release_id = any (${numberArray(done)}::bigint[])`;
      await tx`
        update settlement_receipts set release_id = null
        where release_id = any (${numberArray(notDone)}::bigint[])`;
      await tx`
        delete from settlement_releases
        where release_id = any (${numberArray([...done, ...notDone])}::bigint[])`;
    });
  }
}

/** Stores the amounts that a sealed batch will deliver; they are released when the batch is confirmed. */
export async function addReceipts(
  sql: Statements,
  batchId: string,
  receipts: readonly SettledReceipt[],
): Promise<void> {
  if (receipts.length === 0) return;
  await sql`
    insert into settlement_receipts (batch_id, account, asset, amount)
    select ${batchId}, account, asset, amount
    from unnest(${numberArray(receipts.map(({ account }) => account))}::integer[],
                ${numberArray(receipts.map(({ asset }) => asset))}::smallint[],
                ${numberArray(receipts.map(({ amount }) => amount))}::numeric[])
      as r (account, asset, amount)`;
}

/** Returns the amounts that a sealed batch delivers and that are not released yet. */
export async function readReceipts(sql: Statements, batchId: string): Promise<SettledReceipt[]> {
  const rows = await sql<{ account: number; asset: number; amount: string }[]>`
    select account, asset, amount from settlement_receipts
    where batch_id = ${batchId} order by account, asset`;
  return rows.map(({ amount, ...row }) => ({ ...row, amount: BigInt(amount) }));
}

/**
 * Returns the ids of `releases` that are in the journal. Per account and asset only one release is pending at a time,
 * so an event with the same account, asset and amount after the release's `seqBefore` is that release.
 */
export async function releasesInJournal(
  sql: Statements,
  releases: readonly CoinRelease[],
): Promise<Set<number>> {
  const seqBefore = Math.min(...releases.map((release) => release.seqBefore));
  const rows = await sql<{ seq: string; body: Uint8Array }[]>`
    select seq, body from journal where kind = ${EventKind.coinsSettled} and seq > ${seqBefore}`;
  const found = new Set<number>();
  for (const { seq, body } of rows) {
    const event = decodeEventBytes(new Uint8Array(body), 0, body.length);
    if (event.kind !== EventKind.coinsSettled) continue;
    const { account, asset, amount } = event;
    const isIt = (release: CoinRelease) =>
      release.account === account &&
      release.asset === asset &&
      release.amount === amount &&
      release.seqBefore < Number(seq);
    const release = releases.find(isIt);
    if (release !== undefined) found.add(release.releaseId);
  }
  return found;
}

function releaseOf(row: Stored<CoinRelease>): CoinRelease {
  return {
    releaseId: Number(row.release_id),
    account: Number(row.account),
    asset: Number(row.asset),
    amount: BigInt(row.amount),
    seqBefore: Number(row.seq_before),
  };
}

/** Formats a list as the text of an array, because the client does not send parameter types. */
function numberArray(values: readonly (number | string | bigint)[]): string {
  return `{${values.join(",")}}`;
}
