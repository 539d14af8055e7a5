// Fills of a replayed market that involve somebody besides the house: what a replay has to know of its members.

import type { Statements } from "../../sql.ts";

export interface PastFill {
  readonly tradeId: number;
  readonly price: number;
  readonly qty: number;
  readonly isBuy: boolean;
  readonly takerOrder: number;
  readonly takerAccount: number;
  readonly makerAccount: number;
}

interface HouseOfMarket {
  readonly market: number;
  readonly makers: readonly number[];
  readonly taker: number;
  /** Other accounts of which all fills are told. */
  readonly crowd: readonly number[];
}

export interface HouseFills {
  readonly fills: readonly PastFill[];
  /** The newest trade of the market; 0 for none. */
  readonly lastTrade: number;
}

interface FillRow {
  readonly trade_id: string;
  readonly price: string;
  readonly qty: string;
  readonly taker_side: number;
  readonly taker_order_id: string;
  readonly taker_account: number;
  readonly maker_account: number;
}

/** Fills that are read at once, several times as many as one order has. */
const pageMax = 10_000;
const sell = 1;

/**
 * Reads the fills after trade `since`: those of the house's makers with others' orders, those of the crowd's orders, and all
 * of the taker's orders that met somebody else's order. Only the newest trade if `since` is null.
 */
export async function readHouseFills(
  sql: Statements,
  { market, makers, taker, crowd }: HouseOfMarket,
  since: number | null,
): Promise<HouseFills> {
  if (since === null) {
    const [row] = await sql<{ last: string | null }[]>`
      select max(trade_id) as last from fills where market = ${market}`;
    return { fills: [], lastTrade: Number(row?.last ?? 0) };
  }
  // Mostly the house is alone: then one row is read instead of a thousand.
  const [alone] = await sql<{ last: string | null; others: boolean | null }[]>`
    select max(trade_id) as last,
      bool_or(taker_account <> ${taker} or maker_account <> all (${`{${makers.join()}}`}::integer[])) as others
    from fills where market = ${market} and trade_id > ${since}`;
  if (alone?.others !== true) return { fills: [], lastTrade: Number(alone?.last ?? since) };
  const rows = await readFills(sql, market, since);
  const house = new Set(makers);
  const isCrowd = new Set(crowd);
  const isMixed = new Set(
    rows.flatMap((row) =>
      row.taker_account === taker && !house.has(row.maker_account) ? [row.taker_order_id] : [],
    ),
  );
  const told = rows.filter((row) =>
    row.taker_account === taker
      ? isMixed.has(row.taker_order_id)
      : house.has(row.maker_account) || isCrowd.has(row.taker_account),
  );
  const fills = told.map((row) => ({
    tradeId: Number(row.trade_id),
    price: Number(row.price),
    qty: Number(row.qty),
    isBuy: row.taker_side !== sell,
    takerOrder: Number(row.taker_order_id),
    takerAccount: row.taker_account,
    makerAccount: row.maker_account,
  }));
  return { fills, lastTrade: Number(rows.at(-1)?.trade_id ?? since) };
}

/** All fills of the market after trade `since`; a page ends between two orders, whose fills belong together. */
async function readFills(sql: Statements, market: number, since: number): Promise<FillRow[]> {
  const read: FillRow[] = [];
  for (;;) {
    const after = read.at(-1)?.trade_id ?? since;
    const page = await sql<FillRow[]>`
      select trade_id, price, qty, taker_side, taker_order_id, taker_account, maker_account
      from fills where market = ${market} and trade_id > ${after}
      order by trade_id limit ${pageMax}`;
    if (page.length < pageMax) return [...read, ...page];
    const last = page.at(-1)?.taker_order_id;
    read.push(...page.filter((row) => row.taker_order_id !== last));
  }
}
