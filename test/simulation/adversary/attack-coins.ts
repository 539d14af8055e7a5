// The coins whose markets are attacked, and conversions from whole units of the quote to market units. The fair
// price of a coin is its value outside the venue; only the simulation knows it.

import { present } from "../../../src/core/assert.ts";
import type { Market } from "../../../src/core/markets.ts";
import { marketId, testMarkets } from "../../support/machine/test-markets.ts";

/** A coin with its two markets. */
export interface AttackCoin {
  readonly spot: Market;
  readonly perp: Market;
  /** Fair price at the start, in whole units of the quote. */
  readonly fair: number;
}

/** An expensive coin, and a cheap one whose tick and lot are worth less than the quote's last decimal place. */
export const attackCoins: readonly AttackCoin[] = [
  coin(marketId.cbtcUsdc, marketId.btcPerp, 60_000),
  coin(marketId.ccUsdc, marketId.ccPerp, 0.15),
];

function coin(spot: number, perp: number, fair: number): AttackCoin {
  return { spot: testMarkets.market(spot), perp: testMarkets.market(perp), fair };
}

export function coinAt(index: number): AttackCoin {
  return present(attackCoins[index], "This is not one of the attacked coins");
}

/** Converts a price to ticks, rounded down or up, within the market's bounds. */
export function ticksOf(market: Market, price: number, rounds: "down" | "up"): number {
  const exact = price * 10 ** market.tickDecimals;
  // A floating-point product such as 0.15 × 10,000 can differ slightly from the exact whole number.
  const whole = rounds === "down" ? Math.floor(exact + 1e-6) : Math.ceil(exact - 1e-6);
  return Math.min(Math.max(whole, 1), market.priceTicksMax);
}

/** Converts ticks to whole units of the quote. */
export function priceOfTicks(market: Market, ticks: number): number {
  return ticks / 10 ** market.tickDecimals;
}

/** Returns the lots, rounded down, that `value` buys at `price`; both are in whole units of the quote. */
export function lotsOf(market: Market, value: number, price: number): number {
  const lots = Math.floor((value / price) * 10 ** market.lotDecimals);
  return Math.min(Math.max(lots, 0), market.qtyLotsMax);
}
