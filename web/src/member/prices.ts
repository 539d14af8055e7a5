// Prices of assets in USDC, from the last trades of the spot markets, for the values of balances.

import { signal } from "@preact/signals";
import { markets } from "../markets/markets.ts";
import { type Prices, unitOfValue } from "./valuation.ts";
import { request } from "./venue-api.ts";

/** By asset; empty until loaded. */
export const prices = signal<Prices>({});

interface Ticker {
  readonly symbol: string;
  readonly lastPrice: string;
  readonly count: number;
}

/** Reads the last prices. A market without a trade in 24 hours gives none, because its price is only a substitute. */
export async function readPrices(): Promise<void> {
  const rows = await request<Ticker[]>("GET", "/compat/api/v3/ticker/24hr");
  const found = rows.flatMap(({ symbol, lastPrice, count }) => {
    const market = markets.value.find(
      ({ listed, isPerpetual }) => listed === symbol && !isPerpetual,
    );
    return market?.quote === unitOfValue && count > 0 ? [[market.base, lastPrice] as const] : [];
  });
  prices.value = Object.fromEntries(found);
}
