// What a reference provider quotes: the average price of filling the quantity from the venue's own book,
// made worse for the trader by a spread. Prices are whole ticks, quantities whole lots; every rounding is
// the provider's gain, and by less than a tick.

/** Levels of one side, best first: price in ticks and quantity in lots. */
export type BookSide = readonly (readonly [ticks: bigint, lots: bigint])[];

const bpsWhole = 10_000n;

export interface Priced {
  readonly ticks: bigint;
  readonly lots: bigint;
}

function ceilOf(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

/** The price at which `lots` are sold (`isBuy`, from the asks) or bought; null where the book has less. */
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

/** The most lots that `value` pays, or the fewest that bring it. */
function lotsFor(value: bigint, ticks: bigint, isBuy: boolean): bigint {
  return isBuy ? value / ticks : ceilOf(value, ticks);
}

/**
 * The quantity that `value` (in tick × lot) buys at most, or that brings at least so much when sold, with
 * its price; null where the book has less.
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
  // Each turn the quantity follows the price of the one before; prices get worse, so few turns are needed.
  for (let turn = 0; turn < 8; turn++) {
    const lots = lotsFor(value, ticks, isBuy);
    const priced = priceOfLots(side, lots, isBuy, spreadBps);
    if (priced === null) return null;
    const left = value - priced.ticks * lots;
    if (isBuy ? left >= 0n : left <= 0n) {
      // A little of a deep book is cheaper, and one lot more would fit: at the price before it does not.
      return isBuy && left >= priced.ticks ? { ticks, lots } : priced;
    }
    ticks = priced.ticks;
  }
  return null;
}
