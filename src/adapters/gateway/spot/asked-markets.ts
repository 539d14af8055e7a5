// The markets a public question is about: one by `symbol`, several by `symbols`, or all of them.

import { type Market, MarketKind } from "../../../core/markets.ts";
import { marketOf } from "../read-parameters.ts";
import type { RouteContext } from "../route.ts";
import type { HttpCall } from "../server/http-call.ts";
import {
  badCombination,
  badList,
  illegalParameter,
  refuse,
  repeatedSymbol,
  type SurfaceError,
} from "../surface-error.ts";

const kind = MarketKind.spot;

function spotMarkets(context: RouteContext): Market[] {
  return context.table.markets.filter((market) => market.kind === kind);
}

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
}

/** The markets a call is about: one, a list, or all; null after it has refused the call. */
export function askedMarkets(
  call: HttpCall,
  context: RouteContext,
  { symbol, symbols }: { symbol?: string | undefined; symbols?: string | undefined },
): AskedMarkets | null {
  if (symbol !== undefined && symbols !== undefined) {
    refuse(call, badCombination);
    return null;
  }
  if (symbol !== undefined) {
    const market = marketOf(call, context.table, { symbol, kind });
    return market === null ? null : { markets: [market], isOne: true };
  }
  if (symbols === undefined) return { markets: spotMarkets(context), isOne: false };
  const names = namesOf(symbols);
  if (!Array.isArray(names)) {
    refuse(call, names);
    return null;
  }
  const markets = names.map((name) => context.table.find(name));
  const known = markets.filter((market): market is Market => market?.kind === kind);
  if (known.length < markets.length) refuse(call, illegalParameter("symbols"));
  else if (new Set(known).size < known.length) refuse(call, repeatedSymbol);
  else return { markets: known, isOne: false };
  return null;
}
