// How many decimals prices of perpetuals have where a client sends them. The root's listing says two for every
// symbol (specification: Exchange-info symbol record), so it takes no more; compat announces the market's own tick
// and takes it. What is answered has the market's decimals in both views: an order's price is never shown
// rounded, wherever it was sent.

import type { Market } from "../../../../core/markets.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
import { priceOf } from "../../orders/order-format.ts";
import type { SurfaceView } from "../../requests/surface-view.ts";

const rootPriceDecimals = 2;

/** A market as a view takes prices of it. */
export interface MarketInView {
  readonly market: Market;
  readonly view: SurfaceView;
}

/** Decimals that the view announces and takes. Spec FAP-2, FAP-48. */
export function priceDecimals({ market: { tickDecimals }, view }: MarketInView): number {
  return view === "root" ? Math.min(tickDecimals, rootPriceDecimals) : tickDecimals;
}

/** Ticks of a price as a client of the view sends it; a negative answer is a RejectReason with its sign turned. */
export function sentPriceOf(text: string, at: MarketInView): number {
  const { market } = at;
  const price = priceOf(text, market);
  const step = 10 ** (market.tickDecimals - priceDecimals(at));
  return price > 0 && price % step !== 0 ? -RejectReason.priceOffTick : price;
}
