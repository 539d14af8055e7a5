// Reads the data of proofs and epoch lists. Each lookup is one statement with a few index reads, so its cost does not
// depend on the journal's length.

import { OrderStatus } from "../../../../core/orders.ts";
import type {
  EpochReader,
  EpochRecord,
  EpochTerms,
  EpochTile,
  SealedEntry,
} from "../../../../ports/journal/epoch-store.ts";
import type { Sql } from "../../connection.ts";
import { codes } from "../../sql.ts";
import { idBytes } from "../event-bytes.ts";
import { changesTermsOf, quoteAmends } from "../order-changes.ts";
import { type EpochColumns, epochColumns, epochOf } from "./epoch-columns.ts";

/** SQL for the epoch of journal entry `j.seq`: the first epoch with entries that ends at this seq or later. */
const epochOfEntry = `lateral (
  select ${epochColumns} from epochs
  where journal_count > 0 and last_seq >= j.seq order by last_seq limit 1
) as e`;

interface EntryColumns extends EpochColumns {
  readonly seq: string;
  readonly body: Uint8Array;
}

export class PostgresEpochs implements EpochReader {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async terms(): Promise<EpochTerms | null> {
    const [row] = await this.#sql<Record<string, string>[]>`
      select venue, epoch_ms, first_epoch, nonce_key_check from epoch_chain`;
    if (row === undefined) return null;
    return {
      venue: row["venue"] ?? "",
      epochMs: Number(row["epoch_ms"]),
      firstEpoch: Number(row["first_epoch"]),
      nonceKeyCheck: row["nonce_key_check"] ?? "",
    };
  }

  async epochs(before: number | null, limit: number): Promise<EpochRecord[]> {
    const sql = this.#sql;
    const rows = await sql<EpochColumns[]>`
      select ${sql.raw(epochColumns)} from epochs
      where epoch < ${before ?? Number.MAX_SAFE_INTEGER}::bigint
      order by epochs.epoch desc limit ${limit}`;
    return rows.map(epochOf);
  }

  async epoch(epoch: number): Promise<EpochRecord | null> {
    const sql = this.#sql;
    const [row] = await sql<EpochColumns[]>`
      select ${sql.raw(epochColumns)} from epochs where epochs.epoch = ${epoch}`;
    return row === undefined ? null : epochOf(row);
  }

  async entry(seq: number): Promise<SealedEntry | null> {
    const sql = this.#sql;
    const [row] = await sql<EntryColumns[]>`
      select j.seq::text, j.body, e.* from journal as j, ${sql.raw(epochOfEntry)}
      where j.seq = ${seq}`;
    return row === undefined ? null : entryOf(row);
  }

  async entriesOfOrder(orderId: number, limit: number): Promise<SealedEntry[]> {
    const sql = this.#sql;
    // The text is the same for every order, because sessions keep the plan of each text.
    const order = { orderId: "(select order_id from wanted)", key: "(select key from wanted)" };
    const rows = await sql<EntryColumns[]>`
      with wanted as (select ${orderId}::bigint as order_id, decode(${idBytes(orderId)}, 'hex') as key),
      named as (
        select seq_at(created_us) as seq from orders where order_id = ${orderId}
        union
        -- A cancelled or expired order was closed by a separate entry, not by its last trade.
        select seq_at(updated_us) from orders where order_id = ${orderId} and status in ${codes(OrderStatus.cancelled, OrderStatus.expired)}
        union
        (select seq from journal where ${sql.raw(changesTermsOf(order.key))}
         order by journal.seq desc limit ${limit})
        union
        (select seq from (${sql.raw(quoteAmends(order))}
         order by first.seq desc limit ${limit}) as quoted)
      )
      select j.seq::text, j.body, e.*
      from named join journal as j using (seq), ${sql.raw(epochOfEntry)}
      order by j.seq desc limit ${limit}`;
    return rows.map(entryOf);
  }

  async entryOfTrade(tradeId: number): Promise<SealedEntry | null> {
    const sql = this.#sql;
    const [row] = await sql<EntryColumns[]>`
      select j.seq::text, j.body, e.*
      from markets as m
      join fills as f on f.market = m.market and f.trade_id = ${tradeId}
      join journal as j on j.seq = seq_at(f.ts_us), ${sql.raw(epochOfEntry)}`;
    return row === undefined ? null : entryOf(row);
  }

  async tiles(epoch: number, names: readonly Omit<EpochTile, "hashes">[]): Promise<EpochTile[]> {
    const levels = names.map(({ level }) => level);
    const tiles = names.map(({ tile }) => tile);
    return this.#sql<EpochTile[]>`
      select t.level, t.tile, t.hashes
      from unnest(${`{${levels}}`}::smallint[], ${`{${tiles}}`}::integer[]) as n (level, tile)
      join epoch_tiles as t on t.epoch = ${epoch} and t.level = n.level and t.tile = n.tile`;
  }
}

function entryOf(row: EntryColumns): SealedEntry {
  return { seq: Number(row.seq), body: row.body, epoch: epochOf(row) };
}
