// What a position has realised since it was opened, found in the user's trades: the venue gives the sum of all positions
// that the account ever had in the market. Independent of the page.

import { cutTo, exact } from "../exact.ts";

interface Held {
  readonly side: "LONG" | "SHORT";
  readonly qty: string;
}

export interface Trade {
  readonly side: "BUY" | "SELL";
  readonly qty: string;
  readonly realized_pnl: string | null;
}

const moneyPlaces = 6;

/**
 * Sums what the trades of the position's market realised since it was opened. `trades` are the newest of that market,
 * newest first. Returns null if they do not show the opening, or if the position also changed without a trade
 * (deleveraging), so that they do not explain it.
 */
export function realisedSinceOpening(position: Held, trades: readonly Trade[]): string | null {
  const size = exact(position.qty) ?? 0n;
  const sign = position.side === "LONG" ? 1n : -1n;
  // The size that is left when trades are undone, newest first.
  let left = size;
  let sum = 0n;
  for (const { side, qty, realized_pnl: profit } of trades) {
    const gain = exact(profit) ?? 0n;
    left -= (side === "BUY" ? sign : -sign) * (exact(qty) ?? 0n);
    if (left <= 0n) {
      // A trade that turned the earlier position realised the profit of that one; one that opened this one, none.
      const hasTurned = left < 0n;
      return hasTurned === (gain !== 0n) ? cutTo(sum, moneyPlaces) : null;
    }
    sum += gain;
  }
  return null;
}
