// Levels of a book in groups of prices, with cumulative quantities and values, and the curves of its depth. Sums are
// exact; only curves, which are drawn, are numbers. Independent of page and network.

import { isOnStep, placesOf, textOf, unitsOf } from "../decimal-text.ts";

/** One price of the book. */
export interface Entry {
  readonly price: string;
  readonly quantity: string;
  /** The price as a number, for sorting and drawing. */
  readonly value: number;
}

export interface Group {
  /** Distance between two groups, a multiple of the tick. */
  readonly step: string;
  readonly tick: string;
}

export interface GroupedLevel {
  /** Outer bound of the group: the lowest price of bids, the highest of asks. */
  readonly price: string;
  readonly quantity: string;
  /** Cumulative quantity, including this level. */
  readonly total: string;
  /** Cumulative value in the quote asset, including this level. */
  readonly totalValue: string;
}

export interface Grouping {
  readonly group: Group;
  /** Bids are rounded down and asks up, so that no group looks better than its prices. */
  readonly rounding: "down" | "up";
  /** Greatest number of groups. */
  readonly count: number;
}

/** Decimal places of quantities; no market has finer ones. */
const quantityPlaces = 8;

function roundedTo(units: bigint, step: bigint, rounding: Grouping["rounding"]): bigint {
  const down = (units / step) * step;
  return rounding === "down" || down === units ? down : down + step;
}

/** The step that a user has kept for a market; the tick if prices of the market no longer have such a step. */
export function keptStep(kept: string | undefined, tick: string): string {
  return kept !== undefined && isOnStep(kept, tick) ? kept : tick;
}

/** Returns the price of the group that contains a price. */
export function groupPrice(price: string, { step, tick }: Group, rounding: "down" | "up"): string {
  const places = placesOf(tick);
  const stepUnits = unitsOf(step, places) ?? 1n;
  return textOf(roundedTo(unitsOf(price, places) ?? 0n, stepUnits, rounding), places);
}

/** Groups levels, which must be in order, best first. */
export function groupedLevels(levels: readonly Entry[], grouping: Grouping): GroupedLevel[] {
  const { group, rounding, count } = grouping;
  const places = placesOf(group.tick);
  const step = unitsOf(group.step, places) ?? 1n;
  const groups: { price: bigint; quantity: bigint; total: bigint; value: bigint }[] = [];
  let [total, value] = [0n, 0n];
  for (const level of levels) {
    const units = unitsOf(level.price, places) ?? 0n;
    const price = roundedTo(units, step, rounding);
    const last = groups.at(-1);
    if (last?.price !== price && groups.length === count) break;
    const quantity = unitsOf(level.quantity, quantityPlaces) ?? 0n;
    total += quantity;
    value += quantity * units;
    if (last?.price === price) {
      Object.assign(last, { quantity: last.quantity + quantity, total, value });
    } else {
      groups.push({ price, quantity, total, value });
    }
  }
  return groups.map((one) => ({
    price: textOf(one.price, places),
    quantity: textOf(one.quantity, quantityPlaces),
    total: textOf(one.total, quantityPlaces),
    totalValue: textOf(one.value, quantityPlaces + places),
  }));
}

/** Digits that a column of the ladder has room for. */
const digitsShown = 7;

/** Returns how many of a column's decimal places fit if its largest figure is to fit too; whole digits are never cut. */
export function placesThatFit(figures: readonly string[], places: number): number {
  const wholes = figures.map((figure) => figure.split(".")[0]?.length ?? 0);
  return Math.max(0, Math.min(places, digitsShown - Math.max(0, ...wholes)));
}

const groupFactors = [1, 10, 50, 100, 1_000, 10_000, 100_000] as const;
/** Greatest step as a part of the price: wider groups would put the whole book into a few rows. */
const groupShareMax = 0.01;

/** Returns the steps that suit a price, the tick first. */
export function groupSteps(tick: string, price: number): string[] {
  const places = placesOf(tick);
  const units = unitsOf(tick, places) ?? 1n;
  return groupFactors
    .map((factor) => textOf(units * BigInt(factor), places))
    .filter((step, index) => index === 0 || Number(step) <= price * groupShareMax)
    .map((step) => (step.includes(".") ? step.replace(/\.?0+$/, "") : step));
}

export interface DepthPoint {
  readonly price: number;
  /** Quantity between the best price and this price. */
  readonly total: number;
}

/** Returns the cumulative quantity by price of one side, best first, up to a share of the middle price away from it. */
export function depthCurve(levels: readonly Entry[], middle: number, share: number): DepthPoint[] {
  const points: DepthPoint[] = [];
  let total = 0;
  for (const { value, quantity } of levels) {
    if (Math.abs(value - middle) > share * middle) break;
    total += Number(quantity);
    points.push({ price: value, total });
  }
  return points;
}
