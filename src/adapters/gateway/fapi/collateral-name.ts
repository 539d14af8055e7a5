// What the one collateral asset is called. The venue's is USDC; clients that know Binance look for
// a balance in the asset perpetuals are quoted in, so the compat view gives it that name.

import type { Market } from "../../../core/markets.ts";
import type { SurfaceView } from "../requests/surface-view.ts";

/** Name of the one collateral asset: compat shows it as the quote asset (binance-compat 11). */
export function collateralName(market: Market, view: SurfaceView): string {
  return view === "compat" ? market.quoteCode : market.quote.code;
}
