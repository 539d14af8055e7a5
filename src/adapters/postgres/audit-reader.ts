// Reads the rows that the auditor compares, on a separate session. The server packs a few hundred journal rows into one
// COPY row. Each journal row keeps its columns and its seq, so that a faulty row can be identified.

import type { AuditSource, FillRow, RowChunk } from "../../ports/journal/audit-source.ts";
import type { EpochRecord, EpochTerms, EpochTile } from "../../ports/journal/epoch-store.ts";
import type { LiabilityStatement } from "../../ports/journal/liability-store.ts";
import type { PostgresConnectionOptions } from "./connection.ts";
import { rowStart } from "./copy-format.ts";
import { PgSession } from "./pg-session.ts";
import { type EpochColumns, epochColumns, epochOf } from "./queries/journal/epoch-columns.ts";

const settings = { jit: "off", statement_timeout: "0", enable_seqscan: "off" };
const chunkRows = 256;
/**
 * Bytes of one journal row in the column `heads`: int8 seq, int8 time in µs, int4 account, int2 kind, int4 length of
 * the body.
 */
const headBytes = 26;
/** A fill's columns as bytes, in the format of `FillCheck`. */
const fillColumns = [
  "int8send(ts_us)",
  "int8send(price)",
  "int8send(qty)",
  "int8send(quote)",
  "int8send(taker_order_id)",
  "int8send(maker_order_id)",
  "int8send(taker_fee)",
  "int8send(maker_fee)",
  "int8send(taker_pnl)",
  "int8send(maker_pnl)",
  "int4send(taker_account)",
  "int4send(maker_account)",
  "int2send(market)",
  "int2send(taker_side)",
].join(" || ");

/** A statement of liabilities whose digest is entry `entrySeq`. */
export type JournaledStatement = Pick<
  LiabilityStatement,
  "epoch" | "statedSeq" | "entrySeq" | "text"
>;

export class PostgresAudit implements AuditSource {
  readonly #connection: PostgresConnectionOptions;
  #session: PgSession | null = null;

  constructor(connection: PostgresConnectionOptions) {
    this.#connection = connection;
  }

  async terms(): Promise<EpochTerms | null> {
    const session = await this.#open();
    const [row] = await session.queryText<Record<string, string>>("select * from epoch_chain");
    if (row === undefined) return null;
    return {
      venue: row["venue"] ?? "",
      epochMs: Number(row["epoch_ms"]),
      firstEpoch: Number(row["first_epoch"]),
      nonceKeyCheck: row["nonce_key_check"] ?? "",
    };
  }

  async epochsAfter(after: number, limit: number): Promise<EpochRecord[]> {
    const session = await this.#open();
    const rows = await session.queryText<EpochColumns>(
      `select ${epochColumns} from epochs where epochs.epoch > ${BigInt(after)}
       order by epochs.epoch limit ${Math.trunc(limit)}`,
    );
    return rows.map(epochOf);
  }

  async newestEpochs(limit: number): Promise<EpochRecord[]> {
    const session = await this.#open();
    const rows = await session.queryText<EpochColumns>(
      `select ${epochColumns} from epochs order by epochs.epoch desc limit ${Math.trunc(limit)}`,
    );
    return rows.map(epochOf).reverse();
  }

  /** At most `limit` statements of liabilities whose digests are in the journal, about epochs after `after`. */
  async statementsAfter(after: number, limit: number): Promise<JournaledStatement[]> {
    const session = await this.#open();
    const rows = await session.queryText<Record<string, string>>(
      `select epoch, stated_seq, entry_seq, statement from liability_statements
       where epoch > ${BigInt(after)} and entry_seq is not null
       order by epoch limit ${Math.trunc(limit)}`,
    );
    return rows.map((row) => ({
      epoch: Number(row["epoch"]),
      statedSeq: Number(row["stated_seq"]),
      entrySeq: Number(row["entry_seq"]),
      text: row["statement"] ?? "",
    }));
  }

  async readRows(
    afterSeq: number,
    untilSeq: number,
    take: (chunk: RowChunk) => void,
  ): Promise<void> {
    if (untilSeq <= afterSeq) return;
    const [after, until] = [BigInt(afterSeq), BigInt(untilSeq)];
    const unpacker = new RowUnpacker(take);
    const session = await this.#open();
    await session.copyOut(
      `copy (
         select packed.heads, packed.bodies
         from generate_series(${after}::bigint, ${until - 1n}::bigint, ${chunkRows}) as start (after_seq),
         lateral (
           select string_agg(int8send(seq) || int8send(ts_us) || int4send(account)
                             || int2send(kind) || int4send(length(body)), '') as heads,
                  string_agg(body, '') as bodies
           from (select seq, ts_us, account, kind, body from journal
                 where seq > after_seq and seq <= least(after_seq + ${chunkRows}, ${until}::bigint)
                 order by seq) as chunk
         ) as packed
         where packed.heads is not null
       ) to stdout (format binary)`,
      (row) => unpacker.add(row),
    );
  }

