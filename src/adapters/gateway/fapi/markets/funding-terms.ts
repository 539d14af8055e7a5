// Funding as clients see it: the rate implied by the samples of the current interval so far, and the time of
// the next settlement.

import type { Market } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import {
  fundingInterest,
  fundingRateDecimals,
  fundingRateMax,
  fundingRateOf,
} from "../../../../core/perpetuals/funding.ts";
import type { ReadModel } from "../../read-model.ts";

const hourMs = 3_600_000;

/** A rate with eight decimals. */
export function rateText(rate: bigint): string {
  return formatScaled(rate, fundingRateDecimals);
}

/** The terms that never change, as texts. */
export const fundingRates = {
  interest: rateText(fundingInterest),
  cap: rateText(fundingRateMax),
  floor: rateText(-fundingRateMax),
} as const;

/** The rate the next settlement would charge if it happened now. */
export function comingRateText(model: ReadModel, market: Market): string {
  const { premiumSum, samples } = model.state.funding.of(market.id);
  return rateText(fundingRateOf(premiumSum, samples));
}

/** Whole hours between settlements, at least one, because clients cannot represent a shorter interval. */
export function fundingHours({ fundingIntervalMs }: ReadModel): number {
  return Math.max(Math.round(fundingIntervalMs / hourMs), 1);
}

/** The first settlement after `nowMs`. */
export function nextFundingMs({ fundingIntervalMs }: ReadModel, nowMs: number): number {
  return (Math.floor(nowMs / fundingIntervalMs) + 1) * fundingIntervalMs;
}
