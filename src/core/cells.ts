// Reading a typed array by an index that is known to be inside it.
//
// The type checker cannot know it, so an accessor says it; a wrong index stops the thread instead of
// becoming a price. One function for each kind of array, because the compiler learns what a function
// reads wherever it is called from: with one for all, every read would be slow.

import { AssertionFailure } from "./assert.ts";

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

function outOfRange(): never {
  throw new AssertionFailure("an index lies inside its array");
}