  async readTiles(
    first: number,
    last: number,
    take: (epoch: number, tile: EpochTile) => void,
  ): Promise<void> {
    const session = await this.#open();
    await session.copyOut(
      `copy (select epoch, level::integer, tile, hashes from epoch_tiles
             where epoch between ${BigInt(first)} and ${BigInt(last)}) to stdout (format binary)`,
      (message) => {
        const at = rowStart(message);
        if (at < 0) return;
        const epoch = Number(message.readBigInt64BE(at + 6));
        const level = message.readInt32BE(at + 18);
        const tile = message.readInt32BE(at + 26);
        const length = message.readInt32BE(at + 30);
        take(epoch, { level, tile, hashes: message.subarray(at + 34, at + 34 + length) });
      },
    );
  }

  async readFills(first: number, last: number, take: (row: FillRow) => void): Promise<void> {
    const session = await this.#open();
    await session.copyOut(
      `copy (select trade_id, ${fillColumns} from fills
             where market = any (array(select market from markets))
               and trade_id between ${BigInt(first)} and ${BigInt(last)})
       to stdout (format binary)`,
      (message) => {
        const at = rowStart(message);
        if (at < 0) return;
        const length = message.readInt32BE(at + 14);
        const columns = message.subarray(at + 18, at + 18 + length);
        take({ tradeId: Number(message.readBigInt64BE(at + 6)), columns });
      },
    );
  }

  async committedRoots(after: number, last: number): Promise<{ epoch: number; root: string }[]> {
    const session = await this.#open();
    const rows = await session.queryText<{ epoch: string; root: string }>(
      `select epoch::text, encode(root, 'hex') as root from epoch_anchors
       where update_id is not null and epoch > ${BigInt(after)} and epoch <= ${BigInt(last)}
       order by epoch_anchors.epoch`,
    );
    return rows.map(({ epoch, root }) => ({ epoch: Number(epoch), root }));
  }

  async close(): Promise<void> {
    await this.#session?.close();
    this.#session = null;
  }

  async #open(): Promise<PgSession> {
    this.#session ??= await PgSession.open(this.#connection, "reader", settings);
    return this.#session;
  }
}

class RowUnpacker {
  readonly #take: (chunk: RowChunk) => void;
  readonly #seqs = new Float64Array(chunkRows);
  readonly #tsUs = new Float64Array(chunkRows);
  readonly #accounts = new Uint32Array(chunkRows);
  readonly #kinds = new Uint16Array(chunkRows);
  readonly #offsets = new Uint32Array(chunkRows);
  readonly #lengths = new Uint32Array(chunkRows);

  constructor(take: (chunk: RowChunk) => void) {
    this.#take = take;
  }

  add(message: Buffer): void {
    const start = rowStart(message);
    if (start < 0) return;
    const headsBytes = message.readInt32BE(start + 2);
    const heads = start + 6;
    const count = headsBytes / headBytes;
    let offset = 0;
    for (let row = 0; row < count; row++) {
      const at = heads + row * headBytes;
      this.#seqs[row] = int64At(message, at);
      this.#tsUs[row] = int64At(message, at + 8);
      this.#accounts[row] = message.readUInt32BE(at + 16);
      this.#kinds[row] = message.readUInt16BE(at + 20);
      const length = message.readUInt32BE(at + 22);
      this.#offsets[row] = offset;
      this.#lengths[row] = length;
      offset += length;
    }
    const bodies = heads + headsBytes + 4;
    this.#take({
      count,
      seqs: this.#seqs,
      tsUs: this.#tsUs,
      accounts: this.#accounts,
      kinds: this.#kinds,
      bytes: message.subarray(bodies, bodies + offset),
      offsets: this.#offsets,
      lengths: this.#lengths,
    });
  }
}

/**
 * Reads a bigint column as a number. A value beyond 53 bits is damaged data; it is rounded, and its rounded form still
 * differs from the expected one.
 */
function int64At(message: Buffer, at: number): number {
  return message.readInt32BE(at) * 2 ** 32 + message.readUInt32BE(at + 4);
}
