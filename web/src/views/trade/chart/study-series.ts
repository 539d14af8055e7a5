// The series of the studies on the chart: created when a study or its lengths change, and updated with the newest
// candle. Studies with a pane of their own are stacked under the prices. Loaded with the first study.

import type {
  HistogramSeries,
  IChartApi,
  ISeriesApi,
  LineSeries,
  UTCTimestamp,
} from "lightweight-charts";
import type { Candle } from "../../../markets/candle.ts";
import type { CandleHistory } from "../../../markets/candles.ts";
import type { Studies } from "../../../markets/studies.ts";
import {
  computedStudies,
  placesOfMeasure,
  type ShownStudy,
  type StudyLine,
} from "./computed-studies.ts";

/** Height of a study's pane, as a share of the height of the prices. */
const paneShare = 0.28;

/** The value of a study's line at one candle; null before there are enough candles. */
export interface StudyReading {
  readonly line: StudyLine;
  readonly value: number | null;
  readonly places: number;
}

interface Shown {
  readonly line: StudyLine;
  /** 0 is the pane of the prices. */
  readonly pane: number;
  readonly places: number;
  readonly series: ISeriesApi<"Line"> | ISeriesApi<"Histogram">;
}

function pointOf(line: StudyLine, candles: readonly Candle[], index: number) {
  const time = ((candles[index]?.openMs ?? 0) / 1000) as UTCTimestamp;
  const value = line.values[index] ?? null;
  return value === null ? { time } : { time, value };
}

/** The library's kinds of series. They are not imported, because the library would then be loaded in two parts. */
interface SeriesKinds {
  readonly line: typeof LineSeries;
  readonly histogram: typeof HistogramSeries;
}

export class StudySeries {
  readonly #chart: IChartApi;
  readonly #kinds: SeriesKinds;
  readonly #colour: (name: string) => string;
  readonly #pricePlaces: number;
  #studies: Studies = {};
  #shown: readonly Shown[] = [];

  constructor(
    chart: IChartApi,
    kinds: SeriesKinds,
    colour: (name: string) => string,
    pricePlaces: number,
  ) {
    this.#chart = chart;
    this.#kinds = kinds;
    this.#colour = colour;
    this.#pricePlaces = pricePlaces;
  }

  /** The values at a candle by pane, that of the prices first, in the order of the legend. */
  readingsAt(index: number): StudyReading[][] {
    const panes: StudyReading[][] = [[]];
    for (const { line, pane, places } of this.#shown) {
      const readings = panes[pane] ?? [];
      panes[pane] = readings;
      readings.push({ line, value: line.values[index] ?? null, places });
    }
    return panes;
  }

  /** Shows studies of all candles; replaces what was shown. */
  show(studies: Studies, { candles, before }: CandleHistory): void {
    this.#studies = studies;
    for (const { series } of this.#shown) this.#chart.removeSeries(series);
    let pane = 0;
    this.#shown = computedStudies(studies, candles, before).flatMap((study) => {
      if (study.hasPane) pane++;
      return this.#added(study, candles, study.hasPane ? pane : 0);
    });
    for (const [index, one] of this.#chart.panes().entries()) {
      one.setStretchFactor(index === 0 ? 1 : paneShare);
    }
  }

  /** Computes the studies again, of more candles. */
  extend({ candles, before }: CandleHistory): void {
    const lines = computedStudies(this.#studies, candles, before).flatMap((study) => study.lines);
    this.#shown = this.#shown.map((one, index) => {
      const line = lines[index];
      if (line === undefined) throw new Error("studies must not change when candles are added");
      one.series.setData(candles.map((_, at) => pointOf(line, candles, at)));
      return { ...one, line };
    });
  }

  /** Computes the studies again after a trade; only the newest values can have changed. */
  update({ candles, before }: CandleHistory): void {
    const lines = computedStudies(this.#studies, candles, before).flatMap((study) => study.lines);
    this.#shown = this.#shown.map((one, index) => {
      const line = lines[index];
      if (line === undefined) throw new Error("studies must not change between two updates");
      one.series.update(pointOf(line, candles, candles.length - 1));
      return { ...one, line };
    });
  }

  paint(): void {
    for (const { line, series } of this.#shown) {
      series.applyOptions({ color: this.#colour(line.colour) });
    }
  }

  #added(study: ShownStudy, candles: readonly Candle[], pane: number): Shown[] {
    const { lines, hasPane, measure } = study;
    const places = placesOfMeasure(measure, this.#pricePlaces, candles.at(-1)?.close ?? 0);
    return lines.map((line) => {
      const options = {
        color: this.#colour(line.colour),
        priceFormat: { type: "price" as const, precision: places, minMove: 10 ** -places },
        priceLineVisible: false,
        lastValueVisible: hasPane,
      };
      const series =
        line.isHistogram === true
          ? this.#chart.addSeries(this.#kinds.histogram, options, pane)
          : this.#chart.addSeries(
              this.#kinds.line,
              { ...options, lineWidth: 1, crosshairMarkerVisible: false },
              pane,
            );
      series.setData(candles.map((_, index) => pointOf(line, candles, index)));
      return { line, series, pane, places };
    });
  }
}
