// Whether a market trades now, as the front's model of the venue knows it.

import { type Market, MarketStatus } from "../../core/markets.ts";
import type { RouteContext } from "./route.ts";

export function statusOf({ model }: RouteContext, market: Market): MarketStatus {
  return (model.state.marketStatus[market.id] ?? MarketStatus.trading) as MarketStatus;
}
