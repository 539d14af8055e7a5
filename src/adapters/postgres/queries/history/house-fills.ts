// Fills of a replayed market that involve somebody besides the house: what a replay has to know of its members.

import type { Statements } from "../../sql.ts";

export interface PastFill {
  readonly price: number;
  readonly qty: number;
  readonly isBuy: boolean;
  readonly takerOrder: number;
  readonly makerAccount: number;
}

interface HouseOfMarket {
  readonly market: number;
  readonly makers: readonly number[];
  readonly taker: number;
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

/** Most fills that are read at once, several times as many as one call of a replay makes. */
const fillsMax = 50_000;
const sell = 1;

/**
 * Reads the fills after trade `since`: those of the house's makers with others' orders, and all of the taker's orders that
 * met somebody else's order. Only the newest trade if `since` is null.
 */
export async function readHouseFills(
  sql: Statements,
  { market, makers, taker }: HouseOfMarket,
  since: number | null,
): Promise<HouseFills> {
  if (since === null) {
    const [row] = await sql<{ last: string | null }[]>`
      select max(trade_id) as last from fills where market = ${market}`;
    return { fills: [], lastTrade: Number(row?.last ?? 0) };
  }
  const rows = await sql<FillRow[]>`
    select trade_id, price, qty, taker_side, taker_order_id, taker_account, maker_account
    from fills where market = ${market} and trade_id > ${since}
    order by trade_id limit ${fillsMax}`;
  const house = new Set(makers);
  const isMixed = new Set(
    rows.flatMap((row) =>
      row.taker_account === taker && !house.has(row.maker_account) ? [row.taker_order_id] : [],
    ),
  );
  const told = rows.filter((row) =>
    row.taker_account === taker ? isMixed.has(row.taker_order_id) : house.has(row.maker_account),
  );
  const fills = told.map((row) => ({
    price: Number(row.price),
    qty: Number(row.qty),
    isBuy: row.taker_side !== sell,
    takerOrder: Number(row.taker_order_id),
    makerAccount: row.maker_account,
  }));
  return { fills, lastTrade: Number(rows.at(-1)?.trade_id ?? since) };
}
