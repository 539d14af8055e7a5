// Loads what a front needs of a market's past from storage: its newest trades and its candles.

import { candlesKept, tapeLength } from "../../../core/limits.ts";
import type { Market } from "../../../core/markets.ts";
import { bucketStart } from "../../../core/unix-ms.ts";
import type { Candles } from "../../../engine/market-data/candles.ts";
import type { TradeTape } from "../../../engine/market-data/trade-tape.ts";
import type { HistoryStore } from "../../../ports/journal/history-store.ts";

/** The part of a market's view that comes from storage. */
interface RecalledView {
  readonly market: Market;
  readonly tape: TradeTape;
  readonly candles: readonly Candles[];
  /** By interval: the last trade in the stored candles. */
  readonly storedTradeIds: number[];
}

/**
 * Loads a market's trades and candles. All queries run at once, because running them one after the other would make a
 * restart longer.
 */
export async function recallView(
  view: RecalledView,
  history: HistoryStore,
  nowMs: number,
): Promise<void> {
  const recallTape = async () => {
    for (const trade of await history.tape(view.market.id, tapeLength)) view.tape.add(trade);
  };
  const recallCandles = async (candles: Candles, index: number) => {
    const { intervalMs } = candles;
    const sinceMs = bucketStart(nowMs, intervalMs) - candlesKept * intervalMs;
    const stored = await history.candles(view.market.id, intervalMs, sinceMs);
    candles.seed(stored.candles, sinceMs);
    view.storedTradeIds[index] = stored.throughTradeId;
  };
  await Promise.all([recallTape(), ...view.candles.map(recallCandles)]);
}
