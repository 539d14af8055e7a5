// Proves the indicators of the chart against figures computed by hand and against their definitions, computed slowly.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Candle, sumsBefore, withPrint } from "../../web/src/markets/candle.ts";
import {
  bollingerBands,
  exponentialAverage,
  macd,
  movingAverage,
  relativeStrength,
  type Values,
  volumeWeightedAverage,
} from "../../web/src/markets/indicators.ts";
import { acceptStudies, firstLengths, studyIds } from "../../web/src/markets/studies.ts";
import {
  computedStudies,
  placesOfMeasure,
} from "../../web/src/views/trade/chart/computed-studies.ts";

function rounded(values: Values, places = 4): Values {
  return values.map((value) => (value === null ? null : Number(value.toFixed(places))));
}

function candle(openMs: number, price: number, volume: number): Candle {
  const prices = { open: price, high: price + 3, low: price - 3, close: price };
  return { openMs, ...prices, volume, quoteVolume: price * volume };
}

/** Prices that wander in the same way on every run. */
const wandering = Array.from({ length: 80 }, (_, at) => 100 + 9 * Math.sin(at / 3) + (at % 7));

test("WEB-40 a moving average is the mean of the last values, and null before there are enough", () => {
  assert.deepEqual(movingAverage([1, 2, 3, 4, 8], 3), [null, null, 2, 3, 5]);
  assert.deepEqual(movingAverage([1, 2], 3), [null, null]);
  const slow = wandering.map((_, at) =>
    at < 6 ? null : wandering.slice(at - 6, at + 1).reduce((sum, one) => sum + one, 0) / 7,
  );
  assert.deepEqual(rounded(movingAverage(wandering, 7)), rounded(slow));
});

test("WEB-40 an exponential average starts with the plain mean and skips leading gaps", () => {
  // The factor for three values is a half.
  assert.deepEqual(exponentialAverage([1, 2, 3, 7, 5], 3), [null, null, 2, 4.5, 4.75]);
  assert.deepEqual(exponentialAverage([null, 1, 2, 3, 7], 3), [null, null, null, 2, 4.5]);
});

const day = 86_400_000;
const none = { volume: 0, quoteVolume: 0 };

test("WEB-131 the first trade opens the candle of a minute that the venue lists without trades, at its own price", () => {
  const filler = { ...{ openMs: day, open: 90, high: 90, low: 90, close: 90 }, ...none };
  const first = withPrint(filler, { timeMs: day + 5000, price: "100", quantity: "2" }, "1m");
  const opened = { openMs: day, open: 100, high: 100, low: 100, close: 100 };
  assert.deepEqual(first, { ...opened, volume: 2, quoteVolume: 200 });
  const second = withPrint(first, { timeMs: day + 6000, price: "95", quantity: "1" }, "1m");
  const folded = { ...opened, low: 95, close: 95, volume: 3, quoteVolume: 295 };
  assert.deepEqual(second, folded);
});

test("WEB-118 VWAP is the average price of all trades of the UTC day, not that of typical prices", () => {
  const candles = [candle(day, 10, 1), candle(day + 60_000, 20, 3), candle(2 * day, 50, 2)];
  assert.deepEqual(volumeWeightedAverage(candles, none), [10, 17.5, 50]);
  assert.deepEqual(volumeWeightedAverage([candle(day, 10, 0)], none), [null]);
  // All trades of the minute were at its low: 7 × 2.
  const low = { ...candle(day, 10, 2), quoteVolume: 14 };
  assert.deepEqual(volumeWeightedAverage([low], none), [7]);
});

test("WEB-118 VWAP is the same in each interval, also if the chart does not reach back to the day's start", () => {
  const minutes = wandering.map((price, at) => candle(day + at * 60_000, price, 1 + (at % 4)));
  const whole = {
    volume: minutes.reduce((sum, { volume }) => sum + volume, 0),
    quoteVolume: minutes.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0),
  };
  const late = minutes.slice(30);
  const before = sumsBefore(late, whole);
  assert.deepEqual(
    rounded(volumeWeightedAverage(late, before)),
    rounded(volumeWeightedAverage(minutes, none)).slice(30),
  );
  // Of a day whose beginning is unknown nothing is shown, and the next one is whole.
  const nextDay = candle(2 * day, 50, 2);
  assert.equal(sumsBefore([...late, nextDay], whole), null);
  assert.deepEqual(volumeWeightedAverage([...late, nextDay], null).slice(-2), [null, 50]);
});

