// Exact arithmetic for prices, quantities and amounts: whole units of 10^-18, finer than any price times any quantity,
// so that nothing is cut before the end.

import { placesOf, rescaled, textOf, unitsOf } from "../decimal-text.ts";

export const exactPlaces = 18;
/** The number one. */
export const whole = 10n ** BigInt(exactPlaces);

/** Units of a decimal text; null for any other text. */
export function exact(text: string | null | undefined): bigint | null {
  return unitsOf(text ?? "", exactPlaces);
}

/** A decimal text; digits beyond `places` are cut off. */
export function cutTo(units: bigint, places: number): string {
  return textOf(rescaled(units, exactPlaces, places), places);
}

export function times(one: bigint, other: bigint): bigint {
  return (one * other) / whole;
}

/** The value of a quantity at a price, exactly. A text that is not a number counts as zero. */
export function valueAt(price: string, quantity: string): string {
  return cutTo(times(exact(price) ?? 0n, exact(quantity) ?? 0n), exactPlaces);
}

export function sizeOf(units: bigint): bigint {
  return units < 0n ? -units : units;
}

/** The nearest multiple of `step` at or below `units`, or with `isUp` at or above it, with the step's decimal places. */
export function onStep(units: bigint, step: string, isUp: boolean): string {
  const stepUnits = exact(step) ?? 1n;
  const steps = (units + (isUp ? stepUnits - 1n : 0n)) / stepUnits;
  return cutTo(steps * stepUnits, placesOf(step));
}

/** A decimal text, rounded to `places`; a half is rounded away from zero. */
export function roundedTo(units: bigint, places: number): string {
  const half = 5n * 10n ** BigInt(exactPlaces - places - 1);
  return cutTo(units < 0n ? units - half : units + half, places);
}
