// How a view writes the figures of a market. The documented paths use the market's own decimals, as the
// specification shows them. Spot under /compat writes every price, quantity and amount with eight, as
// Binance does: python-binance drops a level of its book only where the quantity reads "0.00000000".
// Perpetuals have their market's decimals on both, as Binance's futures do. Spec CMP-20.

import { type Market, MarketKind } from "../../../core/markets.ts";
import type { Asset } from "../../../core/money/assets.ts";
import { formatScaled } from "../../../core/money/decimal.ts";
import type { SurfaceView } from "../requests/surface-view.ts";

/** Decimals of every figure on Binance spot. No asset, tick or lot here has more. */
const spotPlaces = 8;

/** A market as a view writes it. */
export interface ShownMarket extends Market {
  /** True where every figure has `spotPlaces`; otherwise each has the decimals of its unit. */
  readonly isPadded?: boolean;
}

const padded = new WeakMap<Market, ShownMarket>();

/** The market as `view` writes it. */
export function shownIn(view: SurfaceView, market: Market): ShownMarket {
  if (view !== "compat" || market.kind !== MarketKind.spot) return market;
  const known = padded.get(market);
  if (known !== undefined) return known;
  const shown = { ...market, isPadded: true };
  padded.set(market, shown);
  return shown;
}

/** By the decimals a figure has: what it lacks. */
const tails = Array.from(
  { length: spotPlaces + 1 },
  (_, decimals) => (decimals === 0 ? "." : "") + "0".repeat(spotPlaces - decimals),
);

function figure(value: number | bigint, decimals: number, isPadded: boolean | undefined): string {
  const text = formatScaled(value, decimals);
  return isPadded === true ? text + tails[decimals] : text;
}

export function priceText(market: ShownMarket, ticks: number): string {
  return figure(ticks, market.tickDecimals, market.isPadded);
}

export function qtyText(market: ShownMarket, lots: number): string {
  return figure(lots, market.lotDecimals, market.isPadded);
}

/** An amount of the market's quote asset. */
export function quoteText(market: ShownMarket, units: bigint): string {
  return figure(units, market.quote.decimals, market.isPadded);
}

/** An amount of one of the market's assets. */
export function assetText({ isPadded }: ShownMarket, units: bigint, { decimals }: Asset): string {
  return figure(units, decimals, isPadded);
}

/** An amount of an asset in a spot wallet. */
export function amountText(view: SurfaceView, units: bigint, { decimals }: Asset): string {
  return figure(units, decimals, view === "compat");
}
