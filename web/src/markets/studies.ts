// The studies that a chart can show, with their lengths: the table from which the menu is made. What they show is computed
// apart, and loaded with the first one.

/** What a study's values are: prices, differences of prices, or an index from 0 to 100. */
export type Measure = "price" | "difference" | "index";

interface StudyKind {
  readonly name: string;
  readonly measure: Measure;
  /** Names and first values of the lengths that the user can change, in candles. */
  readonly lengths: ReadonlyArray<readonly [name: string, length: number]>;
  /** Whether the study has a pane of its own under the prices. */
  readonly hasPane: boolean;
}

const kinds = {
  ma: {
    name: "MA",
    measure: "price",
    lengths: [
      ["First length", 7],
      ["Second length", 25],
      ["Third length", 99],
    ],
    hasPane: false,
  },
  ema: {
    name: "EMA",
    measure: "price",
    lengths: [
      ["First length", 12],
      ["Second length", 26],
    ],
    hasPane: false,
  },
  vwap: {
    name: "VWAP",
    measure: "price",
    lengths: [],
    hasPane: false,
  },
  bollinger: {
    name: "Bollinger",
    measure: "price",
    lengths: [["Length", 20]],
    hasPane: false,
  },
  rsi: {
    name: "RSI",
    measure: "index",
    lengths: [["Length", 14]],
    hasPane: true,
  },
  macd: {
    name: "MACD",
    measure: "difference",
    lengths: [
      ["Fast length", 12],
      ["Slow length", 26],
      ["Signal length", 9],
    ],
    hasPane: true,
  },
} as const satisfies Readonly<Record<string, StudyKind>>;

export type StudyId = keyof typeof kinds;
export const studyIds = Object.keys(kinds) as readonly StudyId[];
export const studyKinds: Readonly<Record<StudyId, StudyKind>> = kinds;

/** Lengths of the studies that the chart shows; a study that is left out is off. */
export type Studies = Readonly<Partial<Record<StudyId, readonly number[]>>>;

/** A length is at least 2 and at most as long as the chart's history. */
export const lengthMax = 500;

export function isLength(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 2 && value <= lengthMax;
}

export function firstLengths(id: StudyId): readonly number[] {
  return studyKinds[id].lengths.map(([, length]) => length);
}

/** Reads stored studies; leaves out what is unknown or has other lengths than the table. */
export function acceptStudies(value: unknown): Studies | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fits = Object.entries(value).filter(([id, lengths]) => {
    const known = studyIds.find((one) => one === id);
    if (known === undefined || !Array.isArray(lengths)) return false;
    return lengths.length === studyKinds[known].lengths.length && lengths.every(isLength);
  });
  return Object.fromEntries(fits) as Studies;
}
