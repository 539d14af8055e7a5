// Maintenance margin of perpetual positions: the market's tiers as brackets of position value. Offsets make
// the requirement continuous at bracket boundaries.

import { assert } from "../../core/assert.ts";
import type { Market } from "../../core/markets.ts";
import { divCeil } from "../../core/money/amounts.ts";

const ppm = 1_000_000n;

/** One tier as a range of position values, in minor units of the margin asset. */
export interface MarginBracket {
  /** Values above this belong to the bracket. */
  readonly floor: bigint;
  /** Values up to this belong to the bracket; null for the last one. */
  readonly cap: bigint | null;
  readonly maintenancePpm: number;
  readonly leverageMax: number;
  /** Subtracted from value × rate. */
  readonly offset: bigint;
}

/**
 * The brackets of a market, ascending; asserts that its tiers ascend and that only the last is open-ended.
 */
export function marginBrackets(market: Market): readonly MarginBracket[] {
  const brackets: MarginBracket[] = [];
  let floor = 0n;
  let offset = 0n;
  let rate = 0;
  for (const { notionalMax, maintenancePpm, leverageMax } of market.marginTiers) {
    assert(brackets.at(-1)?.cap !== null, "only the last tier may be open-ended");
    assert(maintenancePpm >= rate, "the maintenance rate must not decrease from tier to tier");
    assert(
      notionalMax === null || notionalMax > floor,
      "the tiers must be in the order of their bounds",
    );
    offset += (floor * BigInt(maintenancePpm - rate)) / ppm;
    brackets.push({ floor, cap: notionalMax, maintenancePpm, leverageMax, offset });
    rate = maintenancePpm;
    floor = notionalMax ?? floor;
  }
  assert(brackets.at(-1)?.cap === null, "the last tier must be open-ended");
  return brackets;
}

/** The maintenance margin of a position worth `value`, rounded up; asserts a value of 0 or more. */
export function maintenanceMargin(brackets: readonly MarginBracket[], value: bigint): bigint {
  assert(value >= 0n, "the value of a position must not be negative");
  const bracket = brackets.find(({ cap }) => cap === null || value <= cap);
  assert(bracket !== undefined, "every position value must be inside a bracket");
  return divCeil(value * BigInt(bracket.maintenancePpm), ppm) - bracket.offset;
}
