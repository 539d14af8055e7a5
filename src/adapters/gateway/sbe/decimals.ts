// Decimals in SBE answers: whole numbers of hundred-millionths, since no figure of spot has more than eight decimals. No
// amount ever becomes a floating-point number.

import type { Long } from "./sbe-writer.ts";

/** Decimals of every figure in an answer. */
const places = 8;

/** The exponent of every figure in an answer. */
export const answerExponent = -places;

const digitsExact = 15;

/** Hundred-millionths of a decimal text. Decimals after the eighth are cut; no figure of the venue has any. */
export function mantissaOf(text: string): Long {
  const point = text.indexOf(".");
  const digits =
    point < 0
      ? text + "0".repeat(places)
      : text.slice(0, point) + text.slice(point + 1, point + 1 + places).padEnd(places, "0");
  return digits.length <= digitsExact ? Number(digits) : BigInt(digits);
}

/** 10^n by n, from 0 to 8. */
const powers = Array.from({ length: places + 1 }, (_, power) => 10 ** power);

/** Hundred-millionths of `value` units, each of which is the last of `decimals` decimals (0 … 8). */
export function scaled(value: number | bigint, decimals: number): Long {
  const power = powers[places - decimals] ?? 1;
  if (typeof value === "bigint") return value * BigInt(power);
  const product = value * power;
  return Number.isSafeInteger(product) ? product : BigInt(value) * BigInt(power);
}
