// The number of decimals a client may send in a perpetual's price. The root view lists two decimals for every symbol
// and accepts no more. The compat view lists and accepts the decimals of the market's tick. Answers have the market's
// decimals in both views, so an order's price is never shown rounded.

import type { Market } from "../../../../core/markets.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
import { priceOf } from "../../orders/order-format.ts";
import type { SurfaceView } from "../../requests/surface-view.ts";

const rootPriceDecimals = 2;

/** A market, and the view through which its prices are parsed. */
export interface MarketInView {
  readonly market: Market;
  readonly view: SurfaceView;
}

/** Number of price decimals that the view lists and accepts. Spec FAP-2, FAP-48. */
export function priceDecimals({ market: { tickDecimals }, view }: MarketInView): number {
  return view === "root" ? Math.min(tickDecimals, rootPriceDecimals) : tickDecimals;
}

/** Ticks of a price sent by a client of the view, or a negated RejectReason. */
export function sentPriceOf(text: string, at: MarketInView): number {
  const { market } = at;
  const price = priceOf(text, market);
  const step = 10 ** (market.tickDecimals - priceDecimals(at));
  return price > 0 && price % step !== 0 ? -RejectReason.priceOffTick : price;
}
