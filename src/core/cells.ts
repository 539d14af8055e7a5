// Reading a typed array by an index that is known to be inside it.
//
// The type checker cannot know it, so an accessor says it; a wrong index stops the thread instead of
// becoming a price. One function for each kind of array, because the compiler learns what a function
// reads wherever it is called from: with one for all, every read would be slow.

import { AssertionFailure, assert } from "./assert.ts";

/** The int32 at `at`; asserts that there is one. */
export function wordAt(words: Int32Array, at: number): number {
  return words[at] ?? outOfRange();
}

/** The byte at `at`; asserts that there is one. */
export function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? outOfRange();
}

/** The 16-bit number at `at`; asserts that there is one. */
export function shortAt(shorts: Uint16Array, at: number): number {
  return shorts[at] ?? outOfRange();
}

/** The 53-bit integer at `at`; asserts that there is one. */
export function numberAt(numbers: Float64Array, at: number): number {
  return numbers[at] ?? outOfRange();
}

/** The int64 at `at`; asserts that there is one. */
export function amountAt(amounts: BigInt64Array, at: number): bigint {
  return amounts[at] ?? outOfRange();
}

/**
 * The sum of the int64 at `start`, `start + step` … `count` of them, at most 2^20; exact whatever they
 * are. Halves are summed as numbers, because a bigint for each would take twenty times as long.
 */
export function sumOfAmounts(
  amounts: BigInt64Array,
  { start, step, count }: { start: number; step: number; count: number },
): bigint {
  assert(count >= 0 && count <= 2 ** 20, "sums of halves stay exact");
  assert(count === 0 || start + step * (count - 1) < amounts.length, "a sum lies inside its array");
  const { buffer, byteOffset, length } = amounts;
  // Each value is its low half, unsigned, and its high half, signed: this machine is little-endian.
  const low = new Uint32Array(buffer, byteOffset, 2 * length);
  const high = new Int32Array(buffer, byteOffset, 2 * length);
  let [lows, highs] = [0, 0];
  for (let left = count, at = 2 * start; left > 0; left--, at += 2 * step) {
    lows += low[at] as number;
    highs += high[at + 1] as number;
  }
  return BigInt(highs) * 2n ** 32n + BigInt(lows);
}

function outOfRange(): never {
  throw new AssertionFailure("an index lies inside its array");
}
