// Decimal texts of the venue: exact arithmetic for costs, and formatting. Amounts of money are never floating-point
// numbers; only chart values are.

/**
 * Parses a decimal text into whole units of 10^-places. Digits beyond `places` are cut off. Returns null if the text is
 * not a number.
 */
export function unitsOf(text: string, places: number): bigint | null {
  const match = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text.trim());
  if (match === null) return null;
  const [, sign = "", whole = "0", fraction = ""] = match;
  const units = BigInt(whole + fraction.slice(0, places).padEnd(places, "0"));
  return sign === "-" ? -units : units;
}

/** Formats units of 10^-places as a decimal text. */
export function textOf(units: bigint, places: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, "0");
  const sign = units < 0n ? "-" : "";
  if (places === 0) return sign + digits;
  return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** Converts units of 10^-from to units of 10^-to; excess digits are cut off. */
export function rescaled(units: bigint, from: number, to: number): bigint {
  return to >= from ? units * 10n ** BigInt(to - from) : units / 10n ** BigInt(from - to);
}

/**
 * Returns the largest multiple of `step` that is not above `units` (of 10^-places), with the step's decimal places;
 * null if the amount is below one step.
 */
export function flooredToStep(units: bigint, places: number, step: string): string | null {
  const stepPlaces = placesOf(step);
  const stepUnits = unitsOf(step, stepPlaces) ?? 0n;
  if (stepUnits <= 0n) return null;
  const steps = rescaled(units, places, stepPlaces) / stepUnits;
  return steps <= 0n ? null : textOf(steps * stepUnits, stepPlaces);
}

/** Decimal places of a step such as "0.0010", without trailing zeros. */
export function placesOf(step: string): number {
  return (step.split(".")[1] ?? "").replace(/0+$/, "").length;
}

/** Decimal places of a number as it is written, zeros at its end included. */
export function placesIn(text: string): number {
  return (text.split(".")[1] ?? "").length;
}

/** Whether a text is a positive multiple of a step. */
export function isOnStep(text: string, step: string): boolean {
  const places = Math.max(placesOf(step), placesIn(text));
  const [units, stepUnits] = [unitsOf(text, places), unitsOf(step, places)];
  if (units === null || stepUnits === null || stepUnits === 0n) return false;
  return units > 0n && units % stepUnits === 0n;
}

/**
 * Formats a number with thousands separators and exactly `places` decimal places, so that columns align. Returns a dash
 * if the text is not a number.
 */
export function shown(text: string | null | undefined, places: number): string {
  const units = unitsOf(text ?? "", places);
  if (units === null) return "–";
  const [whole = "", fraction] = textOf(units, places).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Rounds a decimal text to `places`, a half away from zero; null if the text is not a number. */
export function rounded(text: string | null | undefined, places: number): string | null {
  const units = unitsOf(text ?? "", places + 1);
  if (units === null) return null;
  const half = units < 0n ? -5n : 5n;
  return textOf((units + half) / 10n, places);
}

/** More digits of an average price than this say nothing. */
const averageDigits = 8;

/**
 * Formats an average price, rounded: with two decimals more than the prices of its market, because an average is seldom one
 * of them, but not for more than eight digits; without further decimals if all of them are zero.
 */
export function shownAverage(text: string | null | undefined, pricePlaces: number): string {
  const whole = /^-?0*(\d*)/.exec(text ?? "")?.[1] ?? "";
  const more = Math.max(0, Math.min(2, averageDigits - whole.length - pricePlaces));
  const places = pricePlaces + more;
  const fine = rounded(text, places);
  const isPrice = more === 0 || /^0+$/.test(fine?.slice(-more) ?? "");
  return shown(fine, isPrice ? pricePlaces : places);
}

/** A decimal text without zeros at its end: "0.15430000" as "0.1543". */
export function trimmed(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Formats a number with thousands separators and without zeros at its end. */
export function bare(text: string): string {
  return grouped(trimmed(text));
}

/** Formats a number with thousands separators; keeps its number of decimal places. */
export function grouped(text: string): string {
  return shown(text, placesIn(text));
}

/** Like `shown`, but rounded, and a number above zero gets a plus sign. */
export function signed(text: string | null | undefined, places: number): string {
  const near = rounded(text, places);
  return (unitsOf(near ?? "", places) ?? 0n) > 0n ? `+${shown(near, places)}` : shown(near, places);
}

/** Returns the CSS class for the colour of a number: "gain" above zero, "loss" below zero, else an empty string. */
export function toneOf(text: string | null | undefined): string {
  const units = unitsOf(text ?? "", 12) ?? 0n;
  if (units === 0n) return "";
  return units > 0n ? "gain" : "loss";
}
