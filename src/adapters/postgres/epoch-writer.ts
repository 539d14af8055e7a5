// Stores epochs in PostgreSQL for the sealer, on a separate session that the first call opens. The sealer runs in the
// task pool and never blocks the journal's writer.

import { assert } from "../../core/assert.ts";
import type {
  EpochRecord,
  EpochTerms,
  EpochTile,
  EpochWriter,
} from "../../ports/journal/epoch-store.ts";
import { byteaArray, integerMatrix } from "./binary-arrays.ts";
import type { PostgresConnectionOptions } from "./connection.ts";
import { PgSession } from "./pg-session.ts";
import { PostgresFault } from "./postgres-fault.ts";
import { type EpochColumns, epochColumns, epochOf } from "./queries/journal/epoch-columns.ts";

/** Number of tiles per statement, which make 4 MB. */
const tilesPerStatement = 512;
const rowsPerStatement = 5_000;
const settings = { jit: "off", statement_timeout: "60000", enable_seqscan: "off" };

const agreeStatement = {
  name: "epoch_terms_add",
  text: `insert into epoch_chain (venue, epoch_ms, first_epoch, nonce_key_check)
         values ($1::text, $2::bigint, $3::bigint, $4::text) on conflict do nothing`,
};
const tilesStatement = {
  name: "epoch_tiles_add",
  text: `insert into epoch_tiles (epoch, level, tile, hashes)
         select $1::bigint, ($2::bigint[])[1][i], ($2::bigint[])[2][i], hashes
         from unnest($3::bytea[]) with ordinality as t (hashes, i)
         on conflict do nothing`,
};
const epochsStatement = {
  name: "epochs_add",
  text: `insert into epochs (epoch, start_ms, end_ms, first_seq, last_seq, first_trade,
                             journal_count, fill_count, merkle_root, prev_root, root)
         select n[1][i], n[2][i], n[3][i], n[4][i], n[5][i], n[6][i], n[7][i], n[8][i],
                hashes[i * 3 - 2], hashes[i * 3 - 1], hashes[i * 3]
         from (select $1::bigint[] as n, $2::bytea[] as hashes) as given,
              generate_series(1, array_length(n, 2)) as i`,
};

export class PostgresEpochWriter implements EpochWriter {
  readonly #connection: PostgresConnectionOptions;
  #session: PgSession | null = null;

  constructor(connection: PostgresConnectionOptions) {
    this.#connection = connection;
  }

  async agree(terms: EpochTerms): Promise<EpochTerms> {
    const session = await this.#open();
    const { venue, epochMs, firstEpoch, nonceKeyCheck } = terms;
    await session.run(agreeStatement, [venue, epochMs, firstEpoch, nonceKeyCheck]);
    const [row] = await session.queryText<Record<string, string>>("select * from epoch_chain");
    assert(row !== undefined, "the epoch terms must be stored");
    return {
      venue: row["venue"] ?? "",
      epochMs: Number(row["epoch_ms"]),
      firstEpoch: Number(row["first_epoch"]),
      nonceKeyCheck: row["nonce_key_check"] ?? "",
    };
  }

  async newest(): Promise<EpochRecord | null> {
    return newestOf(await this.#open());
  }

  async keep(epoch: number, tiles: readonly EpochTile[]): Promise<void> {
    await this.#inTransaction((session) => addTiles(session, epoch, tiles));
  }

  async seal(records: readonly EpochRecord[], tiles: readonly EpochTile[]): Promise<void> {
    const [first] = records;
    assert(first !== undefined, "the list of epochs to seal must not be empty");
    await this.#inTransaction(async (session) => {
      const before = await newestOf(session);
      const isNext =
        before === null || (before.epoch + 1 === first.epoch && before.root === first.prevRoot);
      if (!isNext) {
        throw new PostgresFault("gap", `epoch ${first.epoch} does not follow ${before.epoch}`);
      }
      await addTiles(session, first.epoch, tiles);
      for (let from = 0; from < records.length; from += rowsPerStatement) {
        await addEpochs(session, records.slice(from, from + rowsPerStatement));
      }
    });
  }

  async close(): Promise<void> {
    await this.#session?.close();
    this.#session = null;
  }

  async #open(): Promise<PgSession> {
    this.#session ??= await PgSession.open(this.#connection, "reader", settings);
    return this.#session;
  }

  async #inTransaction(work: (session: PgSession) => Promise<void>): Promise<void> {
    const session = await this.#open();
    await session.queryText("begin");
    try {
      await work(session);
      await session.queryText("commit");
    } catch (error) {
      await session.queryText("rollback").catch(() => undefined);
      throw error;
    }
  }
}

async function newestOf(session: PgSession): Promise<EpochRecord | null> {
  const [row] = await session.queryText<EpochColumns>(
    `select ${epochColumns} from epochs order by epochs.epoch desc limit 1`,
  );
  return row === undefined ? null : epochOf(row);
}

async function addTiles(
  session: PgSession,
  epoch: number,
  tiles: readonly EpochTile[],
): Promise<void> {
  for (let from = 0; from < tiles.length; from += tilesPerStatement) {
    const some = tiles.slice(from, from + tilesPerStatement);
    const positions = integerMatrix([some.map(({ level }) => level), some.map(({ tile }) => tile)]);
    const hashes = some.map((one) => one.hashes);
    const lengths = hashes.map(({ length }) => length);
    await session.run(tilesStatement, [
      epoch,
      positions,
      byteaArray(Buffer.concat(hashes), lengths),
    ]);
  }
}

async function addEpochs(session: PgSession, records: readonly EpochRecord[]): Promise<void> {
  const numbers = integerMatrix([
    records.map(({ epoch }) => epoch),
    records.map(({ startMs }) => startMs),
    records.map(({ endMs }) => endMs),
    records.map(({ firstSeq }) => firstSeq),
    records.map(({ lastSeq }) => lastSeq),
    records.map(({ firstTrade }) => firstTrade),
    records.map(({ journalCount }) => journalCount),
    records.map(({ fillCount }) => fillCount),
  ]);
  const roots = records.flatMap(({ merkleRoot, prevRoot, root }) => [merkleRoot, prevRoot, root]);
  const bytes = Buffer.from(roots.join(""), "hex");
  const lengths = roots.map(({ length }) => length / 2);
  await session.run(epochsStatement, [numbers, byteaArray(bytes, lengths)]);
}
