// Keeps curves readable: the height of a chart, and the values that need a point because no line reaches them.

/**
 * Returns the top of a chart: a little above the highest value, and never below `least`, so that tiny values look tiny.
 */
export function topOf(highest: number | null, least: number): number {
  return Math.max(highest ?? 0, least) * 1.1;
}

/**
 * Returns the indices of values whose neighbours on both sides are missing. A line does not show such a value, so it
 * needs a point.
 */
export function aloneIn(values: ArrayLike<number | null | undefined>): number[] {
  const isKnown = (at: number) => values[at] !== null && values[at] !== undefined;
  return Array.from(values, (_, at) => at).filter(
    (at) => isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1),
  );
}
