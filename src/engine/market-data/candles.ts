// Candles of one market and interval, built from trades (specification: klines). A bucket, the data of one candle,
// exists only if it has a trade. Only the newest `candlesKept` are held here; older ones are in the database. Times
// come from the trades.

import { assert } from "../../core/assert.ts";
import { candlesKept } from "../../core/limits.ts";
import { Side } from "../../core/orders.ts";
import { bucketStart } from "../../core/unix-ms.ts";

/** One bucket: prices in ticks, volumes in lots, and the traded value (`quote`) in minor units of the quote asset. */
export interface Candle {
  readonly openTimeMs: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
  quote: bigint;
  count: number;
  takerBuyVolume: number;
  takerBuyQuote: bigint;
}

/** What a trade adds to its bucket. */
export interface CandleTrade {
  readonly tsUs: number;
  readonly price: number;
  readonly qty: number;
  readonly quote: bigint;
  readonly takerSide: Side;
}

/** Joins buckets, given in ascending order, into one; null if there are none. */
export function allJoined(buckets: readonly Candle[]): Candle | null {
  const [first, ...others] = buckets;
  if (first === undefined) return null;
  const sum: Candle = { ...first };
  for (const bucket of others) {
    sum.high = Math.max(sum.high, bucket.high);
    sum.low = Math.min(sum.low, bucket.low);
    sum.close = bucket.close;
    sum.volume += bucket.volume;
    sum.quote += bucket.quote;
    sum.count += bucket.count;
    sum.takerBuyVolume += bucket.takerBuyVolume;
    sum.takerBuyQuote += bucket.takerBuyQuote;
  }
  return sum;
}

export class Candles {
  readonly intervalMs: number;
  readonly #buckets: Candle[] = [];
  /** Every bucket that opens at or after this time is held; earlier ones may be missing. */
  #completeFromMs = 0;

  constructor(intervalMs: number) {
    this.intervalMs = intervalMs;
  }

  /** Every bucket that opens at or after this time is held. */
  get completeFromMs(): number {
    return this.#completeFromMs;
  }

  /** Loads all stored buckets that open at or after `sinceMs`, ascending. Call it only before the first trade. */
  seed(buckets: readonly Candle[], sinceMs = 0): void {
    assert(this.#buckets.length === 0, "stored candles must be loaded before the first trade");
    const isCut = buckets.length > candlesKept;
    this.#completeFromMs = isCut ? (buckets.at(-candlesKept)?.openTimeMs ?? sinceMs) : sinceMs;
    for (const bucket of buckets.slice(-candlesKept)) {
      assert(
        bucket.openTimeMs > (this.#buckets.at(-1)?.openTimeMs ?? -1),
        "stored candles must be in the order of their opening times",
      );
      this.#buckets.push({ ...bucket });
    }
  }

  /** Adds a trade that is not older than the newest bucket. */
  add(trade: CandleTrade): void {
    const openTimeMs = bucketStart(trade.tsUs / 1000, this.intervalMs);
    const isTakerBuy = trade.takerSide === Side.buy;
    const newest = this.#buckets.at(-1);
    if (newest === undefined || newest.openTimeMs < openTimeMs) {
      this.#open(openTimeMs, trade, isTakerBuy);
      return;
    }
    assert(newest.openTimeMs === openTimeMs, "trades must arrive in the order of their times");
    newest.high = Math.max(newest.high, trade.price);
    newest.low = Math.min(newest.low, trade.price);
    newest.close = trade.price;
    newest.volume += trade.qty;
    newest.quote += trade.quote;
    newest.count++;
    if (!isTakerBuy) return;
    newest.takerBuyVolume += trade.qty;
    newest.takerBuyQuote += trade.quote;
  }

  newest(): Readonly<Candle> | undefined {
    return this.#buckets.at(-1);
  }

  /** Buckets that open later than `afterMs`, ascending. */
  since(afterMs: number): readonly Candle[] {
    const from = this.#buckets.findIndex(({ openTimeMs }) => openTimeMs > afterMs);
    return from < 0 ? [] : this.#buckets.slice(from);
  }

  /** The newest held bucket that opens before `beforeMs`. */
  before(beforeMs: number): Candle | undefined {
    return this.#buckets.findLast(({ openTimeMs }) => openTimeMs < beforeMs);
  }

  #open(openTimeMs: number, { price, qty, quote }: CandleTrade, isTakerBuy: boolean): void {
    this.#buckets.push({
      openTimeMs,
      open: price,
      high: price,
      low: price,
      close: price,
      volume: qty,
      quote,
      count: 1,
      takerBuyVolume: isTakerBuy ? qty : 0,
      takerBuyQuote: isTakerBuy ? quote : 0n,
    });
    if (this.#buckets.length <= candlesKept) return;
    this.#buckets.shift();
    this.#completeFromMs = this.#buckets[0]?.openTimeMs ?? 0;
  }
}
