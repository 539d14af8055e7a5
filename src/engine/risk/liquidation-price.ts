// The mark at which an account with a position can no longer keep it: where its collateral and
// unrealised profit fall to the maintenance of all its positions, the other markets left at their marks.
// Value and maintenance are linear within a bracket, so each bracket gives one candidate price.

import { assert } from "../../core/assert.ts";
import { priceTicksMax } from "../../core/limits.ts";
import { asPriceTicks, asQtyLots, notional, type TickLot } from "../../core/money/amounts.ts";
import { type MarginBracket, maintenanceMargin } from "./maintenance.ts";

const ppm = 1_000_000n;

/** A position and all that stands behind it. */
export interface LiquidationCase {
  /** Signed lots, not 0. */
  readonly qty: number;
  /** Signed minor units. */
  readonly entryValue: bigint;
  readonly tickLot: TickLot;
  readonly brackets: readonly MarginBracket[];
  /** Collateral and unrealised profit of the other markets, less their maintenance; minor units. */
  readonly behind: bigint;
}

/** Whether the account is to be liquidated at a mark: what it has is not above what it must keep. */
export function isDue(one: LiquidationCase, mark: number): boolean {
  const value = notional(asPriceTicks(mark), asQtyLots(one.qty), one.tickLot);
  const size = value < 0n ? -value : value;
  return one.behind + value - one.entryValue <= maintenanceMargin(one.brackets, size);
}

/**
 * The first mark in ticks at which liquidation is due: the highest for a long, the lowest for a short.
 * 0 for a long that no price above 0 can hurt, and where the price is above any a market knows; a short
 * that is due at any price has 1. Asserts an open position. Spec ACC-18.
 */
export function liquidationPrice(one: LiquidationCase): number {
  assert(one.qty !== 0, "a flat position is not liquidated");
  const root = Number(rootOf(one));
  if (one.qty > 0) return lastDue(one, Math.min(Math.max(root, 0), priceTicksMax));
  if (root > priceTicksMax) return 0;
  return firstDue(one, Math.max(root, 1));
}

/**
 * Ticks that the exact line may be away: value and maintenance are rounded to a unit each, which is a tick where
 * a tick of the position is worth that much, and else the ticks that are.
 */
function reachOf({ qty, tickLot: { units, parts } }: LiquidationCase): number {
  return Math.ceil((2 * parts) / (units * Math.abs(qty))) + 1;
}

/** The highest mark at which a long is due, near `root`; what is due at one mark is due at every worse one. */
function lastDue(one: LiquidationCase, root: number): number {
  const reach = reachOf(one);
  let price = Math.min(root + reach, priceTicksMax);
  const least = Math.max(root - reach, 0);
  while (price > least && !isDue(one, price)) price--;
  return price;
}

/** The lowest mark from 1 on at which a short is due, near `root`. */
function firstDue(one: LiquidationCase, root: number): number {
  const reach = reachOf(one);
  let price = Math.max(root - reach, 1);
  while (price < root + reach && !isDue(one, price)) price++;
  return price;
}

/** Where both sides meet, values taken exactly: rounded down for a long, up for a short; may lie outside any market. */
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
    // A long that lasts to the end of a bracket is looked at in the next, a short alike.
    if (cap === null || value <= cap * parts) return root;
  }
  return root;
}

/** Quotient rounded down; the divisor is positive. */
function floorDiv(value: bigint, divisor: bigint): bigint {
  assert(divisor > 0n, "maintenance is below the whole value");
  const quotient = value / divisor;
  return value < 0n && quotient * divisor !== value ? quotient - 1n : quotient;
}
