// The liquidation price: the mark at which collateral and unrealised profit fall to the maintenance of all
// positions, with other markets at their current marks. Value and maintenance are linear within a bracket, so
// each bracket gives one candidate price.

import { assert } from "../../core/assert.ts";
import { priceTicksMax } from "../../core/limits.ts";
import { asPriceTicks, asQtyLots, notional, type TickLot } from "../../core/money/amounts.ts";
import { type MarginBracket, maintenanceMargin } from "./maintenance.ts";

const ppm = 1_000_000n;

/** A position and the collateral behind it. */
export interface LiquidationCase {
  /** Signed lots, not 0. */
  readonly qty: number;
  /** Signed minor units. */
  readonly entryValue: bigint;
  readonly tickLot: TickLot;
  readonly brackets: readonly MarginBracket[];
  /** Collateral, plus unrealised profit and less maintenance of the positions in other markets; minor units. */
  readonly behind: bigint;
}

/** Whether the account is due for liquidation at a mark: equity is not above maintenance. */
export function isDue(one: LiquidationCase, mark: number): boolean {
  const value = notional(asPriceTicks(mark), asQtyLots(one.qty), one.tickLot);
  const size = value < 0n ? -value : value;
  return one.behind + value - one.entryValue <= maintenanceMargin(one.brackets, size);
}

/**
 * The first mark in ticks at which liquidation is due: the highest for a long, the lowest for a short. 0 for a long
 * that is not due at any positive price, and for a result above every market's price range; 1 for a short that is due
 * at every price. Asserts an open position. Spec ACC-18.
 */
export function liquidationPrice(one: LiquidationCase): number {
  assert(one.qty !== 0, "a position with a liquidation price must not be flat");
  const root = Number(rootOf(one));
  if (one.qty > 0) return lastDue(one, Math.min(Math.max(root, 0), priceTicksMax));
  if (root > priceTicksMax) return 0;
  return firstDue(one, Math.max(root, 1));
}

/**
 * Ticks by which the exact root (`rootOf`) may differ from the answer: value and maintenance are each rounded to a
 * minor unit, and for a small position several ticks are worth only one minor unit.
 */
function reachOf({ qty, tickLot: { units, parts } }: LiquidationCase): number {
  return Math.ceil((2 * parts) / (units * Math.abs(qty))) + 1;
}

/**
 * The highest mark at which a long is due, searched near `root`. A long that is due at one mark is due at every lower
 * mark.
 */
function lastDue(one: LiquidationCase, root: number): number {
  const reach = reachOf(one);
  let price = Math.min(root + reach, priceTicksMax);
  const least = Math.max(root - reach, 0);
  while (price > least && !isDue(one, price)) price--;
  return price;
}

/** The lowest mark, at least 1, at which a short is due, searched near `root`. */
function firstDue(one: LiquidationCase, root: number): number {
  const reach = reachOf(one);
  let price = Math.max(root - reach, 1);
  while (price < root + reach && !isDue(one, price)) price++;
  return price;
}

/**
 * The mark in ticks at which equity equals maintenance: computed exactly, then rounded down for a long and up for a
 * short. It may be outside the market's price range.
 */
function rootOf({ qty, entryValue, tickLot, brackets, behind }: LiquidationCase): bigint {
  const lots = BigInt(qty);
  const size = lots < 0n ? -lots : lots;
  const units = BigInt(tickLot.units);
  const parts = BigInt(tickLot.parts);
  let root = 0n;
  for (const { cap, maintenancePpm, offset } of brackets) {
    const slope = units * (lots * ppm - size * BigInt(maintenancePpm));
    const level = (entryValue - behind - offset) * ppm * parts;
    root = lots > 0n ? floorDiv(level, slope) : -floorDiv(level, -slope);
    const value = size * units * (root > 0n ? root : 0n);
    // A candidate whose value is outside its bracket is not a solution; the next bracket gives another.
    if (cap === null || value <= cap * parts) return root;
  }
  return root;
}

/** Quotient rounded down; the divisor is positive. */
function floorDiv(value: bigint, divisor: bigint): bigint {
  assert(divisor > 0n, "the maintenance margin must be below the value of the position");
  const quotient = value / divisor;
  return value < 0n && quotient * divisor !== value ? quotient - 1n : quotient;
}
