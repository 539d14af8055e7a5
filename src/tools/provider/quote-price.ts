// Computes the price of a reference provider: the average price of filling the quantity from the venue's order book,
// made worse for the trader by a spread. Prices are whole ticks and quantities whole lots. Rounding favours the
// provider by less than a tick.

/** Levels of one side of the book, best first: price in ticks and quantity in lots. */
export type BookSide = readonly (readonly [ticks: bigint, lots: bigint])[];

const bpsWhole = 10_000n;

export interface Priced {
  readonly ticks: bigint;
  readonly lots: bigint;
}

function ceilOf(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

/**
 * Returns the price at which the provider sells `lots` (`isBuy`: the trader buys, priced from the asks) or buys them
 * (priced from the bids); null if the book has fewer lots.
 */
export function priceOfLots(
  side: BookSide,
  lots: bigint,
  isBuy: boolean,
  spreadBps: bigint,
): Priced | null {
  let left = lots;
  let value = 0n;
  for (const [ticks, offered] of side) {
    const isEnough = offered >= left;
    const taken = isEnough ? left : offered;
    value += taken * ticks;
    left -= taken;
    if (left === 0n) break;
  }
  if (left > 0n || lots <= 0n) return null;
  const worse = isBuy ? bpsWhole + spreadBps : bpsWhole - spreadBps;
  const divisor = lots * bpsWhole;
  const ticks = isBuy ? ceilOf(value * worse, divisor) : (value * worse) / divisor;
  return ticks > 0n ? { ticks, lots } : null;
}

/** Returns the most lots that `value` buys, or the fewest lots whose sale yields `value`. */
function lotsFor(value: bigint, ticks: bigint, isBuy: boolean): bigint {
  return isBuy ? value / ticks : ceilOf(value, ticks);
}

/**
 * Returns the largest quantity that `value` (in tick × lot) buys, or the smallest whose sale yields `value`, with its
 * price; null if the book has less.
 */
export function priceOfValue(
  side: BookSide,
  value: bigint,
  isBuy: boolean,
  spreadBps: bigint,
): Priced | null {
  const best = side[0]?.[0];
  if (best === undefined || value <= 0n) return null;
  let ticks: bigint = best;
  // Each iteration uses the previous price. Prices only become worse, so few iterations are enough.
  for (let turn = 0; turn < 8; turn++) {
    const lots = lotsFor(value, ticks, isBuy);
    const priced = priceOfLots(side, lots, isBuy, spreadBps);
    if (priced === null) return null;
    const left = value - priced.ticks * lots;
    if (isBuy ? left >= 0n : left <= 0n) {
      // A smaller quantity may have a better price, at which one more lot would be affordable. Then quote the previous,
      // worse price, at which that lot is not affordable.
      return isBuy && left >= priced.ticks ? { ticks, lots } : priced;
    }
    ticks = priced.ticks;
  }
  return null;
}
