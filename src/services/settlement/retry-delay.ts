// How long a batch waits after an attempt that was definitely rejected.

import { assert } from "../../core/assert.ts";

const firstMs = 1_000;
const longestMs = 60_000;

/** What a batch may take before it is given up: rounds that were refused, and its age. */
export const attemptsMax = 12;
export const ageMsMax = 24 * 3_600_000;

/**
 * Milliseconds until the attempt after `rejections` rejections (1 or more): a random share of a bound
 * that doubles up to a minute, so that batches which failed together do not come back together ("full
 * jitter"). `share` is from 0 up to 1, random. With fresh inputs the first retry is immediate.
 */
export function retryDelayMs(rejections: number, share: number, hasFreshInputs: boolean): number {
  assert(Number.isInteger(rejections) && rejections >= 1, "a retry follows a rejection");
  assert(share >= 0 && share < 1, "a share of the bound");
  const doublings = rejections - (hasFreshInputs ? 2 : 1);
  if (doublings < 0) return 0;
  return Math.round(share * Math.min(longestMs, firstMs * 2 ** doublings));
}

/** True where a batch has been tried often or long enough. */
export function isGivenUp(attempts: number, ageMs: number): boolean {
  return attempts > attemptsMax || ageMs > ageMsMax;
}
