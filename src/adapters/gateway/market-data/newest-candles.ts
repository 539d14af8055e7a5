// The newest buckets of any interval that traded, put together from the stored ones: memory answers
// where it holds enough of them, SQL otherwise. Buckets without a trade do not exist here.

import type { Market } from "../../../core/markets.ts";
import { allJoined, type Candle } from "../../../engine/market-data/candles.ts";
import type { HistoryStore } from "../../../ports/journal/history-store.ts";
import type { ReadModel } from "../read-model.ts";
import { type KlineInterval, klineStart, storedIntervalOf } from "./kline-interval.ts";

/** Ascending stored buckets as ascending buckets of `interval`. */
export function foldedInto(interval: KlineInterval, stored: readonly Candle[]): Candle[] {
  const folded: Candle[] = [];
  for (let from = 0; from < stored.length; ) {
    const openTimeMs = klineStart(interval, stored[from]?.openTimeMs ?? 0, 0);
    let to = from;
    while (
      to < stored.length &&
      klineStart(interval, stored[to]?.openTimeMs ?? 0, 0) === openTimeMs
    )
      to++;
    const joined = allJoined(stored.slice(from, to));
    if (joined !== null) folded.push({ ...joined, openTimeMs });
    from = to;
  }
  return folded;
}

export class NewestCandles {
  readonly #model: ReadModel;
  readonly #history: HistoryStore;

  constructor(model: ReadModel, history: HistoryStore) {
    this.#model = model;
    this.#history = history;
  }

  /** At most `limit` buckets of an interval of a minute or longer that is no month, ascending. */
  async read(market: Market, interval: KlineInterval, limit: number): Promise<readonly Candle[]> {
    const held = this.#held(market, interval, limit);
    if (held !== null) return held;
    return this.#history.newestCandles({
      market: market.id,
      intervalMs: storedIntervalOf(interval, 0),
      widthMs: interval.ms,
      anchorMs: interval.anchorMs,
      limit,
    });
  }

  /** From memory, if it certainly holds the whole of every bucket asked for. */
  #held(market: Market, interval: KlineInterval, limit: number): readonly Candle[] | null {
    const storedMs = storedIntervalOf(interval, 0);
    const candles = this.#model.view(market).candles.find((one) => one.intervalMs === storedMs);
    if (candles === undefined) return null;
    const folded = foldedInto(interval, candles.since(-1));
    // The oldest held bucket may be a part of a longer one.
    const isEnough = candles.completeFromMs === 0 || folded.length > limit;
    return isEnough ? folded.slice(-limit) : null;
  }
}
