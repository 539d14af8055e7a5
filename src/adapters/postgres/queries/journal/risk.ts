// Reads risk figures for operators: the positions of an account and the state of markets. Both come from projections,
// which are complete only after the journal has written all pending rows. Each price is the close of the newest
// one-minute candle. Risk terms are read from the journal, because no table contains them.

import { AccountType } from "../../../../core/accounts.ts";
import {
  EventKind,
  type FundHourSet,
  type IndexMeasured,
  type RiskTermSet,
} from "../../../../core/generated/events.ts";
import { OrderStatus } from "../../../../core/orders.ts";
import { PriceSeries } from "../../../../core/price-series.ts";
import { decodeEventBytes } from "../../../../wire/records/event-bytes.ts";
import { code, type Statements } from "../../sql.ts";
import { proposedStatus } from "./markets.ts";

export interface PositionListing {
  readonly market: number;
  /** Size of the position in lots; negative for a short position. */
  readonly qty: bigint;
  /** Signed amount in minor units. */
  readonly entryValue: bigint;
}

export interface MarketListing {
  readonly market: number;
  readonly symbol: string;
  readonly alias: string;
  readonly status: number;
  /** Newest mark in the journal, in ticks; 0 before the first one. */
  readonly mark: number;
  readonly index: number;
  /** Price of the last trade in ticks; 0 before the first trade. */
  readonly last: number;
}

interface MarketRow {
  readonly market: number;
  readonly symbol: string;
  readonly alias: string;
  readonly status: number;
  readonly mark: string | null;
  readonly index: string | null;
  readonly last: string | null;
}

/** Returns the account's open positions, by market. */
export async function readPositions(sql: Statements, account: number): Promise<PositionListing[]> {
  const rows = await sql<{ market: number; qty: string; entry_value: string }[]>`
    select market, qty, entry_value from positions
    where account = ${account} and qty <> 0 order by market`;
  return rows.map(({ market, qty, entry_value }) => {
    return { market, qty: BigInt(qty), entryValue: BigInt(entry_value) };
  });
}

/** Returns the markets in which the account has open orders. */
export async function marketsWithOrders(sql: Statements, account: number): Promise<Set<number>> {
  const rows = await sql<{ market: number }[]>`
    select distinct market from orders where account = ${account} and status = ${code(OrderStatus.open)}`;
  return new Set(rows.map(({ market }) => market));
}

/** Returns the number of accounts with a position in the market. */
export async function countOpenPositions(sql: Statements, market: number): Promise<number> {
  const [row] = await sql<{ open: number }[]>`
    select count(*)::integer as open from positions where market = ${market} and qty <> 0`;
  return row?.open ?? 0;
}

/** Returns all markets, including those added since the start, with status and last prices. */
export async function readMarkets(sql: Statements): Promise<MarketListing[]> {
  const newest = (series: number) =>
    sql.raw(`
    (select close from candles c where c.market = m.market + ${series} and interval_ms = 60000
     order by open_time_ms desc limit 1)`);
  const rows = await sql<MarketRow[]>`
    select market, symbol, alias, status, ${newest(PriceSeries.mark)} as mark, ${newest(PriceSeries.index)} as index,
           ${newest(PriceSeries.trades)} as last
    from markets m where status <> ${proposedStatus} order by market`;
  return rows.map(({ mark, index, last, ...row }) => {
    const prices = { mark: Number(mark ?? 0), index: Number(index ?? 0), last: Number(last ?? 0) };
    return { ...row, ...prices };
  });
}

/** Returns the accounts whose quotes count for the index: house accounts and those with `flag`. */
export async function readMakers(
  sql: Statements,
  flag: number,
): Promise<{ account: number; type: number }[]> {
  return sql<{ account: number; type: number }[]>`
    select account::integer, type::integer from accounts
    where type = ${AccountType.house} or flags & ${flag}::integer <> 0 order by account`;
}

interface JournalRow {
  readonly body: Uint8Array;
}

/** Returns every risk term that an operator set, oldest first. */
export async function readRiskTerms(sql: Statements): Promise<RiskTermSet[]> {
  const rows = await sql<
    JournalRow[]
  >`select body from journal where kind = ${code(EventKind.riskTermSet)} order by seq`;
  return rows.flatMap(({ body }) => {
    const event = decodeEventBytes(body, 0, body.length);
    return event.kind === EventKind.riskTermSet ? [event] : [];
  });
}

/** Returns the state of the market's index; null if the market never had an index. */
export async function readIndexState(
  sql: Statements,
  market: number,
): Promise<IndexMeasured | null> {
  const [row] = await sql<JournalRow[]>`
    select body from journal where kind = ${code(EventKind.indexMeasured)} and get_byte(body, 48) = ${market}
    order by seq desc limit 1`;
  if (row === undefined) return null;
  const event = decodeEventBytes(row.body, 0, row.body.length);
  return event.kind === EventKind.indexMeasured ? event : null;
}

/** Returns the market's newest event with the hourly losses of the insurance fund; null if there is none. */
export async function readFundHour(sql: Statements, market: number): Promise<FundHourSet | null> {
  const [row] = await sql<JournalRow[]>`
    select body from journal where kind = ${code(EventKind.fundHourSet)} and get_byte(body, 40) = ${market}
    order by seq desc limit 1`;
  if (row === undefined) return null;
  const event = decodeEventBytes(row.body, 0, row.body.length);
  return event.kind === EventKind.fundHourSet ? event : null;
}

/** Returns the open interest: the lots of one side of the market. */
export async function readOpenInterest(sql: Statements, market: number): Promise<number> {
  const [row] = await sql<{ lots: string | null }[]>`
    select sum(qty)::text as lots from positions where market = ${market} and qty > 0`;
  return Number(row?.lots ?? 0);
}
