// What a position has realised and paid in funding since it was opened, found in the user's trades and payments: the
// venue gives the sum of all positions that the account ever had in the market. Independent of the page.

import { cutTo, exact } from "../exact.ts";

interface Held {
  readonly side: "LONG" | "SHORT";
  readonly qty: string;
}

export interface Trade {
  readonly side: "BUY" | "SELL";
  readonly qty: string;
  readonly realized_pnl: string | null;
  readonly time: string;
}

export interface FundingPayment {
  readonly symbol: string;
  readonly rate: string;
  /** Negative if it was paid. */
  readonly amount: string;
  readonly time: string;
}

interface SinceOpening {
  readonly profit: string;
  /** Time of the trade that opened the position. */
  readonly openedAt: string;
}

const moneyPlaces = 6;

/**
 * Sums what the trades of the position's market realised since it was opened. `trades` are the newest of that market,
 * newest first. Returns null if they do not show the opening, or if the position also changed without a trade
 * (deleveraging), so that they do not explain it.
 */
export function realisedSinceOpening(
  position: Held,
  trades: readonly Trade[],
): SinceOpening | null {
  const size = exact(position.qty) ?? 0n;
  const sign = position.side === "LONG" ? 1n : -1n;
  // The size that is left when trades are undone, newest first.
  let left = size;
  let sum = 0n;
  for (const { side, qty, realized_pnl: profit, time } of trades) {
    const gain = exact(profit) ?? 0n;
    left -= (side === "BUY" ? sign : -sign) * (exact(qty) ?? 0n);
    if (left <= 0n) {
      // A trade that turned the earlier position realised the profit of that one; one that opened this one, none.
      const hasTurned = left < 0n;
      if (hasTurned !== (gain !== 0n)) return null;
      return { profit: cutTo(sum, moneyPlaces), openedAt: time };
    }
    sum += gain;
  }
  return null;
}

/**
 * Sums the funding of a market since a time. `payments` are the newest `read` of all markets, newest first. Returns null
 * if older ones that are not among them could belong to the sum.
 */
export function fundingSince(
  symbol: string,
  openedAt: string,
  payments: readonly FundingPayment[],
  read: number,
): string | null {
  const opened = Date.parse(openedAt);
  const oldest = payments.at(-1);
  if (payments.length >= read && oldest !== undefined && Date.parse(oldest.time) >= opened) {
    return null;
  }
  const own = payments.filter((one) => one.symbol === symbol && Date.parse(one.time) >= opened);
  return cutTo(
    own.reduce((sum, { amount }) => sum + (exact(amount) ?? 0n), 0n),
    moneyPlaces,
  );
}
