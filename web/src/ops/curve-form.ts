// How a curve is drawn so that it can be read: how high its chart is, and which of its values no line leads to.

/** The top of a chart: never lower than `least`, so that next to nothing looks like it, and a little above the highest value. */
export function topOf(highest: number | null, least: number): number {
  return Math.max(highest ?? 0, least) * 1.1;
}

/** Where values stand with nothing measured on either side: a line alone would not show them. */
export function aloneIn(values: ArrayLike<number | null | undefined>): number[] {
  const isKnown = (at: number) => values[at] !== null && values[at] !== undefined;
  return Array.from(values, (_, at) => at).filter(
    (at) => isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1),
  );
}
