// Reads the market table from the database, once at start; later changes of a market's status arrive as events. A
// proposed market is not listed, because its event might never be committed.

import {
  type MarginTier,
  type Market,
  type MarketKind,
  type MarketStatus,
  MarketTable,
} from "../../../../core/markets.ts";
import type { Asset } from "../../../../core/money/assets.ts";
import type { Sql, Statements } from "../../sql.ts";

/** Funding terms of every perpetual: hours between settlements, interest and clamp in ppm. */
const funding = { hours: 8, interestPpm: 100, clampPpm: 7500 } as const;

/**
 * Writes the row of a market that is about to be added. The journal's event that adds the market follows and sets the
 * status of the row. Without this event the row is not a market, and the next proposal replaces it.
 */
export async function proposeMarket(sql: Sql, market: Market): Promise<void> {
  const isPerpetual = market.base === null;
  await sql.begin(async (tx) => {
    await tx`
      delete from margin_tiers where market in
        (select market from markets where status = ${proposedStatus})`;
    await tx`delete from markets where status = ${proposedStatus}`;
    await tx`
      insert into markets (
        market, symbol, alias, kind, base_code, quote_code, base_asset, quote_asset,
        tick_decimals, lot_decimals, units_per_tick_lot, tick_lots_per_unit, base_units_per_lot,
        price_ticks_max, qty_lots_max, min_notional, maker_fee_bps, taker_fee_bps, leverage_max,
        funding_hours, funding_interest_ppm, funding_clamp_ppm, index_market,
        initial_status, status, was_added
      ) values (
        ${market.id}, ${market.symbol}, ${market.alias}, ${market.kind}, ${market.baseCode},
        ${market.quoteCode}, ${market.base?.id ?? null}, ${market.quote.id},
        ${market.tickDecimals}, ${market.lotDecimals}, ${market.tickLot.units},
        ${market.tickLot.parts},
        ${String(market.baseUnitsPerLot)}, ${market.priceTicksMax}, ${market.qtyLotsMax},
        ${String(market.minNotional)}, ${market.makerFeeBps}, ${market.takerFeeBps},
        ${market.leverageMax}, ${isPerpetual ? funding.hours : null},
        ${isPerpetual ? funding.interestPpm : null}, ${isPerpetual ? funding.clampPpm : null},
        ${market.indexMarket}, ${market.initialStatus}, ${proposedStatus}, true
      )`;
    for (const [index, tier] of market.marginTiers.entries()) {
      const upTo = tier.notionalMax === null ? null : String(tier.notionalMax);
      await tx`
        insert into margin_tiers (market, tier, notional_max, maintenance_ppm, leverage_max)
        values (${market.id}, ${index + 1}, ${upTo}, ${tier.maintenancePpm}, ${tier.leverageMax})`;
    }
  });
}

/** Status of a row whose market is not in the journal yet. */
export const proposedStatus = 3;

interface MarketRow {
  readonly market: number;
  readonly symbol: string;
  readonly alias: string;
  readonly kind: number;
  readonly base_code: string;
  readonly quote_code: string;
  readonly base_asset: number | null;
  readonly quote_asset: number;
  readonly tick_decimals: number;
  readonly lot_decimals: number;
  readonly units_per_tick_lot: number;
  readonly tick_lots_per_unit: number;
  readonly base_units_per_lot: string;
  readonly price_ticks_max: string;
  readonly qty_lots_max: string;
  readonly min_notional: string;
  readonly maker_fee_bps: number;
  readonly taker_fee_bps: number;
  readonly leverage_max: number;
  readonly index_market: number | null;
  readonly initial_status: number;
  readonly was_added: boolean;
}

interface TierRow {
  readonly market: number;
  readonly notional_max: string | null;
  readonly maintenance_ppm: number;
  readonly leverage_max: number;
}

/** Returns all assets and markets. MarketTable asserts that ids have no gaps and names are unique. */
export async function loadMarketTable(sql: Statements): Promise<MarketTable> {
  const assetRows = await sql<{ asset: number; code: string; decimals: number }[]>`
    select asset, code, decimals from assets order by asset`;
  const assets = assetRows.map(({ asset, code, decimals }) => ({ id: asset, code, decimals }));
  const tiers = await sql<TierRow[]>`
    select market, notional_max, maintenance_ppm, leverage_max
    from margin_tiers order by market, tier`;
  const rows = await sql<MarketRow[]>`
    select * from markets where status <> ${proposedStatus} order by market`;
  const markets = rows.map((row) => marketOf(row, assets, tiers));
  return new MarketTable(markets, assets);
}

function marketOf(row: MarketRow, assets: readonly Asset[], tiers: readonly TierRow[]): Market {
  const base = row.base_asset === null ? null : assets[row.base_asset];
  const quote = assets[row.quote_asset];
  if (base === undefined || quote === undefined)
    throw new RangeError(`the assets of market ${row.symbol} are unknown`);
  return {
    id: row.market,
    symbol: row.symbol,
    alias: row.alias,
    kind: row.kind as MarketKind,
    baseCode: row.base_code,
    quoteCode: row.quote_code,
    base,
    quote,
    tickDecimals: row.tick_decimals,
    lotDecimals: row.lot_decimals,
    tickLot: { units: row.units_per_tick_lot, parts: row.tick_lots_per_unit },
    baseUnitsPerLot: BigInt(row.base_units_per_lot),
    qtyLotsMax: Number(row.qty_lots_max),
    priceTicksMax: Number(row.price_ticks_max),
    minNotional: BigInt(row.min_notional),
    makerFeeBps: row.maker_fee_bps,
    takerFeeBps: row.taker_fee_bps,
    leverageMax: row.leverage_max,
    marginTiers: tiers.filter(({ market }) => market === row.market).map(tierOf),
    initialStatus: row.initial_status as MarketStatus,
    indexMarket: row.index_market,
    wasAdded: row.was_added,
  };
}

function tierOf(row: TierRow): MarginTier {
  return {
    notionalMax: row.notional_max === null ? null : BigInt(row.notional_max),
    maintenancePpm: row.maintenance_ppm,
    leverageMax: row.leverage_max,
  };
}
