// Rates and times as text.

import { rounded, signed } from "../../../decimal-text.ts";
import { cutTo, exact, exactPlaces, whole } from "../../../markets/exact.ts";

/** A rate such as 0.00010000 in percent: "0.0100 %". */
export function percentOf(rate: string): string {
  return `${(Number(rate) * 100).toFixed(4)} %`;
}

/** Time that is left, as hours, minutes and seconds: "07:59:03". Never negative. */
export function countdownOf(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/**
 * The change in percent of the price 24 hours ago, with a sign. It is computed from the exact prices: the venue's own
 * figure is rounded already, and rounding it once more can go the wrong way.
 */
export function changeText({
  last,
  change,
}: {
  readonly last: string;
  readonly change: string;
}): string {
  const [now, by] = [exact(last) ?? 0n, exact(change) ?? 0n];
  const before = now - by;
  if (before <= 0n) return "–";
  return `${signed(rounded(cutTo((by * 100n * whole) / before, exactPlaces), 2), 2)} %`;
}
