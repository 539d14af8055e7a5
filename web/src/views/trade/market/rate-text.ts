// Funding rates and times as text.

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
