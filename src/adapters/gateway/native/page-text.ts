// One page of a list as the native surface answers it.

/** One page of `rows`, which have at most one more than fits; the cursor is the number of the last. */
export function pageText<Row>(
  rows: readonly Row[],
  limit: number,
  show: (row: Row) => object,
  numberOf: (row: Row) => number,
): string {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return JSON.stringify({
    items: shown.map(show),
    next_cursor: hasMore ? String(numberOf(last)) : null,
  });
}
