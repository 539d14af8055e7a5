// What the studies show: each as lines of values, one for each candle, computed from all candles. Loaded with the first
// study.

import type { Candle, Sums } from "../../../markets/candle.ts";
import {
  bollingerBands,
  exponentialAverage,
  macd,
  movingAverage,
  relativeStrength,
  type Values,
  volumeWeightedAverage,
} from "../../../markets/indicators.ts";
import {
  type Measure,
  type Studies,
  type StudyId,
  studyIds,
  studyKinds,
} from "../../../markets/studies.ts";

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

/** `before` is what was traded on the first candle's day before it; null if unknown. */
type LinesOf = (
  candles: readonly Candle[],
  lengths: readonly number[],
  before: Sums | null,
) => StudyLine[];

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
): LinesOf {
  return (candles, lengths) =>
    lengths.map((length, index) => ({
      name: `${name} ${length}`,
      values: of(closes(candles), length),
      colour: colours[index] ?? "soft",
    }));
}

// Lines in one pane have different colours, except the two bands of Bollinger.

const linesOf: Readonly<Record<StudyId, LinesOf>> = {
  ma: averages("MA", movingAverage, ["study-1", "study-2", "study-3"]),
  ema: averages("EMA", exponentialAverage, ["study-4", "study-5"]),
  vwap: (candles, _, before) => [
    {
      name: "VWAP",
      title: "Average price of all trades since 00:00 UTC, weighted by volume",
      values: volumeWeightedAverage(candles, before),
      colour: "study-6",
    },
  ],
  bollinger: (candles, [length = 20]) => {
    const { middle, upper, lower } = bollingerBands(closes(candles), length, 2);
    return [
      { name: `BB ${length}`, values: middle, colour: "study-7" },
      { name: "BB upper", values: upper, colour: "study-8" },
      { name: "BB lower", values: lower, colour: "study-8" },
    ];
  },
  rsi: (candles, [length = 14]) => [
    {
      name: `RSI ${length}`,
      values: relativeStrength(closes(candles), length),
      colour: "study-3",
    },
  ],
  macd: (candles, [fast = 12, slow = 26, signal = 9]) => {
    const { line, signal: mean, histogram } = macd(closes(candles), { fast, slow, signal });
    return [
      { name: "Histogram", values: histogram, colour: "volume", isHistogram: true },
      { name: `MACD ${fast} ${slow}`, values: line, colour: "study-2" },
      { name: `Signal ${signal}`, values: mean, colour: "study-5" },
    ];
  },
};

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
    const { measure, hasPane } = studyKinds[id];
    return [{ id, measure, hasPane, lines: linesOf[id](candles, lengths, before) }];
  });
}
