// The index of each perpetual: its level, the last accepted ("believed") price, a jump ("leap") that waits for
// confirmation with the number of measurements ("witnesses") that agree with it, and the time since which the level has
// not been measured. Prices are in thousandths of the perpetual's tick, so that small steps are not lost.
//
//   measured ──near the believed price, or the third similar one in a row──▶ believed ──window, cap──▶ level
//   nothing measured ──▶ the level stays, and is stale from then on

import { assert, byteAt, numberAt } from "../../../core/assert.ts";
import type { IndexMeasured } from "../../../core/generated/events.ts";
import { priceWitnesses } from "../../../core/limits.ts";
import { basisParts, type IndexState } from "../../../core/perpetuals/index-price.ts";

/** The rules by which a measured price becomes the level; 0 disables a rule. */
export interface IndexRules {
  readonly windowMs: number;
  readonly movePpm: number;
  readonly jumpBps: number;
  readonly intervalUs: number;
}

/** Columns by market; see `IndexState`. */
export class IndexLevels {
  readonly level: Float64Array;
  readonly believed: Float64Array;
  readonly leap: Float64Array;
  readonly witnesses: Uint8Array;
  /**
   * Time in microseconds since which the level has not been measured; 0 while it is measured, and before the first
   * level.
   */
  readonly staleUs: Float64Array;

  constructor(marketCount: number) {
    this.level = new Float64Array(marketCount);
    this.believed = new Float64Array(marketCount);
    this.leap = new Float64Array(marketCount);
    this.witnesses = new Uint8Array(marketCount);
    this.staleUs = new Float64Array(marketCount);
  }

  of(market: number): IndexState {
    return {
      level: numberAt(this.level, market),
      believed: numberAt(this.believed, market),
      leap: numberAt(this.leap, market),
      witnesses: byteAt(this.witnesses, market),
      isFresh: numberAt(this.level, market) > 0 && numberAt(this.staleUs, market) === 0,
    };
  }

  set({ market, level, believed, leap, witnesses, isFresh, tsUs }: IndexMeasured): void {
    assert(level > 0, "a measured index must have a positive level");
    assert(witnesses < priceWitnesses, "the number of confirmations must be below the limit");
    this.level[market] = level;
    this.believed[market] = believed;
    this.leap[market] = leap;
    this.witnesses[market] = witnesses;
    if (isFresh) this.staleUs[market] = 0;
    else if (numberAt(this.staleUs, market) === 0) this.staleUs[market] = tsUs;
  }

  /** The index rounded to whole ticks, at least one; 0 if there never was one. Spec RSK-24. */
  ticks(market: number): number {
    const level = numberAt(this.level, market);
    assert(level >= 0, "an index level must not be negative");
    return level === 0 ? 0 : Math.max(Math.round(level / basisParts), 1);
  }

  /** Whether the index has not been measured for over `staleMs`; false if `staleMs` is 0 or no index ever existed. */
  isStale(market: number, staleMs: number, nowUs: number): boolean {
    assert(
      staleMs >= 0 && nowUs > 0,
      "the staleness limit must not be negative and the time must be positive",
    );
    const sinceUs = numberAt(this.staleUs, market);
    return staleMs > 0 && sinceUs > 0 && nowUs - sinceUs > staleMs * 1000;
  }
}

/** A price from an outside source, which applies its own filters: it becomes the level directly. */
export function outsideIndex(price: number): IndexState {
  assert(price > 0, "the price of a source must be positive");
  return { level: price, believed: price, leap: 0, witnesses: 0, isFresh: true };
}

/** The state after a failed measurement: the last good level stays and is no longer fresh. */
export function unmeasuredIndex(before: IndexState): IndexState {
  assert(before.level > 0, "the index must have an earlier level");
  return { ...before, leap: 0, witnesses: 0, isFresh: false };
}

/** The state after a measurement of the venue's own spot market. Spec RSK-23, RSK-24, RSK-25. */
export function measuredIndex(before: IndexState, price: number, rules: IndexRules): IndexState {
  assert(price > 0, "the measured price must be positive");
  if (before.level === 0) return outsideIndex(price);
  const seen = withWitness(before, price, rules.jumpBps);
  return { ...seen, level: nextLevel(before.level, seen.believed, rules), isFresh: true };
}

/** Accepts a measured price if it is near the last accepted one, or after enough similar measurements in a row. */
function withWitness(before: IndexState, price: number, jumpBps: number): IndexState {
  const believed = { ...before, believed: price, leap: 0, witnesses: 0 };
  if (jumpBps === 0 || isWithin(price, before.believed, jumpBps)) return believed;
  const isLike = before.leap > 0 && isWithin(price, before.leap, jumpBps);
  const witnesses = isLike ? before.witnesses + 1 : 1;
  return witnesses >= priceWitnesses ? believed : { ...before, leap: price, witnesses };
}

/**
 * Moves the level toward `target` by the interval's share of the window. The move is rounded up, so that the level
 * reaches `target` in the end; it is limited to the interval's cap, rounded down, but at least a thousandth of a tick.
 */
function nextLevel(level: number, target: number, rules: IndexRules): number {
  const { windowMs, movePpm, intervalUs } = rules;
  assert(
    intervalUs > 0 && windowMs >= 0 && movePpm >= 0,
    "the interval must be positive and the rules must not be negative",
  );
  const way = BigInt(Math.abs(target - level));
  const windowUs = BigInt(windowMs) * 1000n;
  const interval = BigInt(intervalUs);
  const share = windowUs <= interval ? way : (way * interval + windowUs - 1n) / windowUs;
  const cap = (BigInt(level) * BigInt(movePpm) * interval) / 1_000_000_000_000n;
  const most = movePpm === 0 ? share : cap > 0n ? cap : 1n;
  const step = Number(share < most ? share : most);
  return target > level ? level + step : level - step;
}

function isWithin(price: number, from: number, bps: number): boolean {
  return Math.abs(price - from) * 10_000 <= from * bps;
}