test("WEB-40 Bollinger's bands are two standard deviations around the mean", () => {
  const { middle, upper, lower } = bollingerBands([2, 4, 6, 6], 3, 2);
  const spread = 2 * Math.sqrt(8 / 3);
  assert.deepEqual(middle.slice(0, 3), [null, null, 4]);
  assert.deepEqual(rounded(upper).slice(1, 3), rounded([null, 4 + spread]));
  assert.deepEqual(rounded(lower).slice(1, 3), rounded([null, 4 - spread]));
  assert.deepEqual(bollingerBands([5, 5, 5], 3, 2).upper[2], 5);
});

test("WEB-40 RSI is 100 for rises only, 0 for falls only, 50 for none, and smoothed as Wilder defines it", () => {
  assert.deepEqual(relativeStrength([1, 2, 3, 4], 2), [null, null, 100, 100]);
  assert.deepEqual(relativeStrength([4, 3, 2], 2), [null, null, 0]);
  assert.deepEqual(relativeStrength([4, 4, 4], 2), [null, null, 50]);
  // Gains 1, 0 and losses 0, 1: 50. Then a gain of 3: gain (0.5 + 3) / 2, loss 0.5 / 2.
  assert.deepEqual(relativeStrength([1, 2, 1, 4], 2), [null, null, 50, 87.5]);
});

test("WEB-40 MACD is the difference of two exponential averages, its signal the average of that", () => {
  const { line, signal, histogram } = macd(wandering, { fast: 12, slow: 26, signal: 9 });
  const [fast, slow] = [exponentialAverage(wandering, 12), exponentialAverage(wandering, 26)];
  assert.equal(
    line.findIndex((value) => value !== null),
    25,
  );
  assert.equal(
    signal.findIndex((value) => value !== null),
    33,
  );
  const last = wandering.length - 1;
  assert.equal(line[last], (fast[last] ?? 0) - (slow[last] ?? 0));
  assert.equal(histogram[last], (line[last] ?? 0) - (signal[last] ?? 0));
  assert.equal(histogram[32], null);
});

test("WEB-40 each study has a value or a gap for each candle, and stored nonsense is left out", () => {
  const candles = wandering.map((price, at) => candle(at * 60_000, price, 1 + (at % 4)));
  const all = acceptStudies({
    ma: [7, 25, 50],
    ema: [12, 26],
    vwap: [],
    bollinger: [20],
    rsi: [14],
    macd: [12, 26, 9],
    unknown: [1],
  });
  assert.deepEqual(Object.keys(all ?? {}).sort(), [...studyIds].sort());
  const shown = computedStudies(all ?? {}, candles, none);
  assert.deepEqual(
    shown.map(({ id }) => id),
    studyIds,
  );
  for (const { lines } of shown) {
    for (const { values, name } of lines) {
      assert.equal(values.length, candles.length, name);
      assert.notEqual(values.at(-1), null, name);
    }
  }
  assert.deepEqual(acceptStudies({ ma: [7, 25], rsi: [1], macd: "x", ema: [12, 1e9] }), {});
  assert.equal(acceptStudies(null), undefined);
});

test("WEB-71 differences are shown finer than the tick of a cheap asset, indexes with two decimal places", () => {
  assert.equal(placesOfMeasure("difference", 4, 0.15), 6);
  assert.equal(placesOfMeasure("difference", 2, 60_000), 2);
  assert.equal(placesOfMeasure("difference", 2, 3.5), 5);
  assert.equal(placesOfMeasure("difference", 4, 0), 4);
  assert.equal(placesOfMeasure("index", 4, 0.15), 2);
  assert.equal(placesOfMeasure("price", 4, 0.15), 4);
  const measures = computedStudies({ ma: [7, 25, 99], rsi: [14], macd: [12, 26, 9] }, [], none);
  assert.deepEqual(
    measures.map(({ measure }) => measure),
    ["price", "index", "difference"],
  );
});

test("WEB-71 lines in one pane have different colours, except the two bands of Bollinger", () => {
  const all = Object.fromEntries(studyIds.map((id) => [id, firstLengths(id)]));
  const studies = computedStudies(all, [], none);
  const panes = [
    studies.filter(({ hasPane }) => !hasPane),
    ...studies.filter(({ hasPane }) => hasPane).map((study) => [study]),
  ];
  for (const pane of panes) {
    const colours = pane
      .flatMap(({ lines }) => lines)
      .filter(({ name }) => name !== "BB lower")
      .map(({ colour }) => colour);
    assert.deepEqual([...new Set(colours)], colours);
  }
});
