// The basis of each perpetual: an exponential average of the distance between the middle of its book and its
// index, sampled with each computed mark. In parts of a tick, so that small steps are not lost. It is kept
// while index or middle are missing, so that briefly emptying a book does not reset it.

import { assert, byteAt, numberAt } from "../../../core/assert.ts";
import { basisAveragingUs } from "../../../core/limits.ts";
import { basisParts } from "../../../core/perpetuals/index-price.ts";

export class BasisAverages {
  /** Parts of a tick by market; valid if `isKnown` is 1. */
  readonly average: Float64Array;
  readonly isKnown: Uint8Array;

  constructor(marketCount: number) {
    this.average = new Float64Array(marketCount);
    this.isKnown = new Uint8Array(marketCount);
  }

  /**
   * The average after a sample of `ticks`, taken `intervalUs` after the previous one. It moves by the
   * interval's share of the averaging time, rounded away from its old value, so that it converges.
   */
  withSample(market: number, ticks: number, intervalUs: number): number {
    assert(
      Number.isSafeInteger(ticks) && intervalUs > 0,
      "a sample must have whole ticks and a positive interval",
    );
    const sample = ticks * basisParts;
    if (byteAt(this.isKnown, market) === 0 || intervalUs >= basisAveragingUs) return sample;
    const before = numberAt(this.average, market);
    const share = BigInt(Math.abs(sample - before)) * BigInt(intervalUs);
    const averaging = BigInt(basisAveragingUs);
    const step = Number((share + averaging - 1n) / averaging);
    return sample > before ? before + step : before - step;
  }

  /** `middle` minus the average basis, as used for a mark at `index`: ticks, rounded down, at least one. */
  smoothed(market: number, index: number, middle: number): number {
    assert(index >= 0 && middle >= 0, "the prices must not be negative; 0 means no price");
    if (middle === 0 || index === 0 || byteAt(this.isKnown, market) === 0) return middle;
    const basis = Math.floor(numberAt(this.average, market) / basisParts);
    return Math.max(index + basis, 1);
  }
}
