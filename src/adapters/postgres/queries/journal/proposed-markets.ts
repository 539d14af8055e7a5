// The row of a market that is about to be added: written before the journal's event, which gives it its
// status. A proposal that came to nothing is no market, and the next one takes its place.

import type { Market } from "../../../../core/markets.ts";
import type { Sql } from "../../sql.ts";
import { proposedStatus } from "./markets.ts";

/** Funding of every perpetual: hours between settlements, interest and clamp in parts per million. */
const funding = { hours: 8, interestPpm: 100, clampPpm: 7500 } as const;

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
    for (const [place, tier] of market.marginTiers.entries()) {
      const upTo = tier.notionalMax === null ? null : String(tier.notionalMax);
      await tx`
        insert into margin_tiers (market, tier, notional_max, maintenance_ppm, leverage_max)
        values (${market.id}, ${place + 1}, ${upTo}, ${tier.maintenancePpm}, ${tier.leverageMax})`;
    }
  });
}
