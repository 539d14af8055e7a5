// Whether the tick of a market suits its price: one that is too coarse makes the spread, one that is too fine
// lets orders step ahead of each other for nothing.

/** A tick of more basis points of the price than this is too coarse. */
const bpsMax = 10;
/** One of fewer is too fine: 0.001. */
const bpsMin = 0.001;
const bpsInAll = 10_000;

/** What is wrong with the tick at a price in ticks; null where nothing is, or there is no price (0). Spec OPS-60. */
export function tickWarning(priceTicks: number): string | null {
  if (priceTicks <= 0) return null;
  const bps = bpsInAll / priceTicks;
  if (bps >= bpsMin && bps <= bpsMax) return null;
  const size = bps > bpsMax ? "coarse" : "fine";
  return `the tick is too ${size}: ${shownBps(bps)} basis points of the price, expected ${bpsMin} to ${bpsMax}`;
}

function shownBps(bps: number): string {
  return bps >= 1 ? bps.toFixed(2) : bps.toPrecision(2);
}
