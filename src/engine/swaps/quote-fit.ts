// Checks whether a provider's price and quantity match a trader's request. The provider adapter and the swap service
// share this check, so that both accept the same quotes. In ticks and lots, so that every value is exact. Spec RFQ-2.

import { assert } from "../../core/assert.ts";
import { type Market, orderValue } from "../../core/markets.ts";
import { asPriceTicks, asQtyLots, parseScaled } from "../../core/money/amounts.ts";
import { Side } from "../../core/orders.ts";

/** A request; exactly one of the two quantities is set. */
export interface RequestedQuote {
  /** The trader's. */
  readonly side: Side;
  readonly askedLots: number | null;
  /** Minor units of the quote asset: the most a BUY pays, or the least a SELL receives. */
  readonly askedQuote: bigint | null;
}

export interface PricedLots {
  readonly priceTicks: number;
  readonly lots: number;
}

/** `small`: worth less than the market's minimum, which is caused by the request and not by the provider. */
export type QuoteMisfit = "price" | "quantity" | "other" | "small";

/** What the trader pays or receives in the quote asset, in minor units. */
export function quoteValue(market: Market, priceTicks: number, lots: number): bigint {
  return orderValue(market, asPriceTicks(priceTicks), asQtyLots(lots));
}

/**
 * Price and quantity of an answer, both positive decimals within the market's steps and limits, matching the requested
 * quantity: exactly those lots, or the most lots that a BUY can pay with the requested value, or the fewest with which
 * a SELL receives at least that value. Returns the reason if they do not match.
 */
export function fitQuote(
  market: Market,
  asked: RequestedQuote,
  given: { readonly price: string; readonly qty: string },
): PricedLots | QuoteMisfit {
  assert(market.base !== null, "the market of a swap must be a spot market");
  const priceTicks = parseScaled(given.price, market.tickDecimals);
  const lots = parseScaled(given.qty, market.lotDecimals);
  if (!(priceTicks > 0) || priceTicks > market.priceTicksMax) return "price";
  if (!(lots > 0) || lots > market.qtyLotsMax) return "quantity";
  if (!isRequested(asked, market, priceTicks, lots)) return "other";
  // The requested value was checked against the market's minimum; whole lots may be worth less.
  const isSmall = quoteValue(market, priceTicks, lots) < market.minNotional;
  if (asked.askedLots !== null && isSmall) return "small";
  return { priceTicks, lots };
}

function isRequested(
  { side, askedLots, askedQuote }: RequestedQuote,
  market: Market,
  priceTicks: number,
  lots: number,
): boolean {
  if (askedLots !== null) {
    assert(
      askedQuote === null && askedLots > 0,
      "a swap request must have a quantity or a quote amount",
    );
    return lots === askedLots;
  }
  assert(
    askedQuote !== null && askedQuote > 0n,
    "a swap request must have a quantity or a quote amount",
  );
  const value = quoteValue(market, priceTicks, lots);
  const lot = quoteValue(market, priceTicks, 1);
  if (side === Side.buy) return value <= askedQuote && value + lot > askedQuote;
  return value >= askedQuote && value - lot < askedQuote;
}
