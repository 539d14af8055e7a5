// Selects figures of a micro benchmark.

export type Figures = Readonly<Record<string, number>>;

/** Returns the figure whose name begins with `prefix`; fails the row if the benchmark has none. */
export function figureOf(figures: Figures, prefix: string): number {
  const found = Object.entries(figures).find(([name]) => name.startsWith(prefix));
  if (found === undefined) throw new Error(`no figure "${prefix}…"`);
  return found[1];
}

/** Returns the figures whose names begin with `prefix`. */
export function only(figures: Figures, prefix: string): Figures {
  return Object.fromEntries(Object.entries(figures).filter(([name]) => name.startsWith(prefix)));
}
