// Maintenance of perpetual positions: the market's tiers as brackets of position value. A bracket's
// offset makes the requirement continuous where one bracket ends and the next begins.

import { assert } from "../../core/assert.ts";
import type { Market } from "../../core/markets.ts";
import { divCeil } from "../../core/money/amounts.ts";

const ppm = 1_000_000n;

/** One tier as a bracket of position values, in minor units of the margin asset. */
export interface MarginBracket {
  /** Values above this belong to it. */
  readonly floor: bigint;
  /** Values up to this belong to it; null for the last bracket. */
  readonly cap: bigint | null;
  readonly maintenancePpm: number;
  readonly leverageMax: number;
  /** Taken off the product of value and rate. */
  readonly offset: bigint;
}

/** The brackets of a market, ascending; asserts that its tiers ascend and that one has no end. */
export function marginBrackets(market: Market): readonly MarginBracket[] {
  const brackets: MarginBracket[] = [];
  let floor = 0n;
  let offset = 0n;
  let rate = 0;
  for (const { notionalMax, maintenancePpm, leverageMax } of market.marginTiers) {
    assert(brackets.at(-1)?.cap !== null, "only the last tier has no end");
    assert(maintenancePpm >= rate, "tiers ask for more as positions grow");
    assert(notionalMax === null || notionalMax > floor, "tiers ascend");
    offset += (floor * BigInt(maintenancePpm - rate)) / ppm;
    brackets.push({ floor, cap: notionalMax, maintenancePpm, leverageMax, offset });
    rate = maintenancePpm;
    floor = notionalMax ?? floor;
  }
  assert(brackets.at(-1)?.cap === null, "the last tier has no end");
  return brackets;
}

/** What a position worth `value` must keep, rounded up; asserts a value of 0 or more. */
export function maintenanceMargin(brackets: readonly MarginBracket[], value: bigint): bigint {
  assert(value >= 0n, "a position is worth 0 or more");
  const bracket = brackets.find(({ cap }) => cap === null || value <= cap);
  assert(bracket !== undefined, "every value has its bracket");
  return divCeil(value * BigInt(bracket.maintenancePpm), ppm) - bracket.offset;
}
