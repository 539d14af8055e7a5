// The markets that crash clients trade in, with the routes of each. Spot and perpetuals differ in paths, in symbols
// and in the error codes for an unknown order.

import { present } from "../../src/core/assert.ts";
import { type Market, MarketKind } from "../../src/core/markets.ts";
import type { Funding } from "../../src/tools/load/load-accounts.ts";
import { marketId, testMarkets } from "../support/machine/test-markets.ts";
import type { Answer } from "./signed-client.ts";

export interface CrashMarket {
  readonly market: Market;
  /** Orders are placed close around this price in ticks, so that most of them match. */
  readonly middle: number;
  /** Smallest quantity in lots. */
  readonly lotsMin: number;
}

export const ccUsdc = placeOf(marketId.ccUsdc, 1_500, 1_000);
export const cethUsdc = placeOf(marketId.cethUsdc, 300_000, 10);
export const ethPerp = placeOf(marketId.ethPerp, 300_000, 10);

/** What an account needs in addition to the funds of spot accounts, so that it can trade in every market. */
export const perpetualFunding: readonly Funding[] = [["perp", "USDC", "1000000"]];

function placeOf(id: number, middle: number, lotsMin: number): CrashMarket {
  return { market: testMarkets.market(id), middle, lotsMin };
}

export function isPerpetual({ kind }: Market): boolean {
  return kind === MarketKind.perpetual;
}

/** Returns the market's name on the surface that serves it: the alias for a perpetual. */
export function symbolOf(market: Market): string {
  return isPerpetual(market) ? market.alias : market.symbol;
}

/** Returns the market whose name on its surface is `symbol`. */
export function marketOf(symbol: string): Market {
  const found = testMarkets.markets.find((market) => symbolOf(market) === symbol);
  return present(found, "the market of this symbol");
}

export function orderPath(market: Market): string {
  return isPerpetual(market) ? "/fapi/v1/order" : "/api/v3/order";
}

export function tradesPath(market: Market): string {
  return isPerpetual(market) ? "/fapi/v1/userTrades" : "/api/v3/myTrades";
}

/** Error codes of a cancel and of a query for an order that does not exist or is no longer open. */
const goneCodes = [-2011, -2013];

/** Returns whether the answer means that the order does not exist or is no longer open. */
export function saysGone({ status, body }: Answer): boolean {
  const { code } = body as { readonly code?: number };
  return status >= 400 && status < 500 && goneCodes.includes(code ?? 0);
}
