// Whether the price step of a market suits its price. Too coarse a tick widens the spread; too fine a tick lets orders
// gain priority at almost no cost.

/** Largest tick, in basis points of the price. */
const bpsMax = 10;
/** Smallest tick, in basis points of the price. */
const bpsMin = 0.001;
const bpsInAll = 10_000;

/**
 * Returns why the tick does not suit a price of `priceTicks`, such as "too coarse: …"; null if it does, or if there is no
 * price (0). Spec OPS-60.
 */
export function tickFault(priceTicks: number): string | null {
  if (priceTicks <= 0) return null;
  const bps = bpsInAll / priceTicks;
  if (bps >= bpsMin && bps <= bpsMax) return null;
  const size = bps > bpsMax ? "coarse" : "fine";
  return `too ${size}: ${shownBps(bps)} basis points of the price, expected ${bpsMin} to ${bpsMax}`;
}

function shownBps(bps: number): string {
  return bps >= 1 ? bps.toFixed(2) : bps.toPrecision(2);
}
