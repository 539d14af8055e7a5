// What ticks × lots of a market are worth, for everything that judges the venue: worked out from the decimals of
// tick, lot and quote alone, in whole numbers of any size.

import type { Market } from "../../src/core/markets.ts";

/** Minor units of the quote for a signed number of ticks × lots: to the nearest, half away from zero. */
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
