// What the one collateral asset is called. The venue's is USDC; clients that know Binance look for
// a balance in the asset perpetuals are quoted in, so the compat view gives it that name, and the wallet
// routes know it under both there (spec FAP-17).

import { isPerpetual, type Market, type MarketTable } from "../../../core/markets.ts";
import type { Asset } from "../../../core/money/assets.ts";
import type { SurfaceView } from "../requests/surface-view.ts";

/** Name of the one collateral asset: compat shows it as the quote asset (binance-compat 11). */
export function collateralName(market: Market, view: SurfaceView): string {
  return view === "compat" ? market.quoteCode : market.quote.code;
}

/** An asset under one of its names. */
export interface NamedAsset {
  readonly name: string;
  readonly asset: Asset;
}

/** The collateral under the name that only this view has for it, if there is one. */
function aliasOf(table: MarketTable, view: SurfaceView): NamedAsset | undefined {
  const market = table.markets.find(isPerpetual);
  if (market === undefined) return undefined;
  const name = collateralName(market, view);
  return table.findAsset(name) === undefined ? { name, asset: market.quote } : undefined;
}

/** Every asset under every name this view has for it. */
export function namedAssets(table: MarketTable, view: SurfaceView): NamedAsset[] {
  const alias = aliasOf(table, view);
  const own = table.assets.map((asset) => ({ name: asset.code, asset }));
  return alias === undefined ? own : [...own, alias];
}

/** The asset of that name in this view. */
export function assetNamed(table: MarketTable, view: SurfaceView, name: string): Asset | undefined {
  return namedAssets(table, view).find((one) => one.name === name)?.asset;
}
