// Reading a typed array by an index that is known to be inside it.
//
// The type checker cannot know it, so one accessor says it; a wrong index stops the thread instead
// of becoming a price. Small enough that the compiler always inlines it: it costs nothing.

import { AssertionFailure } from "../../core/assert.ts";

/** The word at `at`; asserts that there is one. */
export function cell(words: Int32Array, at: number): number {
  return words[at] ?? outOfRange();
}

/** The quantity at `at`; asserts that there is one. Its own function, so that each sees one type. */
export function quantity(quantities: Float64Array, at: number): number {
  return quantities[at] ?? outOfRange();
}

function outOfRange(): never {
  throw new AssertionFailure("an index lies inside its array");
}
