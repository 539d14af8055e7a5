// The markets of a public request: one by `symbol`, several by `symbols`, or all.

import { type Market, MarketKind, type MarketTable } from "../../../core/markets.ts";
import { hasStatus, isListed, type SpotStatusName } from "../market-data/market-status.ts";
import type { ReadModel } from "../read-model.ts";
import { marketOf } from "../requests/read-request.ts";
import {
  badCombination,
  badList,
  illegalParameter,
  refused,
  repeatedSymbol,
  statusMismatch,
} from "../requests/surface-error.ts";

const kind = MarketKind.spot;

function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** The market names in the text of a JSON list. */
function namesOf(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refused(badList("symbols"));
  }
  if (!isStringList(value) || value.length === 0) refused(badList("symbols"));
  return new Set(value).size < value.length ? refused(repeatedSymbol) : value;
}

export interface MarketSelection {
  readonly markets: readonly Market[];
  /** True if the answer is an object for one symbol, false if it is a list. */
  readonly isOne: boolean;
  /** True if the request named no market, so that it is about all markets. */
  readonly isAll: boolean;
}

interface SymbolParams {
  readonly symbol?: string | undefined;
  readonly symbols?: string | undefined;
  readonly symbolStatus?: SpotStatusName | undefined;
}

interface MarketContext {
  readonly table: MarketTable;
  readonly model: ReadModel;
}

/** The spot market with that name; refused unless it is in the requested state. */
export function spotMarketOf(
  context: MarketContext,
  symbol: string,
  symbolStatus?: SpotStatusName,
): Market {
  const market = marketOf(context.table, kind, symbol);
  return hasStatus(context, market, symbolStatus) ? market : refused(statusMismatch);
}

/**
 * The markets of a request: the named one or the named list. If none is named: all markets with the requested status
 * or, without a status, all that satisfy `isShown`. A list omits markets that do not have the requested status.
 */
export function selectMarkets(
  context: MarketContext,
  { symbol, symbols, symbolStatus }: SymbolParams,
  isShown = (market: Market) => isListed(context, market),
): MarketSelection {
  if (symbol !== undefined && symbols !== undefined) refused(badCombination);
  if (symbol !== undefined) {
    return { markets: [spotMarketOf(context, symbol, symbolStatus)], isOne: true, isAll: false };
  }
  const isAll = symbols === undefined;
  const named = isAll ? context.table.markets : namedMarkets(context, symbols);
  const markets = named
    .filter((market) => market.kind === kind && hasStatus(context, market, symbolStatus))
    .filter((market) => !isAll || symbolStatus !== undefined || isShown(market));
  return { markets, isOne: false, isAll };
}

/** The spot markets of a JSON list of names. */
function namedMarkets({ table }: MarketContext, symbols: string): Market[] {
  const markets = namesOf(symbols).map((name) => table.find(name));
  const known = markets.filter((market): market is Market => market?.kind === kind);
  if (known.length < markets.length) refused(illegalParameter("symbols"));
  return new Set(known).size < known.length ? refused(repeatedSymbol) : known;
}
