// The name of the only collateral asset. The venue's collateral is USDC. Binance clients look for a balance in the
// quote asset of perpetuals, so the compat view shows the name of that asset, and its wallet routes accept both names
// (FAP-17).

import { isPerpetual, type Market, type MarketTable } from "../../../core/markets.ts";
import type { Asset } from "../../../core/money/assets.ts";
import type { SurfaceView } from "../requests/surface-view.ts";

/** Name of the collateral asset; the compat view uses the name of the quote asset instead. */
export function collateralName(market: Market, view: SurfaceView): string {
  return view === "compat" ? market.quoteCode : market.quote.code;
}

/** An asset and one of its names. */
export interface NamedAsset {
  readonly name: string;
  readonly asset: Asset;
}

/** The collateral asset with its additional name in this view; undefined if the view has no additional name. */
function aliasOf(table: MarketTable, view: SurfaceView): NamedAsset | undefined {
  const market = table.markets.find(isPerpetual);
  if (market === undefined) return undefined;
  const name = collateralName(market, view);
  return table.findAsset(name) === undefined ? { name, asset: market.quote } : undefined;
}

/** Every asset under every name it has in this view. */
export function namedAssets(table: MarketTable, view: SurfaceView): NamedAsset[] {
  const alias = aliasOf(table, view);
  const own = table.assets.map((asset) => ({ name: asset.code, asset }));
  return alias === undefined ? own : [...own, alias];
}

/** The asset with that name in this view. */
export function assetNamed(table: MarketTable, view: SurfaceView, name: string): Asset | undefined {
  return namedAssets(table, view).find((one) => one.name === name)?.asset;
}
