// Figures of a report as text: basis points, percents and percentiles, computed from integers.

import { formatScaled } from "../../core/money/amounts.ts";
import type { Spread } from "./report-form.ts";

/** Hundredths of a basis point in one. */
const bpsScale = 1_000_000n;

/** `part` ÷ `whole` in hundredths of a basis point, rounded to the nearest and half away from zero; null if `whole` is 0. */
export function bpsOf(part: bigint, whole: bigint): number | null {
  if (whole === 0n) return null;
  const [top, below] = whole < 0n ? [-part, -whole] : [part, whole];
  const twice = 2n * bpsScale * top;
  return Number((twice + (top < 0n ? -below : below)) / (2n * below));
}

export function bpsText(hundredths: number | null): string | null {
  return hundredths === null ? null : formatScaled(hundredths, 2);
}

/** Percent with one decimal; null if there is nothing to share. */
export function percentText(part: bigint, whole: bigint): string | null {
  if (whole === 0n) return null;
  return formatScaled((1_000n * part + whole / 2n) / whole, 1);
}

/** Percentiles of integers with `decimals`: each is one of the values. */
export function spreadOf(values: readonly number[], decimals: number): Spread {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => {
    const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
    return value === undefined ? null : formatScaled(value, decimals);
  };
  const [min, p50, p90, max] = [at(0), at(0.5), at(0.9), at(1)];
  return { count: sorted.length, min, p50, p90, max };
}
