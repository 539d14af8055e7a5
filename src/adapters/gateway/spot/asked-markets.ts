// The markets a public question is about: one by `symbol`, several by `symbols`, or all of them.

import { type Market, MarketKind } from "../../../core/markets.ts";
import {
  hasStatus,
  isListed,
  passesStatus,
  type SpotStatusWord,
} from "../market-data/market-status.ts";
import { marketOf } from "../requests/read-parameters.ts";
import type { RouteContext } from "../requests/route.ts";
import {
  badCombination,
  badList,
  illegalParameter,
  refuse,
  repeatedSymbol,
  type SurfaceError,
} from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";

const kind = MarketKind.spot;

function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** The names in a JSON list, or what is wrong with it. */
function namesOf(text: string): string[] | SurfaceError {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return badList("symbols");
  }
  if (!isStringList(value) || value.length === 0) return badList("symbols");
  return new Set(value).size < value.length ? repeatedSymbol : value;
}

export interface AskedMarkets {
  readonly markets: readonly Market[];
  /** One symbol is answered with an object, several with a list. */
  readonly isOne: boolean;
  /** Nothing was named: every market that lists show. */
  readonly isAll: boolean;
}

interface AskedNames {
  readonly symbol?: string | undefined;
  readonly symbols?: string | undefined;
  readonly symbolStatus?: SpotStatusWord | undefined;
}

/**
 * The markets a call is about: one, a list, or all that `isShown` when no status is asked for; null after
 * it has refused the call. One that is in another state than the one asked for is refused, others are left out.
 */
export function askedMarkets(
  call: HttpCall,
  context: RouteContext,
  { symbol, symbols, symbolStatus }: AskedNames,
  isShown = (market: Market) => isListed(context, market),
): AskedMarkets | null {
  if (symbol !== undefined && symbols !== undefined) {
    refuse(call, badCombination);
    return null;
  }
  if (symbol !== undefined) {
    const market = marketOf(call, context.table, { symbol, kind });
    const passes = market !== null && passesStatus(call, context, { market, symbolStatus });
    return passes ? { markets: [market], isOne: true, isAll: false } : null;
  }
  const isAll = symbols === undefined;
  const named = isAll ? context.table.markets : namedMarkets(context, symbols);
  if ("code" in named) {
    refuse(call, named);
    return null;
  }
  const markets = named
    .filter((market) => market.kind === kind && hasStatus(context, market, symbolStatus))
    .filter((market) => !isAll || symbolStatus !== undefined || isShown(market));
  return { markets, isOne: false, isAll };
}

/** The spot markets of a JSON list of names, or what is wrong with it. */
function namedMarkets({ table }: RouteContext, symbols: string): Market[] | SurfaceError {
  const names = namesOf(symbols);
  if (!Array.isArray(names)) return names;
  const markets = names.map((name) => table.find(name));
  const known = markets.filter((market): market is Market => market?.kind === kind);
  if (known.length < markets.length) return illegalParameter("symbols");
  return new Set(known).size < known.length ? repeatedSymbol : known;
}
