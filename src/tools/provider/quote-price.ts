// The price of a reference provider: the average price of filling the quantity from the venue's order book, plus a
// spread against the trader. Prices are whole ticks, quantities whole lots; rounding favours the provider by less than
// a tick.

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

/** The price at which `lots` are sold (`isBuy`, from the asks) or bought; null if the book has less. */
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

/** The most lots that `value` buys, or the fewest whose sale yields it. */
function lotsFor(value: bigint, ticks: bigint, isBuy: boolean): bigint {
  return isBuy ? value / ticks : ceilOf(value, ticks);
}

/**
 * The most quantity that `value` (in tick × lot) buys, or the least that yields it when sold, with its price; null if
 * the book has less.
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
  // Each iteration uses the previous price; prices only get worse, so few iterations suffice.
  for (let turn = 0; turn < 8; turn++) {
    const lots = lotsFor(value, ticks, isBuy);
    const priced = priceOfLots(side, lots, isBuy, spreadBps);
    if (priced === null) return null;
    const left = value - priced.ticks * lots;
    if (isBuy ? left >= 0n : left <= 0n) {
      // A smaller quantity may have a better price, at which one more lot would fit; at the previous price it does not
      // fit.
      return isBuy && left >= priced.ticks ? { ticks, lots } : priced;
    }
    ticks = priced.ticks;
  }
  return null;
}
