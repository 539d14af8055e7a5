// Terms of funding (decided.md 10): every eight hours, interest 0.01 %, clamped at ±0.75 %. Nothing
// is charged yet, so the rate shown for the coming settlement is zero and there are none behind.

const hourMs = 3_600_000;

export const fundingHours = 8;

/** Rates as texts with eight decimals. */
export const fundingRates = {
  coming: "0.00000000",
  interest: "0.00010000",
  cap: "0.00750000",
  floor: "-0.00750000",
} as const;

/** The settlement that comes next after `nowMs`. */
export function nextFundingMs(nowMs: number): number {
  const intervalMs = fundingHours * hourMs;
  return (Math.floor(nowMs / intervalMs) + 1) * intervalMs;
}
