// Whether a price and a quantity answer what a trader asked for. Whoever listens to providers and whoever
// keeps their quotes ask the same question here, so that a quote that counts for one counts for the other.
// Prices are ticks and quantities lots, so that every value is exact. Spec RFQ-2.

import { assert } from "../../core/assert.ts";
import { type Market, orderValue } from "../../core/markets.ts";
import { asPriceTicks, asQtyLots, parseScaled } from "../../core/money/amounts.ts";
import { Side } from "../../core/orders.ts";

/** What was asked for: exactly one of both quantities is there. */
export interface RequestedQuote {
  /** The trader's. */
  readonly side: Side;
  readonly askedLots: number | null;
  /** Minor units of the quote asset: the most that a BUY pays, or the least that a SELL brings. */
  readonly askedQuote: bigint | null;
}

export interface PricedLots {
  readonly priceTicks: number;
  readonly lots: number;
}

/** `small`: worth less than the market trades, which is the request's doing and not the provider's. */
export type QuoteMisfit = "price" | "quantity" | "other" | "small";

/** What the trader gives or gets of the quote asset, in minor units. */
export function quoteValue(market: Market, priceTicks: number, lots: number): bigint {
  return orderValue(market, asPriceTicks(priceTicks), asQtyLots(lots));
}

/**
 * Price and quantity of an answer, both positive decimals within the market's steps and bounds, for the
 * quantity that was asked for: those lots, or the most that a BUY can pay with the value asked for, or the
 * fewest that bring a SELL at least that. Otherwise what is wrong with it.
 */
export function fitQuote(
  market: Market,
  asked: RequestedQuote,
  given: { readonly price: string; readonly qty: string },
): PricedLots | QuoteMisfit {
  assert(market.base !== null, "only spot markets are swapped in");
  const priceTicks = parseScaled(given.price, market.tickDecimals);
  const lots = parseScaled(given.qty, market.lotDecimals);
  if (!(priceTicks > 0) || priceTicks > market.priceTicksMax) return "price";
  if (!(lots > 0) || lots > market.qtyLotsMax) return "quantity";
  if (!isAsked(asked, market, priceTicks, lots)) return "other";
  // A value was held against the market's smallest when it was asked for; whole lots may come to less.
  const isSmall = quoteValue(market, priceTicks, lots) < market.minNotional;
  if (asked.askedLots !== null && isSmall) return "small";
  return { priceTicks, lots };
}

function isAsked(
  { side, askedLots, askedQuote }: RequestedQuote,
  market: Market,
  priceTicks: number,
  lots: number,
): boolean {
  if (askedLots !== null) {
    assert(askedQuote === null && askedLots > 0, "lots or a value were asked for");
    return lots === askedLots;
  }
  assert(askedQuote !== null && askedQuote > 0n, "lots or a value were asked for");
  const value = quoteValue(market, priceTicks, lots);
  const lot = quoteValue(market, priceTicks, 1);
  if (side === Side.buy) return value <= askedQuote && value + lot > askedQuote;
  return value >= askedQuote && value - lot < askedQuote;
}
