// Candles and their periods, and how a trade changes the newest candle. Independent of page and network.

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Weeks begin on Monday, but 1 January 1970, the start of Unix time, was a Thursday. */
const weekOffsetMs = 4 * dayMs;

const periodMs = {
  "1m": minuteMs,
  "3m": 3 * minuteMs,
  "5m": 5 * minuteMs,
  "15m": 15 * minuteMs,
  "30m": 30 * minuteMs,
  "1h": 60 * minuteMs,
  "2h": 120 * minuteMs,
  "4h": 240 * minuteMs,
  "6h": 360 * minuteMs,
  "12h": 720 * minuteMs,
  "1d": dayMs,
  "3d": 3 * dayMs,
  "1w": 7 * dayMs,
} as const;

export type Period = keyof typeof periodMs;
export const periods = Object.keys(periodMs) as readonly Period[];

/** For drawing: numbers instead of exact decimal text. */
export interface Candle {
  readonly openMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  /** Sum of price times quantity of its trades. */
  readonly quoteVolume: number;
}

/** What the trades of a stretch of time sum up to. */
export type Sums = Pick<Candle, "volume" | "quoteVolume">;

/** The start of the UTC day of a time. */
export function dayStart(timeMs: number): number {
  return Math.floor(timeMs / dayMs) * dayMs;
}

/**
 * What was traded on the first candle's day before it, computed from the sums of that whole day: what the candles do not
 * account for. Null if the candles reach into another day, because then it is unknown which part they account for.
 */
export function sumsBefore(candles: readonly Candle[], whole: Sums): Sums | null {
  const [first, last] = [candles[0], candles.at(-1)];
  if (first === undefined || last === undefined) return whole;
  if (dayStart(first.openMs) !== dayStart(last.openMs)) return null;
  const rest = { ...whole };
  for (const candle of candles) {
    rest.volume -= candle.volume;
    rest.quoteVolume -= candle.quoteVolume;
  }
  // Trades may have come between the two answers.
  return rest.volume > 0 && rest.quoteVolume > 0 ? rest : { volume: 0, quoteVolume: 0 };
}

/** Returns the open time of the candle that contains `timeMs`. */
export function openOf(timeMs: number, period: Period): number {
  const length = periodMs[period];
  const offset = period === "1w" ? weekOffsetMs : 0;
  return Math.floor((timeMs - offset) / length) * length + offset;
}

/** Returns the length of a period in ms. */
export function lengthOf(period: Period): number {
  return periodMs[period];
}

/** A trade, as far as a candle needs it. */
interface CandlePrint {
  readonly timeMs: number;
  readonly price: string;
  readonly quantity: string;
}

/**
 * Returns the newest candle updated by a trade, or the new candle that the trade opens. A candle without trades, which the
 * venue lists at the last close, is opened by its first trade.
 */
export function withPrint(newest: Candle | undefined, print: CandlePrint, period: Period): Candle {
  const openMs = openOf(print.timeMs, period);
  const [price, volume] = [Number(print.price), Number(print.quantity)];
  const quoteVolume = price * volume;
  const isFirst = newest?.openMs === openMs && newest.volume === 0;
  if (newest === undefined || newest.openMs < openMs || isFirst) {
    return { openMs, open: price, high: price, low: price, close: price, volume, quoteVolume };
  }
  return {
    ...newest,
    high: Math.max(newest.high, price),
    low: Math.min(newest.low, price),
    close: price,
    volume: newest.volume + volume,
    quoteVolume: newest.quoteVolume + quoteVolume,
  };
}
