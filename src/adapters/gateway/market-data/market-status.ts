// A market's status in this front's model, and which markets appear in lists.

import { type Market, MarketStatus } from "../../../core/markets.ts";
import type { ReadModel } from "../read-model.ts";

/** Spot's names for the states of a market. */
export const spotStatusNames = {
  [MarketStatus.trading]: "TRADING",
  [MarketStatus.halted]: "HALT",
  [MarketStatus.delisted]: "BREAK",
} as const satisfies Readonly<Record<MarketStatus, string>>;

/** Gives access to the states of markets. */
type MarketContext = { readonly model: ReadModel };

export type SpotStatusName = (typeof spotStatusNames)[MarketStatus];

export function statusOf({ model }: MarketContext, market: Market): MarketStatus {
  return (model.state.marketStatus[market.id] ?? MarketStatus.trading) as MarketStatus;
}

/** Returns whether lists of tickers include the market; they omit delisted markets. Spec CMP-12. */
export function isListed(context: MarketContext, market: Market): boolean {
  return statusOf(context, market) !== MarketStatus.delisted;
}

/** Returns whether the market is in the requested state; true if no state is requested. */
export function hasStatus(
  context: MarketContext,
  market: Market,
  requested: SpotStatusName | undefined,
): boolean {
  return requested === undefined || spotStatusNames[statusOf(context, market)] === requested;
}
