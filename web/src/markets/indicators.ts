// Indicators of technical analysis, computed from candles with numbers, because they are only drawn. Each result has
// one value for each candle, in the same order; null where there are too few candles before it.

import { type Candle, dayStart, type Sums } from "./candle.ts";

export type Values = ReadonlyArray<number | null>;

/** Mean of the last `length` values. */
export function movingAverage(values: readonly number[], length: number): Values {
  let sum = 0;
  return values.map((value, index) => {
    sum += value - (index >= length ? (values[index - length] ?? 0) : 0);
    return index < length - 1 ? null : sum / length;
  });
}

/**
 * Exponential mean with the factor 2 / (length + 1). It starts with the plain mean of the first `length` known values;
 * leading nulls are skipped.
 */
export function exponentialAverage(values: Values, length: number): Values {
  const start = values.findIndex((value) => value !== null);
  let [sum, mean] = [0, null as number | null];
  return values.map((value, index) => {
    if (value === null) return null;
    const count = index - start + 1;
    if (count <= length) {
      sum += value;
      mean = count === length ? sum / length : null;
    } else if (mean !== null) {
      mean += (2 / (length + 1)) * (value - mean);
    }
    return mean;
  });
}

/**
 * Average price of all trades since the start of the UTC day, so that it is the same in every interval of at most a day.
 * `before` is what was traded on the first candle's day before it; if that is unknown, the first day has no values.
 */
export function volumeWeightedAverage(candles: readonly Candle[], before: Sums | null): Values {
  const first = candles[0];
  let day = first === undefined ? Number.NaN : dayStart(first.openMs);
  let sums = before;
  return candles.map((candle) => {
    const today = dayStart(candle.openMs);
    if (today !== day) [day, sums] = [today, { volume: 0, quoteVolume: 0 }];
    if (sums === null) return null;
    sums = {
      volume: sums.volume + candle.volume,
      quoteVolume: sums.quoteVolume + candle.quoteVolume,
    };
    return sums.volume > 0 ? sums.quoteVolume / sums.volume : null;
  });
}

export interface Bands {
  readonly middle: Values;
  readonly upper: Values;
  readonly lower: Values;
}

/** Bollinger's bands: the mean of `length` values, and `width` standard deviations (of the population) around it. */
export function bollingerBands(values: readonly number[], length: number, width: number): Bands {
  const middle = movingAverage(values, length);
  const spread = middle.map((mean, index) => {
    if (mean === null) return null;
    const window = values.slice(index - length + 1, index + 1);
    const squares = window.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return width * Math.sqrt(squares / length);
  });
  const around = (sign: 1 | -1) =>
    middle.map((mean, index) => (mean === null ? null : mean + sign * (spread[index] ?? 0)));
  return { middle, upper: around(1), lower: around(-1) };
}

/** Wilder's relative strength index, 0 to 100. Without any movement it is 50. */
export function relativeStrength(values: readonly number[], length: number): Values {
  let [gain, loss] = [0, 0];
  return values.map((value, index) => {
    if (index === 0) return null;
    const move = value - (values[index - 1] ?? value);
    const [up, down] = [Math.max(move, 0), Math.max(-move, 0)];
    if (index <= length) {
      gain += up / length;
      loss += down / length;
      if (index < length) return null;
    } else {
      gain += (up - gain) / length;
      loss += (down - loss) / length;
    }
    return gain + loss === 0 ? 50 : (100 * gain) / (gain + loss);
  });
}

export interface Macd {
  /** Fast minus slow exponential mean. */
  readonly line: Values;
  /** Exponential mean of the line. */
  readonly signal: Values;
  /** Line minus signal. */
  readonly histogram: Values;
}

export function macd(
  values: readonly number[],
  lengths: { readonly fast: number; readonly slow: number; readonly signal: number },
): Macd {
  const minus = (one: Values, other: Values) =>
    one.map((value, index) => {
      const subtracted = other[index] ?? null;
      return value === null || subtracted === null ? null : value - subtracted;
    });
  const mean = (length: number) => exponentialAverage(values, length);
  const line = minus(mean(lengths.fast), mean(lengths.slow));
  const signal = exponentialAverage(line, lengths.signal);
  return { line, signal, histogram: minus(line, signal) };
}
