// Whether a market trades now, as the front's model of the venue knows it, and which markets lists show.

import { type Market, MarketStatus } from "../../../core/markets.ts";
import type { RouteContext } from "../requests/route.ts";
import { refuse, statusMismatch } from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";

/** Spot's words for the states of a market. */
export const spotStatusWords = {
  [MarketStatus.trading]: "TRADING",
  [MarketStatus.halted]: "HALT",
  [MarketStatus.delisted]: "BREAK",
} as const satisfies Readonly<Record<MarketStatus, string>>;

export type SpotStatusWord = (typeof spotStatusWords)[MarketStatus];

export function statusOf({ model }: RouteContext, market: Market): MarketStatus {
  return (model.state.marketStatus[market.id] ?? MarketStatus.trading) as MarketStatus;
}

/** Lists of tickers leave out what is not traded any more. Spec CMP-12. */
export function isListed(context: RouteContext, market: Market): boolean {
  return statusOf(context, market) !== MarketStatus.delisted;
}

/** Whether the market is in the state asked for; any state will do when none is. */
export function hasStatus(
  context: RouteContext,
  market: Market,
  asked: SpotStatusWord | undefined,
): boolean {
  return asked === undefined || spotStatusWords[statusOf(context, market)] === asked;
}

/** As `hasStatus`, of a market that was named; refuses the call when it is in another state. */
export function passesStatus(
  call: HttpCall,
  context: RouteContext,
  { market, symbolStatus }: { market: Market; symbolStatus: SpotStatusWord | undefined },
): boolean {
  const passes = hasStatus(context, market, symbolStatus);
  if (!passes) refuse(call, statusMismatch);
  return passes;
}
