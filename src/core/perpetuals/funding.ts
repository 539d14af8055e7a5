// Funding: what longs pay shorts each interval (or shorts longs, if the rate is negative), so that a perpetual stays
// near its index. A rate is an integer in units of 10^-8 of a position's value at the mark. It contains an interest of
// 0.01 % and is limited to ±0.75 % (FND-2).

import { assert } from "../assert.ts";
import { divCeil } from "../money/amounts.ts";

/** Decimal places of a rate. */
export const fundingRateDecimals = 8;
const rateOne = 100_000_000n;

/** Interest of one interval: 0.01 %. */
export const fundingInterest = 10_000n;
/** The most by which the interest can make a rate differ from the average premium: 0.05 %, as on Binance. */
const interestPullMax = 50_000n;
/** A rate lies within ± this: 0.75 %. */
export const fundingRateMax = 750_000n;

function clamp(value: bigint, bound: bigint): bigint {
  if (value > bound) return bound;
  return value < -bound ? -bound : value;
}

/**
 * How far a mark is above its index (negative: below), in units of 10^-8 of the index, rounded toward zero, at most
 * ±100 %. Both prices are above 0 ticks.
 */
export function premiumOf(mark: number, index: number): bigint {
  assert(mark > 0 && index > 0, "the mark price and the index price must be positive");
  return clamp((BigInt(mark - index) * rateOne) / BigInt(index), rateOne);
}

/** The rate of an interval with `samples` premium samples; 0 without a sample, because nothing would justify a rate. */
export function fundingRateOf(premiumSum: bigint, samples: number): bigint {
  if (samples === 0) return 0n;
  const premium = premiumSum / BigInt(samples);
  const pulled = premium + clamp(fundingInterest - premium, interestPullMax);
  return clamp(pulled, fundingRateMax);
}

/**
 * The amount that a position worth `value` (minor units, 0 or more) receives; a negative result is a payment. Payments
 * are rounded up and receipts down, so the remainder in the funding pool is never negative. Spec FND-5.
 */
export function fundingPayment(value: bigint, isLong: boolean, rate: bigint): bigint {
  const size = value * (rate < 0n ? -rate : rate);
  const pays = isLong === rate > 0n;
  return pays ? -divCeil(size, rateOne) : size / rateOne;
}
