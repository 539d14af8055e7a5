// Takes samples of perpetual markets. The database computes them from its projections: positions and balances, which
// are at most two projection intervals old, and the newest mark and index from the candles.

import { firstCustomerAccount, Wallet } from "../../../../core/accounts.ts";
import type { MarketSample } from "../../../../core/market-samples.ts";
import { MarketKind } from "../../../../core/markets.ts";
import { PriceSeries } from "../../../../core/price-series.ts";
import type {
  MarketSampleReader,
  MarketSampleRepository,
  SampleQuery,
} from "../../../../ports/journal/market-samples.ts";
import type { Sql } from "../../connection.ts";

interface SampleRow {
  readonly at_ms: string;
  readonly open_lots: string;
  readonly mark: string;
  readonly index: string;
  readonly long_accounts: number;
  readonly short_accounts: number;
  readonly long_lots: string;
  readonly short_lots: string;
  readonly top_long_accounts: number;
  readonly top_short_accounts: number;
  readonly top_long_lots: string;
  readonly top_short_lots: string;
}

/** Top traders are the accounts with the most equity: one in `topShare` of the accounts with a position, rounded up. */
const topShare = 5;

function newest(series: PriceSeries): string {
  return `coalesce((select close from candles where candles.market = markets.market + ${series}
    and interval_ms = 60000 order by open_time_ms desc limit 1), 0)`;
}

/** SQL for four figures of the positions that match `filter`: accounts long and short, and lots long and short. */
function divisionText(filter: string): string {
  const where = (side: string) => `filter (where ${side}${filter})`;
  return `count(*) ${where("qty > 0")}, count(*) ${where("qty < 0")},
    coalesce(sum(qty) ${where("qty > 0")}, 0), coalesce(-sum(qty) ${where("qty < 0")}, 0)`;
}

/**
 * Statement that takes a sample. An account's equity is the cash of its perp wallet plus the profit of all its
 * positions at the mark; a position without a mark has no profit.
 */
const takeText = `
  with price as materialized (
    select market, quote_asset, units_per_tick_lot as units, tick_lots_per_unit as parts,
           ${newest(PriceSeries.mark)} as mark,
           ${newest(PriceSeries.index)} as index
    from markets where kind = ${MarketKind.perpetual}),
  held as materialized (
    select account, market, qty, mark,
           case when mark > 0 then round(qty::numeric * mark * units / parts) - entry_value
             else 0 end as profit
    from positions join price using (market) where qty <> 0),
  equity as (
    select account, sum(profit) + coalesce((
      select sum(total) from balances where balances.account = held.account
        and wallet = ${Wallet.perp} and asset in (select quote_asset from price)), 0) as units
    from held group by account),
  ranked as (
    select held.*, row_number() over (partition by market order by units desc, account) as place,
           count(*) over (partition by market) as holders
    from held join equity using (account) where account >= ${firstCustomerAccount})
  insert into market_samples
  select market, $1::bigint,
         (select coalesce(sum(qty), 0) from held where held.market = price.market and qty > 0),
         mark, index, told.*
  from price cross join lateral (
    select ${divisionText("")}, ${divisionText(` and (place - 1) * ${topShare} < holders`)}
    from ranked where ranked.market = price.market) as told
  on conflict do nothing`;

export class PostgresMarketSamples implements MarketSampleReader, MarketSampleRepository {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async take(atMs: number): Promise<void> {
    await this.#sql.unsafe(takeText, [atMs]);
  }

  async drop(beforeMs: number): Promise<void> {
    await this.#sql`delete from market_samples where at_ms < ${beforeMs}`;
  }

  async samples(query: SampleQuery): Promise<MarketSample[]> {
    const { market, periodMs, startMs, endMs, limit } = query;
    const isFromStart = startMs !== null;
    const rows = await this.#sql.unsafe<SampleRow[]>(
      `select * from market_samples where market = $1 and at_ms >= $2 and at_ms <= $3
         and at_ms % $4::bigint = 0
       order by at_ms ${isFromStart ? "asc" : "desc"} limit $5`,
      [market, startMs ?? 0, endMs ?? Number.MAX_SAFE_INTEGER, periodMs, limit],
    );
    return (isFromStart ? rows : rows.reverse()).map(sampleOf);
  }
}

function sampleOf(row: SampleRow): MarketSample {
  return {
    atMs: Number(row.at_ms),
    openLots: BigInt(row.open_lots),
    mark: Number(row.mark),
    index: Number(row.index),
    all: {
      longAccounts: row.long_accounts,
      shortAccounts: row.short_accounts,
      longLots: BigInt(row.long_lots),
      shortLots: BigInt(row.short_lots),
    },
    top: {
      longAccounts: row.top_long_accounts,
      shortAccounts: row.top_short_accounts,
      longLots: BigInt(row.top_long_lots),
      shortLots: BigInt(row.top_short_lots),
    },
  };
}
