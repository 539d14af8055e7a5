// Computes the median, which a single disturbed figure hardly changes.

import { present } from "../../src/core/assert.ts";

/**
 * Returns the middle value, or the upper of the two middle values of an even number of values; asserts that there is at
 * least one value.
 */
export function median(values: readonly number[]): number {
  return present(
    values.toSorted((one, other) => one - other)[values.length >> 1],
    "a value for the median",
  );
}
