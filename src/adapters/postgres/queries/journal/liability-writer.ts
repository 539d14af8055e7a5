// Stores statements of liabilities and their trees in PostgreSQL, on a session of its own that the first call opens. It
// runs in the task pool and never blocks the journal's writer, which later adds the entry's seq to a statement's row.

import type { EpochRecord } from "../../../../ports/journal/epoch-store.ts";
import type {
  LiabilityTile,
  LiabilityWriter,
  NewStatement,
} from "../../../../ports/journal/liability-store.ts";
import { byteaArray, integerMatrix } from "../../binary-arrays.ts";
import type { PostgresConnectionOptions } from "../../connection.ts";
import { PgSession } from "../../pg-session.ts";
import { type EpochColumns, epochColumns, epochOf } from "./epoch-columns.ts";

/** Number of tiles per statement, which make 4 MB. */
const tilesPerStatement = 256;
const tagBytes = 8;
const settings = { jit: "off", statement_timeout: "60000", enable_seqscan: "off" };

const statementStatement = {
  name: "liability_statement_add",
  text: `insert into liability_statements (epoch, stated_seq, statement, digest, made_us)
         values ($1::bigint, $2::bigint, $3::text, $4::bytea, $5::bigint)`,
};
const tilesStatement = {
  name: "liability_tiles_add",
  text: `insert into liability_tiles (epoch, asset, level, tile, first_tag, nodes)
         select $1::bigint, n[1][i], n[2][i], n[3][i],
                case when n[2][i] = 0 then substring(nodes for ${tagBytes}) end, nodes
         from (select $2::bigint[] as n) as given,
              unnest($3::bytea[]) with ordinality as t (nodes, i)`,
};
/** Drops what was abandoned, and all trees but those of the newest two statements that the journal has. */
const dropOld = `
  with abandoned as (delete from liability_statements where entry_seq is null)
  delete from liability_tiles where epoch <> all (array(
    select epoch from liability_statements where entry_seq is not null order by epoch desc limit 2))`;

export class PostgresLiabilityWriter implements LiabilityWriter {
  readonly #connection: PostgresConnectionOptions;
  #session: PgSession | null = null;

  constructor(connection: PostgresConnectionOptions) {
    this.#connection = connection;
  }

  async sealed(epoch: number): Promise<EpochRecord | null> {
    const session = await this.#open();
    const [row] = await session.queryText<EpochColumns>(
      `select ${epochColumns} from epochs where epochs.epoch = ${BigInt(epoch)}`,
    );
    return row === undefined ? null : epochOf(row);
  }

  async fingerprints(): Promise<ReadonlyMap<number, Uint8Array>> {
    const session = await this.#open();
    const rows = await session.queryText<{ account: number; fingerprint: string }>(
      "select account, fingerprint from wallet_users",
    );
    return new Map(
      rows.map(({ account, fingerprint }) => [Number(account), Buffer.from(fingerprint, "hex")]),
    );
  }

  async dropOld(): Promise<void> {
    const session = await this.#open();
    await session.queryText(dropOld);
  }

  async add(statement: NewStatement, tiles: readonly LiabilityTile[]): Promise<void> {
    const session = await this.#open();
    const { epoch, statedSeq, text, digest, madeUs } = statement;
    await session.queryText("begin");
    try {
      await session.run(statementStatement, [epoch, statedSeq, text, Buffer.from(digest), madeUs]);
      for (let from = 0; from < tiles.length; from += tilesPerStatement)
        await addTiles(session, epoch, tiles.slice(from, from + tilesPerStatement));
      await session.queryText("commit");
    } catch (error) {
      await session.queryText("rollback").catch(() => undefined);
      throw error;
    }
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

async function addTiles(
  session: PgSession,
  epoch: number,
  tiles: readonly LiabilityTile[],
): Promise<void> {
  const names = integerMatrix([
    tiles.map(({ asset }) => asset),
    tiles.map(({ level }) => level),
    tiles.map(({ tile }) => tile),
  ]);
  const nodes = tiles.map((one) => one.nodes);
  const lengths = nodes.map(({ length }) => length);
  await session.run(tilesStatement, [epoch, names, byteaArray(Buffer.concat(nodes), lengths)]);
}
