// Computes the value of ticks × lots of a market for all audits, in integers of any size, from the decimals of tick,
// lot and quote asset alone.

import type { Market } from "../../src/core/markets.ts";

/**
 * Returns a signed number of ticks × lots as minor units of the quote asset, rounded to the nearest, half away from
 * zero.
 */
export function naiveWorth(
  { quote, tickDecimals, lotDecimals }: Pick<Market, "quote" | "tickDecimals" | "lotDecimals">,
  ticksAndLots: bigint,
): bigint {
  const steps = 10n ** BigInt(tickDecimals + lotDecimals);
  const size = (ticksAndLots < 0n ? -ticksAndLots : ticksAndLots) * 10n ** BigInt(quote.decimals);
  const down = size / steps;
  const nearest = 2n * (size % steps) < steps ? down : down + 1n;
  return ticksAndLots < 0n ? -nearest : nearest;
}

/** What the margin of an order needs of it. */
interface MarginedOrder {
  readonly remaining: number;
  readonly marginPrice: number;
}

/**
 * Returns the margin of one of an account's orders on a side, which come oldest first. Older orders count first as closing
 * the position.
 */
export function naiveMargin<Order extends MarginedOrder>(
  order: Order,
  orders: readonly Order[],
  terms: { readonly market: Market; readonly closable: bigint; readonly leverage: bigint },
): bigint {
  const { market, closable, leverage } = terms;
  let closing = closable > 0n ? closable : 0n;
  for (const other of orders) {
    const lots = BigInt(other.remaining);
    const opening = lots > closing ? lots - closing : 0n;
    closing = closing > lots ? closing - lots : 0n;
    if (other !== order) continue;
    const value = naiveWorth(market, BigInt(order.marginPrice) * opening);
    return value % leverage === 0n ? value / leverage : value / leverage + 1n;
  }
  return 0n;
}
