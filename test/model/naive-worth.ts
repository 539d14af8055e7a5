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
