// What is reported of figures that were taken in turn: one that was disturbed moves nothing.

import { present } from "../../src/core/assert.ts";

/** The middle one, or of an even number the upper of the two; asserts that there is one. */
export function median(values: readonly number[]): number {
  return present(
    values.toSorted((one, other) => one - other)[values.length >> 1],
    "a figure to take the median of",
  );
}
