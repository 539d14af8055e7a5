// The studies that a chart can show: which indicators, with which lengths, as which lines. One table, from which the
// menu, the chart and its legend are made.

import type { Candle, Sums } from "./candle.ts";
import {
  bollingerBands,
  exponentialAverage,
  macd,
  movingAverage,
  relativeStrength,
  type Values,
  volumeWeightedAverage,
} from "./indicators.ts";

/** One line or histogram of a study. */
export interface StudyLine {
  readonly name: string;
  /** What the name does not say. */
  readonly title?: string;
  readonly values: Values;
  /** Name of the page's colour. */
  readonly colour: string;
  readonly isHistogram?: boolean;
}

/** What a study's values are: prices, differences of prices, or an index from 0 to 100. */
type Measure = "price" | "difference" | "index";

interface StudyKind {
  readonly name: string;
  readonly measure: Measure;
  /** Names and first values of the lengths that the user can change, in candles. */
  readonly lengths: ReadonlyArray<readonly [name: string, length: number]>;
  /** Whether the study has a pane of its own under the prices. */
  readonly hasPane: boolean;
  /** `before` is what was traded on the first candle's day before it; null if unknown. */
  lines(candles: readonly Candle[], lengths: readonly number[], before: Sums | null): StudyLine[];
}

/**
 * Decimal places of a study's values. Differences are shown down to a hundred-thousandth of the price, because those of
 * a cheap asset are smaller than its tick.
 */
export function placesOfMeasure(measure: Measure, pricePlaces: number, price: number): number {
  if (measure === "index") return 2;
  if (measure === "price" || price <= 0) return pricePlaces;
  return Math.max(pricePlaces, 5 - Math.floor(Math.log10(price)));
}

function closes(candles: readonly Candle[]): number[] {
  return candles.map(({ close }) => close);
}

/** A study with one line for each length, each in a colour of its own. */
function averages(
  name: string,
  of: (values: readonly number[], length: number) => Values,
  colours: readonly string[],
): StudyKind["lines"] {
  return (candles, lengths) =>
    lengths.map((length, index) => ({
      name: `${name} ${length}`,
      values: of(closes(candles), length),
      colour: colours[index] ?? "soft",
    }));
}

// Lines in one pane have different colours, except the two bands of Bollinger.

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
    lines: averages("MA", movingAverage, ["study-1", "study-2", "study-3"]),
  },
  ema: {
    name: "EMA",
    measure: "price",
    lengths: [
      ["First length", 12],
      ["Second length", 26],
    ],
    hasPane: false,
    lines: averages("EMA", exponentialAverage, ["study-4", "study-5"]),
  },
  vwap: {
    name: "VWAP",
    measure: "price",
    lengths: [],
    hasPane: false,
    lines: (candles, _, before) => [
      {
        name: "VWAP",
        title: "Average price of all trades since 00:00 UTC, weighted by volume",
        values: volumeWeightedAverage(candles, before),
        colour: "study-6",
      },
    ],
  },
  bollinger: {
    name: "Bollinger",
    measure: "price",
    lengths: [["Length", 20]],
    hasPane: false,
    lines: (candles, [length = 20]) => {
      const { middle, upper, lower } = bollingerBands(closes(candles), length, 2);
      return [
        { name: `BB ${length}`, values: middle, colour: "study-7" },
        { name: "BB upper", values: upper, colour: "study-8" },
        { name: "BB lower", values: lower, colour: "study-8" },
      ];
    },
  },
  rsi: {
    name: "RSI",
    measure: "index",
    lengths: [["Length", 14]],
    hasPane: true,
    lines: (candles, [length = 14]) => [
      {
        name: `RSI ${length}`,
        values: relativeStrength(closes(candles), length),
        colour: "study-3",
      },
    ],
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
    lines: (candles, [fast = 12, slow = 26, signal = 9]) => {
      const { line, signal: mean, histogram } = macd(closes(candles), { fast, slow, signal });
      return [
        { name: "Histogram", values: histogram, colour: "volume", isHistogram: true },
        { name: `MACD ${fast} ${slow}`, values: line, colour: "study-2" },
        { name: `Signal ${signal}`, values: mean, colour: "study-5" },
      ];
    },
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

export interface ShownStudy {
  readonly id: StudyId;
  readonly measure: Measure;
  readonly hasPane: boolean;
  readonly lines: readonly StudyLine[];
}

/** Computes the chosen studies, in the order of the table. */
export function computedStudies(
  studies: Studies,
  candles: readonly Candle[],
  before: Sums | null,
): ShownStudy[] {
  return studyIds.flatMap((id) => {
    const lengths = studies[id];
    if (lengths === undefined) return [];
    const { measure, hasPane, lines } = studyKinds[id];
    return [{ id, measure, hasPane, lines: lines(candles, lengths, before) }];
  });
}
