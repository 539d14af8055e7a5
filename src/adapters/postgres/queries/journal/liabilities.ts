// Reads statements of liabilities and the tiles of the newest sum trees. Each lookup is one statement by key.

import type {
  LiabilityHead,
  LiabilityReader,
  LiabilityStatement,
  LiabilityTile,
  LiabilityTileName,
} from "../../../../ports/journal/liability-store.ts";
import type { Sql } from "../../connection.ts";

interface HeadColumns {
  readonly epoch: string;
  readonly stated_seq: string;
  readonly digest: Uint8Array;
  readonly entry_seq: string;
}

interface StatementColumns extends HeadColumns {
  readonly statement: string;
  readonly made_us: string;
}

const heads = "epoch::text, stated_seq::text, digest, entry_seq::text";
const columns = `${heads}, statement, made_us::text`;

export class PostgresLiabilities implements LiabilityReader {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async newest(): Promise<LiabilityStatement | null> {
    const sql = this.#sql;
    const [row] = await sql<StatementColumns[]>`
      select ${sql.raw(columns)} from liability_statements
      where entry_seq is not null order by liability_statements.epoch desc limit 1`;
    return row === undefined ? null : statementOf(row);
  }

  async statement(epoch: number): Promise<LiabilityStatement | null> {
    const sql = this.#sql;
    const [row] = await sql<StatementColumns[]>`
      select ${sql.raw(columns)} from liability_statements
      where liability_statements.epoch = ${epoch} and entry_seq is not null`;
    return row === undefined ? null : statementOf(row);
  }

  async statements(before: number | null, limit: number): Promise<LiabilityHead[]> {
    const sql = this.#sql;
    const rows = await sql<HeadColumns[]>`
      select ${sql.raw(heads)} from liability_statements
      where liability_statements.epoch < ${before ?? Number.MAX_SAFE_INTEGER}::bigint
        and entry_seq is not null
      order by liability_statements.epoch desc limit ${limit}`;
    return rows.map(headOf);
  }

  async leafTiles(
    epoch: number,
    wanted: readonly { readonly asset: number; readonly tag: Uint8Array }[],
  ): Promise<(LiabilityTile | null)[]> {
    if (wanted.length === 0) return [];
    const assets = `{${wanted.map(({ asset }) => asset)}}`;
    const tags = `{${wanted.map(({ tag }) => Buffer.from(tag).toString("hex"))}}`;
    const rows = await this.#sql<{ asset: number; tile: number | null; nodes: Uint8Array }[]>`
      select w.asset, t.tile, t.nodes
      from unnest(${assets}::smallint[], ${tags}::text[]) with ordinality as w (asset, tag, place)
      left join lateral (
        (select tile, nodes from liability_tiles
         where epoch = ${epoch} and asset = w.asset and level = 0
           and first_tag <= decode(w.tag, 'hex')
         order by first_tag desc limit 1)
        union all
        -- A tag before the first leaf's would be in the first tile.
        (select tile, nodes from liability_tiles
         where epoch = ${epoch} and asset = w.asset and level = 0 and tile = 0)
        order by tile desc limit 1
      ) as t on true
      order by w.place`;
    return rows.map(({ asset, tile, nodes }) =>
      tile === null ? null : { asset, level: 0, tile, nodes },
    );
  }

  async tiles(epoch: number, names: readonly LiabilityTileName[]): Promise<LiabilityTile[]> {
    const assets = `{${names.map(({ asset }) => asset)}}`;
    const levels = `{${names.map(({ level }) => level)}}`;
    const tiles = `{${names.map(({ tile }) => tile)}}`;
    return this.#sql<LiabilityTile[]>`
      select t.asset, t.level, t.tile, t.nodes
      from unnest(${assets}::smallint[], ${levels}::smallint[], ${tiles}::integer[])
        as n (asset, level, tile)
      join liability_tiles as t
        on t.epoch = ${epoch} and t.asset = n.asset and t.level = n.level and t.tile = n.tile`;
  }
}

function headOf(row: HeadColumns): LiabilityHead {
  return {
    epoch: Number(row.epoch),
    statedSeq: Number(row.stated_seq),
    digest: row.digest,
    entrySeq: Number(row.entry_seq),
  };
}

function statementOf(row: StatementColumns): LiabilityStatement {
  return { ...headOf(row), text: row.statement, madeUs: Number(row.made_us) };
}
