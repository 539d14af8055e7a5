// Parses the Prometheus text of /metrics into figures that can be looked up by name.

/** One line: the value of a figure with its labels. */
export interface Line {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The name of a figure and its labels. */
export interface FigureName {
  readonly name: string;
  readonly labels: Line["labels"];
}

/** Reads a name as a scrape has it, such as `rialto_ring_used_bytes{ring="journal"}`. */
export function figureName(text: string): FigureName {
  const [, name = "", labels = ""] = /^(\w+)(?:\{(.*)\})?$/.exec(text) ?? [];
  return { name, labels: labelsOf(labels) };
}

/** All lines of one scrape, by name. */
export class Metrics {
  readonly #lines = new Map<string, Line[]>();

  constructor(text: string) {
    for (const row of text.split("\n")) {
      const found = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(row);
      if (found === null) continue;
      const [, name = "", labels = "", value = ""] = found;
      this.#add(name, { labels: labelsOf(labels), value: Number(value) });
    }
  }

  /** Figures whose names are known already, each with its value. */
  static of(names: readonly FigureName[], values: readonly number[]): Metrics {
    const made = new Metrics("");
    for (const [at, { name, labels }] of names.entries())
      made.#add(name, { labels, value: values[at] ?? 0 });
    return made;
  }

  #add(name: string, line: Line): void {
    const lines = this.#lines.get(name);
    if (lines === undefined) this.#lines.set(name, [line]);
    else lines.push(line);
  }

  /** Every figure of a name. */
  all(name: string): readonly Line[] {
    return this.#lines.get(name) ?? [];
  }

  /** The only figure of a name; undefined if the venue does not report it. */
  one(name: string): number | undefined {
    return this.#lines.get(name)?.[0]?.value;
  }

  /** The sum of all figures of a name. */
  sum(name: string): number {
    return this.all(name).reduce((sum, { value }) => sum + value, 0);
  }

  /** Returns the sums of a name's figures, grouped by one of its labels. */
  by(name: string, label: string): Map<string, number> {
    const sums = new Map<string, number>();
    for (const { labels, value } of this.all(name)) {
      const key = labels[label] ?? "";
      sums.set(key, (sums.get(key) ?? 0) + value);
    }
    return sums;
  }
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}

/**
 * Returns the quantile `share` of the values that a histogram counted between two scrapes, as the upper bound of the
 * bucket that contains it. Undefined if the histogram counted nothing.
 */
export function quantile(
  name: string,
  share: number,
  from: Metrics,
  to: Metrics,
  label?: readonly [name: string, value: string],
): number | undefined {
  const has = ({ labels }: Line) => label === undefined || labels[label[0]] === label[1];
  const before = from.all(`${name}_bucket`).filter(has);
  const counts = to
    .all(`${name}_bucket`)
    .filter(has)
    .map(({ labels, value }, at) => ({
      bound: labels["le"] === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels["le"]),
      count: value - (before[at]?.value ?? 0),
    }));
  const total = counts.at(-1)?.count ?? 0;
  if (total <= 0) return undefined;
  const found = counts.find(({ count }) => count >= total * share);
  return found?.bound;
}
