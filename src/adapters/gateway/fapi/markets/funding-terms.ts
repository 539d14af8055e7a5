// Funding as clients see it (decided.md 10): the rate that the samples of the running interval give so
// far, and the boundary at which the next settlement comes.

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

/** What the next settlement of the market would charge if it came now. */
export function comingRateText(model: ReadModel, market: Market): string {
  const { premiumSum, samples } = model.state.funding.of(market.id);
  return rateText(fundingRateOf(premiumSum, samples));
}

/** Whole hours between settlements, at least one: clients know no shorter interval. */
export function fundingHours({ fundingIntervalMs }: ReadModel): number {
  return Math.max(Math.round(fundingIntervalMs / hourMs), 1);
}

/** The settlement that comes next after `nowMs`. */
export function nextFundingMs({ fundingIntervalMs }: ReadModel, nowMs: number): number {
  return (Math.floor(nowMs / fundingIntervalMs) + 1) * fundingIntervalMs;
}
