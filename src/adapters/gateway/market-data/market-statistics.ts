// A market's statistics in a window that ends now: first and last price, extremes, volume. Windows begin on a
// whole minute, so they are up to a minute longer than requested, like Binance's. For the common windows, the sum of
// the complete minutes is cached, so that a request only adds the newest minute.

import { marketsMax } from "../../../core/limits.ts";
import type { Market } from "../../../core/markets.ts";
import { bucketStart } from "../../../core/unix-ms.ts";
import { allJoined, type Candle } from "../../../engine/market-data/candles.ts";
import type { HistoryStore } from "../../../ports/journal/history-store.ts";
import type { MarketView, ReadModel } from "../read-model.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** The start of a window, and the market's last price before it and first trade after it. */
interface WindowEdge {
  readonly startMs: number;
  /** Price of the last trade before the window; 0 if there was none. */
  readonly priceBefore: number;
  /** Id of the first trade in the window; -1 while there is none. */
  readonly firstTradeId: number;
}

export interface WindowStatistics extends WindowEdge {
  /** The trades in the window summed up; null if there were none. */
  readonly traded: Candle | null;
  /** Id of the last trade in the window; -1 if nothing traded. */
  readonly lastTradeId: number;
  readonly lastQty: number;
}

/** Sum of the complete minutes in the window. */
interface SettledMinutes {
  readonly startMs: number;
  readonly toMs: number;
  readonly sum: Candle | null;
}

export class MarketStatistics {
  readonly #model: ReadModel;
  readonly #history: HistoryStore;
  /** Window starts by window length and market. */
  readonly #edges = new Map<number, WindowEdge>();
  readonly #sums = new Map<number, SettledMinutes>();

  constructor(model: ReadModel, history: HistoryStore) {
    this.#model = model;
    this.#history = history;
  }

  /** Statistics of the last 24 hours; returned without a promise if nothing has to be read from SQL. */
  lastDay(market: Market, nowMs: number): WindowStatistics | Promise<WindowStatistics> {
    return this.last(market, dayMs, nowMs);
  }

  /**
   * Statistics of the last `windowMs`, which is one of the common windows of at most a day; returned without a promise
   * if nothing has to be read from SQL.
   */
  last(
    market: Market,
    windowMs: number,
    nowMs: number,
  ): WindowStatistics | Promise<WindowStatistics> {
    const view = this.#model.view(market);
    const startMs = bucketStart(nowMs - windowMs, minuteMs);
    const key = windowMs * marketsMax + market.id;
    const edge = this.#edges.get(key);
    if (edge?.startMs === startMs && (edge.firstTradeId >= 0 || !hasTraded(view, startMs))) {
      return this.#withTrades(view, edge, this.#sum(view, key, startMs));
    }
    return this.#readWindow(view, key, startMs);
  }

  /** Statistics of the window that begins at `startMs`, a whole minute. */
  async since(market: Market, startMs: number): Promise<WindowStatistics> {
    const view = this.#model.view(market);
    const edge = await this.#edgeOf(view, startMs);
    return this.#withTrades(view, edge, await this.#sumSince(view, startMs));
  }

  async #readWindow(view: MarketView, key: number, startMs: number): Promise<WindowStatistics> {
    const edge = await this.#edgeOf(view, startMs);
    this.#edges.set(key, edge);
    return this.#withTrades(view, edge, await this.#sumSince(view, startMs));
  }

  #withTrades(view: MarketView, edge: WindowEdge, traded: Candle | null): WindowStatistics {
    const newest = view.tape.newest();
    const lastTradeId = traded === null ? -1 : (newest?.tradeId ?? -1);
    return { ...edge, traded, lastTradeId, lastQty: newest?.qty ?? 0 };
  }

  async #edgeOf(view: MarketView, startMs: number): Promise<WindowEdge> {
    const [minutes] = view.candles;
    const earlier = minutes?.before(startMs);
    const { id } = view.market;
    const stored =
      earlier !== undefined || minutes?.completeFromMs === 0
        ? earlier
        : await this.#history.candleBefore(id, minuteMs, startMs);
    const firstTradeId = hasTraded(view, startMs) ? await this.#firstTrade(view, startMs) : -1;
    return { startMs, priceBefore: stored?.close ?? 0, firstTradeId };
  }

  async #firstTrade(view: MarketView, startMs: number): Promise<number> {
    const startUs = startMs * 1000;
    const held = view.tape.since(startUs);
    if (held !== undefined) return held.tradeId;
    const ids = { market: view.market.id, fromTradeId: null, beforeTradeId: null };
    const [first] = await this.#history.trades({ ...ids, startUs, endUs: null, limit: 1 });
    return first?.tradeId ?? -1;
  }

  #sum(view: MarketView, key: number, startMs: number): Candle | null {
    const [minutes] = view.candles;
    const newest = minutes?.before(Number.POSITIVE_INFINITY);
    if (minutes === undefined || newest === undefined || newest.openTimeMs < startMs) return null;
    let settled = this.#sums.get(key);
    if (settled?.startMs !== startMs || settled.toMs !== newest.openTimeMs) {
      const sum = allJoined(minutes.since(startMs - 1).slice(0, -1));
      settled = { startMs, toMs: newest.openTimeMs, sum };
      this.#sums.set(key, settled);
    }
    return settled.sum === null ? newest : allJoined([settled.sum, newest]);
  }

  /**
   * Sums candles from `startMs` on. If the minutes in memory reach back that far, it uses only them. Otherwise it uses
   * the minutes up to the next full hour from SQL, and then whole hours from memory.
   */
  async #sumSince(view: MarketView, startMs: number): Promise<Candle | null> {
    const [minutes, hours] = view.candles;
    if (minutes !== undefined && minutes.completeFromMs <= startMs) {
      return allJoined(minutes.since(startMs - 1));
    }
    const fromHourMs = bucketStart(startMs + hourMs - 1, hourMs);
    const range = {
      market: view.market.id,
      intervalMs: minuteMs,
      fromMs: startMs,
      toMs: fromHourMs,
    };
    const head = await this.#history.candlesBetween({ ...range, limit: 60 });
    return allJoined([...head, ...(hours?.since(fromHourMs - 1) ?? [])]);
  }
}

function hasTraded(view: MarketView, startMs: number): boolean {
  return (view.tape.newest()?.tsUs ?? 0) >= startMs * 1000;
}
