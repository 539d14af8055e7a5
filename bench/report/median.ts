// The median, which one disturbed figure hardly affects.

import { present } from "../../src/core/assert.ts";

/** The middle value, or the upper of the two for an even number; asserts that there is one. */
export function median(values: readonly number[]): number {
  return present(
    values.toSorted((one, other) => one - other)[values.length >> 1],
    "a figure to take the median of",
  );
}
