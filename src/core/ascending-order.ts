// Radix sort for up to millions of numbers: it distributes them digit by digit, lowest first, without comparing two of
// them. It sorts ids and times, which span few digits and usually arrive sorted, so a sorted input returns early.

import { assert, numberAt, wordAt } from "./assert.ts";

const digitValues = 2048;

/**
 * Indexes of `keys` in ascending key order; equal keys keep their order. Keys are safe integers, and so is
 * the difference between the smallest and the largest.
 */
export function ascendingOrder(keys: Float64Array): Int32Array {
  let order = new Int32Array(keys.length);
  let [least = 0] = keys;
  let greatest = least;
  let isAscending = true;
  for (let index = 0; index < keys.length; index++) {
    const key = numberAt(keys, index);
    assert(Number.isSafeInteger(key), "every key must be a safe integer");
    order[index] = index;
    if (key < greatest) isAscending = false;
    if (key > greatest) greatest = key;
    if (key < least) least = key;
  }
  if (isAscending) return order;
  const span = greatest - least;
  assert(
    Number.isSafeInteger(span),
    "the difference between the largest and smallest key must be a safe integer",
  );
  let spare = new Int32Array(keys.length);
  for (let unit = 1; unit <= span; unit *= digitValues) {
    deal({ keys, least, unit }, order, spare);
    [order, spare] = [spare, order];
  }
  return order;
}

/** The digit that one pass sorts by. */
interface Digit {
  readonly keys: Float64Array;
  readonly least: number;
  readonly unit: number;
}

/** Writes the indexes in `from` to `to`, ordered by one digit of their keys. */
function deal({ keys, least, unit }: Digit, from: Int32Array, to: Int32Array): void {
  const ends = new Int32Array(digitValues + 1);
  const digitAt = (index: number) =>
    Math.floor((numberAt(keys, index) - least) / unit) % digitValues;
  for (let at = 0; at < from.length; at++) {
    const next = digitAt(at) + 1;
    ends[next] = wordAt(ends, next) + 1;
  }
  for (let digit = 1; digit <= digitValues; digit++) {
    ends[digit] = wordAt(ends, digit) + wordAt(ends, digit - 1);
  }
  for (let at = 0; at < from.length; at++) {
    const index = wordAt(from, at);
    const digit = digitAt(index);
    const end = wordAt(ends, digit);
    to[end] = index;
    ends[digit] = end + 1;
  }
}
