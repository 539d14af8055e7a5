// The average basis of each perpetual: an exponential average of the middle of its book minus its index, sampled with
// each computed mark. It is stored in parts of a tick, so that small steps are not lost. It is kept while the index or
// the middle is missing, so that a briefly empty book does not reset it.

import { assert, byteAt, numberAt } from "../../../core/assert.ts";
import { basisAveragingUs } from "../../../core/limits.ts";
import { basisParts } from "../../../core/perpetuals/index-price.ts";

export class BasisAverages {
  /** Average basis by market, in parts of a tick; valid if `isKnown` is 1. */
  readonly average: Float64Array;
  readonly isKnown: Uint8Array;

  constructor(marketCount: number) {
    this.average = new Float64Array(marketCount);
    this.isKnown = new Uint8Array(marketCount);
  }

  /**
   * The average after a sample of `ticks`, taken `intervalUs` after the previous one. The first sample, or one after a
   * whole averaging time, replaces the average. Otherwise the average moves toward the sample by the interval's share
   * of the averaging time, rounded away from its old value, so that it reaches a constant basis.
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

  /**
   * The price that the mark uses instead of the middle of the book: `index` plus the average basis, in ticks, rounded
   * down and at least 1. It is `middle` itself if `middle` or `index` is 0 or if there is no average yet.
   */
  smoothed(market: number, index: number, middle: number): number {
    assert(index >= 0 && middle >= 0, "the prices must not be negative; 0 means no price");
    if (middle === 0 || index === 0 || byteAt(this.isKnown, market) === 0) return middle;
    const basis = Math.floor(numberAt(this.average, market) / basisParts);
    return Math.max(index + basis, 1);
  }
}
