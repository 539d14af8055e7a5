// What the routes for market makers need of the surface that they are on: their paths, its errors, and how it reads
// prices. Spot and perpetuals have the same routes.

import { isPermitted, tradePermissions } from "../../../core/accounts.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { marketsIn } from "../../../engine/state/tables/maker-groups.ts";
import { fapiErrors } from "../fapi/error-map.ts";
import { sentPriceOf } from "../fapi/orders/price-decimals.ts";
import type { ErrorMap } from "../orders/order-flow.ts";
import { priceOf, qtyOf, reasonOfFigure } from "../orders/order-format.ts";
import type { Caller } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
import { authErrors, refused } from "../requests/surface-error.ts";
import type { SurfaceView } from "../requests/surface-view.ts";
import { spotErrors } from "../spot/error-map.ts";

export interface MakerSurface {
  readonly kind: MarketKind;
  readonly path: "/api/v3" | "/fapi/v1";
  readonly errors: ErrorMap;
  /** A market that the examples name. */
  readonly symbol: string;
}

export const spotMakers = {
  kind: MarketKind.spot,
  path: "/api/v3",
  errors: spotErrors,
  symbol: "CC-USDC",
} as const satisfies MakerSurface;

export const perpMakers = {
  kind: MarketKind.perpetual,
  path: "/fapi/v1",
  errors: fapiErrors,
  symbol: "BTCUSDT",
} as const satisfies MakerSurface;

/**
 * Refuses a key that may not trade in one of these markets, one bit each: a group may have markets of both kinds, and
 * the route's path says only which one it was called by. Spec MMP-9.
 */
export function checkTrades(
  { model: { state }, table }: Pick<RouteContext, "model" | "table">,
  { keyId }: Caller,
  markets: number,
): void {
  const permissions = state.keys.get(keyId)?.permissions ?? 0;
  const mayTrade = (id: number) =>
    isPermitted(permissions, tradePermissions[table.market(id).kind]);
  if (!marketsIn(markets).every(mayTrade)) refused(authErrors.keyUnknown);
}

/** Like `checkTrades`, for the markets of the account's group; one that does not exist has none. */
export function checkTradesGroup(
  context: Pick<RouteContext, "model" | "table">,
  caller: Caller,
  group: number,
): void {
  const found = context.model.state.makerGroups.get(caller.account, group);
  if (found !== undefined) checkTrades(context, caller, found.terms.markets);
}

/** Ticks of a price that a client of the view sent; refuses an invalid one, and zero. */
export function ticksIn(
  { kind, errors }: MakerSurface,
  text: string,
  at: { readonly market: Market; readonly view: SurfaceView },
): number {
  const price = kind === MarketKind.spot ? priceOf(text, at.market) : sentPriceOf(text, at);
  if (price > 0) return price;
  return refused(errors[price === 0 ? RejectReason.priceNotPositive : reasonOfFigure(price)]);
}

/** Lots of a quantity; refuses an invalid one. */
export function lotsIn({ errors }: MakerSurface, text: string, market: Market): number {
  const lots = qtyOf(text, market);
  return lots >= 0 ? lots : refused(errors[reasonOfFigure(lots)]);
}
