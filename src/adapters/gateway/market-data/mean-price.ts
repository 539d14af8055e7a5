// Prices that are a mean of others, as text: average prices of orders and windows, entry prices of positions.
// They are shown, and nothing is booked by them.

import type { Market } from "../../../core/markets.ts";
import { isExact, meanTicks } from "../../../core/money/amounts.ts";
import { formatScaled } from "../../../core/money/decimal.ts";

/** Places of a mean price: a mean of ticks has no last place. */
export const meanPlaces = 8;
/** Places beyond the tick's that values rounded to a minor unit still bear; the rest are zeros. */
const roundedPlaces = 2;

/**
 * `value` ≥ 0 quote minor units for `lots` > 0 as a price with eight places: rounded toward zero where values
 * are exact; else to the nearest hundredth of a tick, so that what traded at one price, from some thousand lots
 * on, shows it. Spec FAP-49.
 */
export function meanText(
  { tickDecimals, tickLot }: Pick<Market, "tickDecimals" | "tickLot">,
  value: bigint,
  lots: number,
): string {
  const places = meanPlaces - tickDecimals;
  const kept = isExact(tickLot) ? places : Math.min(roundedPlaces, places);
  const mean = meanTicks(value, lots, tickLot, 10n ** BigInt(kept));
  return formatScaled(mean * 10n ** BigInt(places - kept), meanPlaces);
}
