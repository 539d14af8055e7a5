// How far the middle of a perpetual's book stands above its index, averaged: an exponential average that
// takes one sample with each computed mark. Parts of a tick, so that small steps are not lost. It is kept
// while index or middle are missing, so that emptying a book for a moment does not make it forget.

import { assert, byteAt, numberAt } from "../../../core/assert.ts";
import { basisAveragingUs } from "../../../core/limits.ts";
import { basisParts } from "../../../core/perpetuals/index-price.ts";

export class BasisAverages {
  /** Parts of a tick by market; counts where `isKnown` is 1. */
  readonly average: Float64Array;
  readonly isKnown: Uint8Array;

  constructor(marketCount: number) {
    this.average = new Float64Array(marketCount);
    this.isKnown = new Uint8Array(marketCount);
  }

  /**
   * The average with a sample of `ticks` more, taken `intervalUs` after the one before. It moves by the
   * interval's share of the averaging time, rounded up away from where it was: so it arrives.
   */
  withSample(market: number, ticks: number, intervalUs: number): number {
    assert(Number.isSafeInteger(ticks) && intervalUs > 0, "a sample of whole ticks and some time");
    const sample = ticks * basisParts;
    if (byteAt(this.isKnown, market) === 0 || intervalUs >= basisAveragingUs) return sample;
    const before = numberAt(this.average, market);
    const share = BigInt(Math.abs(sample - before)) * BigInt(intervalUs);
    const averaging = BigInt(basisAveragingUs);
    const step = Number((share + averaging - 1n) / averaging);
    return sample > before ? before + step : before - step;
  }

  /** `middle` as the average sees it above `index`: ticks, rounded down, at least one. */
  smoothed(market: number, index: number, middle: number): number {
    assert(index >= 0 && middle >= 0, "prices are ticks, or none");
    if (middle === 0 || index === 0 || byteAt(this.isKnown, market) === 0) return middle;
    const basis = Math.floor(numberAt(this.average, market) / basisParts);
    return Math.max(index + basis, 1);
  }
}
