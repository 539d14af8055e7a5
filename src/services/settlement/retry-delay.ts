// The delay before a batch or custody payment is retried after a definite rejection.

import { assert } from "../../core/assert.ts";

const firstMs = 1_000;
const longestMs = 60_000;

/** A batch or payment is given up after more than `attemptsMax` failed rounds, or once it is older than `ageMsMax`. */
export const attemptsMax = 12;
export const ageMsMax = 24 * 3_600_000;

/**
 * Milliseconds until the next attempt after `rejections` rejections (1 or more): a random share of a bound that doubles
 * up to one minute, so that batches that failed together do not retry together. `share` is a random number in [0, 1).
 * With fresh inputs the first retry is immediate.
 */
export function retryDelayMs(rejections: number, share: number, hasFreshInputs: boolean): number {
  assert(
    Number.isInteger(rejections) && rejections >= 1,
    "a retry must follow at least one rejection",
  );
  assert(share >= 0 && share < 1, "the share must be at least 0 and below 1");
  const doublings = rejections - (hasFreshInputs ? 2 : 1);
  if (doublings < 0) return 0;
  return Math.round(share * Math.min(longestMs, firstMs * 2 ** doublings));
}

/** True if a batch or payment has used up its attempts or its time. */
export function isGivenUp(attempts: number, ageMs: number): boolean {
  return attempts > attemptsMax || ageMs > ageMsMax;
}
