// Risk figures for operators: positions of an account and the state of markets. Projections, complete once
// the journal has settled them; prices are of the newest minute with any. Risk terms are read from the
// journal, which alone holds them.

import { AccountType } from "../../../../core/accounts.ts";
import {
  EventKind,
  type FundHourSet,
  type IndexMeasured,
  type RiskTermSet,
} from "../../../../core/generated/events.ts";
import { PriceSeries } from "../../../../core/price-series.ts";
import { decodeEventBytes } from "../../../../wire/records/event-bytes.ts";
import { code, type Statements } from "../../sql.ts";
import { proposedStatus } from "./markets.ts";

export interface PositionListing {
  readonly market: number;
  /** Signed lots. */
  readonly qty: bigint;
  /** Signed minor units. */
  readonly entryValue: bigint;
}

export interface MarketListing {
  readonly market: number;
  readonly symbol: string;
  readonly alias: string;
  readonly status: number;
  /** Last journaled mark in ticks; 0 before the first. */
  readonly mark: number;
  readonly index: number;
  /** Price of the last trade; 0 before the first. */
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

/** The account's open positions, by market. */
export async function readPositions(sql: Statements, account: number): Promise<PositionListing[]> {
  const rows = await sql<{ market: number; qty: string; entry_value: string }[]>`
    select market, qty, entry_value from positions
    where account = ${account} and qty <> 0 order by market`;
  return rows.map(({ market, qty, entry_value }) => {
    return { market, qty: BigInt(qty), entryValue: BigInt(entry_value) };
  });
}

/** Number of accounts with a position in the market. */
export async function countOpenPositions(sql: Statements, market: number): Promise<number> {
  const [row] = await sql<{ open: number }[]>`
    select count(*)::integer as open from positions where market = ${market} and qty <> 0`;
  return row?.open ?? 0;
}

/** All markets, including those added since the start, with status and last prices. */
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

/** The operator's accounts and those with `flag`: their quotes count as depth. */
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

/** Every risk term set by an operator, oldest first. */
export async function readRiskTerms(sql: Statements): Promise<RiskTermSet[]> {
  const rows = await sql<
    JournalRow[]
  >`select body from journal where kind = ${code(EventKind.riskTermSet)} order by seq`;
  return rows.flatMap(({ body }) => {
    const event = decodeEventBytes(body, 0, body.length);
    return event.kind === EventKind.riskTermSet ? [event] : [];
  });
}

/** The state of the market's index; null if it never had one. */
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

/** The insurance fund's losses in the last started hour of the market; null if it was never used. */
export async function readFundHour(sql: Statements, market: number): Promise<FundHourSet | null> {
  const [row] = await sql<JournalRow[]>`
    select body from journal where kind = ${code(EventKind.fundHourSet)} and get_byte(body, 40) = ${market}
    order by seq desc limit 1`;
  if (row === undefined) return null;
  const event = decodeEventBytes(row.body, 0, row.body.length);
  return event.kind === EventKind.fundHourSet ? event : null;
}

/** Total lots of one side of the market. */
export async function readOpenInterest(sql: Statements, market: number): Promise<number> {
  const [row] = await sql<{ lots: string | null }[]>`
    select sum(qty)::text as lots from positions where market = ${market} and qty > 0`;
  return Number(row?.lots ?? 0);
}
