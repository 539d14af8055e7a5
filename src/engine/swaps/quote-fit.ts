// Checks whether a provider's price and quantity match a trader's request. The provider adapter and the swap service
// share this check, so that both accept the same quotes. It computes in ticks and lots, so every value is exact. Spec
// RFQ-2.

import { assert } from "../../core/assert.ts";
import { type Market, orderValue } from "../../core/markets.ts";
import { asPriceTicks, asQtyLots, parseScaled } from "../../core/money/amounts.ts";
import { Side } from "../../core/orders.ts";

/** What a trader requested; exactly one of `askedLots` and `askedQuote` is set. */
export interface RequestedQuote {
  /** The trader's side. */
  readonly side: Side;
  readonly askedLots: number | null;
  /** Minor units of the quote asset: the most a BUY pays, or the least a SELL receives. */
  readonly askedQuote: bigint | null;
}

export interface PricedLots {
  readonly priceTicks: number;
  readonly lots: number;
}

/**
 * What is wrong with a quote. `other`: not the requested quantity. `small`: worth less than the market's minimum,
 * which is the fault of the request and not of the provider.
 */
export type QuoteMisfit = "price" | "quantity" | "other" | "small";

/** What the trader pays or receives in the quote asset, in minor units. */
export function quoteValue(market: Market, priceTicks: number, lots: number): bigint {
  return orderValue(market, asPriceTicks(priceTicks), asQtyLots(lots));
}

/**
 * Checks the price and the quantity of a provider's answer. Both must be positive decimals within the market's steps
 * and limits. If lots are requested, the quantity must be exactly these lots. If a value is requested, it must be the
 * most lots that a BUY can pay with the value, or the fewest with which a SELL receives at least the value. Returns
 * ticks and lots, or what is wrong.
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
  // Only requested lots can be too small. A requested value was already compared with the market's minimum, and the
  // whole lots that it pays for may be worth a little less.
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
      "a swap request must have either a positive quantity or a positive quote amount",
    );
    return lots === askedLots;
  }
  assert(
    askedQuote !== null && askedQuote > 0n,
    "a swap request must have either a positive quantity or a positive quote amount",
  );
  const value = quoteValue(market, priceTicks, lots);
  const lot = quoteValue(market, priceTicks, 1);
  if (side === Side.buy) return value <= askedQuote && value + lot > askedQuote;
  return value >= askedQuote && value - lot < askedQuote;
}
