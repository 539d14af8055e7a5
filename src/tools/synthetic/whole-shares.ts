// Shares of whole numbers, so that prices and quantities of made markets are the same on every machine.

/** Parts in one basis point of a billion. */
const ppbPerBps = 100_000;
export const billion = 1_000_000_000;

/** `value` × `parts` ÷ `whole`, toward zero. All are integers. */
export function shareOf(value: number, parts: number, whole: number): number {
  return Number((BigInt(value) * BigInt(parts)) / BigInt(whole));
}

/** Basis points as parts of a billion, rounded to the nearest. */
export function ppbOf(bps: number): number {
  return Math.round(bps * ppbPerBps);
}
