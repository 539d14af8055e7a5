// Adds markets. The terms are stored first, then the journal gets the event with their digest. The market trades from
// the next start of the venue, when every thread is initialised with it. Only one addition runs at a time, because
// each takes the next market number.

import { proposeMarket } from "../../adapters/postgres/queries/journal/markets.ts";
import { type MarketListing, readMarkets } from "../../adapters/postgres/queries/journal/risk.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { marketsMax } from "../../core/limits.ts";
import {
  isPerpetual,
  type Market,
  type MarketTable,
  marketStatusName,
} from "../../core/markets.ts";
import { formatScaled } from "../../core/money/amounts.ts";
import { tickFault } from "../../core/money/tick-size.ts";
import { type MarketRequest, marketOf, termsDigest } from "./market-terms.ts";
import { type OperatorContext, OperatorRefusal, sendCommand } from "./operator-commands.ts";

export class ListingOperator {
  readonly #parts: OperatorContext;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: OperatorContext) {
    this.#parts = parts;
  }

  /** Adds a market that trades from the next start. Spec OPS-28. */
  add(request: MarketRequest): Promise<object> {
    const added = this.#turn.then(() => this.#add(request));
    this.#turn = added.catch(() => undefined);
    return added;
  }

  async #add(request: MarketRequest): Promise<object> {
    const { clearing, table, sql, settle } = this.#parts;
    await settle();
    const rows = await readMarkets(sql);
    const count = rows.length;
    if (count >= marketsMax) {
      throw new OperatorRefusal(`the venue already has ${count} markets, the maximum`);
    }
    const names = new Set(rows.flatMap(({ symbol, alias }) => [symbol, alias]));
    const market = marketOf(request, { table, count, names });
    await proposeMarket(sql, market);
    const { id, initialStatus: status } = market;
    const kind = CommandKind.addMarket;
    await sendCommand(clearing, { kind, account: 0, market: id, status, ...termsDigest(market) });
    const fault = tickFault(indexTicks(market, table, rows));
    const warning = fault === null ? indexWarning(market) : `the tick is ${fault}`;
    return { ...shown(market), warning };
  }
}

/**
 * Returns a warning for a perpetual without an index market, because its first trades set the mark; otherwise null.
 * Spec RSK-33.
 */
function indexWarning(market: Market): string | null {
  if (!isPerpetual(market) || market.indexMarket !== null) return null;
  return "no index market: its mark is unprotected until a price feed or a reference price is set";
}

/** Returns the spot price of a new perpetual's base asset, in the perpetual's ticks; 0 if unknown. */
function indexTicks(market: Market, table: MarketTable, rows: readonly MarketListing[]): number {
  if (market.indexMarket === null) return 0;
  const spot = table.market(market.indexMarket);
  const last = rows[spot.id]?.last ?? 0;
  return Math.round(last * 10 ** (market.tickDecimals - spot.tickDecimals));
}

function shown(market: Market): object {
  const { symbol, alias, tickDecimals, lotDecimals, minNotional, quote } = market;
  const isSpot = !isPerpetual(market);
  return {
    symbol,
    api_symbol: alias,
    kind: isSpot ? "spot" : "perpetual",
    tick: formatScaled(1, tickDecimals),
    lot: formatScaled(1, lotDecimals),
    ...(isSpot
      ? { min_notional: formatScaled(minNotional, quote.decimals) }
      : { max_leverage: market.leverageMax }),
    maker_bps: market.makerFeeBps,
    taker_bps: market.takerFeeBps,
    status: marketStatusName(market.initialStatus),
    from: "the next start of the venue",
  };
}
