// The rolling 24 hours of one market, from its candles of one minute: the window moves by whole
// minutes. What closed minutes add up to is kept until one of them leaves or another closes, so that
// asking each second costs one bucket and not 1,440.

import type { Candle } from "./candles.ts";

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Ticks, lots and quote minor units; all 0 where nothing was traded. */
export interface DayFigures {
  /** Start of the first minute counted. */
  readonly openMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly last: number;
  /** The last price before the window; the first one in it where nothing is known of before. */
  readonly before: number;
  readonly volume: number;
  readonly quote: bigint;
  readonly count: number;
}

interface Sums {
  open: number;
  high: number;
  low: number;
  last: number;
  volume: number;
  quote: bigint;
  count: number;
}

function emptySums(): Sums {
  return { open: 0, high: 0, low: 0, last: 0, volume: 0, quote: 0n, count: 0 };
}

function addBucket(sums: Sums, bucket: Candle): void {
  const isFirst = sums.count === 0;
  sums.open = isFirst ? bucket.open : sums.open;
  sums.high = Math.max(sums.high, bucket.high);
  sums.low = isFirst ? bucket.low : Math.min(sums.low, bucket.low);
  sums.last = bucket.close;
  sums.volume += bucket.volume;
  sums.quote += bucket.quote;
  sums.count += bucket.count;
}

export class RollingDay {
  #minuteMs = -1;
  #newestMs = -1;
  #closed = emptySums();
  #before = 0;

  /** The figures at `nowMs`; `minutes` are all known one-minute buckets, ascending. */
  at(minutes: readonly Candle[], nowMs: number): DayFigures {
    const openMs = Math.floor(nowMs / minuteMs) * minuteMs - dayMs + minuteMs;
    const newest = minutes.at(-1);
    const newestMs = newest?.openTimeMs ?? -1;
    if (openMs !== this.#minuteMs || newestMs !== this.#newestMs) {
      this.#recount(minutes, openMs);
      this.#minuteMs = openMs;
      this.#newestMs = newestMs;
    }
    const sums = { ...this.#closed };
    if (newest !== undefined && newest.openTimeMs >= openMs) addBucket(sums, newest);
    return { ...sums, openMs, before: this.#before || sums.open };
  }

  /** Adds up every minute of the window but the newest, which may still change. */
  #recount(minutes: readonly Candle[], openMs: number): void {
    this.#closed = emptySums();
    this.#before = 0;
    const end = minutes.length - 1;
    for (const [place, bucket] of minutes.entries()) {
      if (bucket.openTimeMs < openMs) this.#before = bucket.close;
      else if (place < end) addBucket(this.#closed, bucket);
    }
  }
}
