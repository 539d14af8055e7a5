// Aggregate trades: adjacent trades of one incoming order at one price count as one. An aggregate has the id of its
// first trade, so the ids ascend, never change and need not be stored.

import { aggregatePagesMax, aggregatePageTrades, tapeLength } from "../../../core/limits.ts";
import type { Market } from "../../../core/markets.ts";
import type { Side } from "../../../core/orders.ts";
import type { HistoryStore, TapeRecord } from "../../../ports/journal/history-store.ts";
import type { ReadModel } from "../read-model.ts";

export interface AggregateTrade {
  readonly firstTradeId: number;
  lastTradeId: number;
  /** Time of the first trade. */
  readonly tsUs: number;
  readonly takerOrderId: number;
  readonly takerSide: Side;
  readonly price: number;
  qty: number;
}

/** Selects aggregates in a range: the newest `limit` or, with `fromId` or `startUs`, the oldest `limit`. */
export interface AggregateQuery {
  readonly fromId: number | null;
  /** Start of the range, inclusive. */
  readonly startUs: number | null;
  /** End of the range, exclusive. */
  readonly endUs: number | null;
  readonly limit: number;
}

function continues({ takerOrderId, price }: AggregateTrade, trade: TapeRecord): boolean {
  return takerOrderId === trade.takerOrderId && price === trade.price;
}

/**
 * Aggregates of ascending trades. The first and the last may be incomplete, because an aggregate may extend beyond the
 * given trades.
 */
export function aggregatesOf(trades: readonly TapeRecord[]): AggregateTrade[] {
  const aggregates: AggregateTrade[] = [];
  for (const trade of trades) {
    const newest = aggregates.at(-1);
    if (newest !== undefined && continues(newest, trade)) {
      newest.lastTradeId = trade.tradeId;
      newest.qty += trade.qty;
    } else {
      const { tradeId, tsUs, takerOrderId, takerSide, price, qty } = trade;
      const ids = { firstTradeId: tradeId, lastTradeId: tradeId };
      aggregates.push({ ...ids, tsUs, takerOrderId, takerSide, price, qty });
    }
  }
  return aggregates;
}

export class AggregateReader {
  readonly #model: ReadModel;
  readonly #history: HistoryStore;

  constructor(model: ReadModel, history: HistoryStore) {
    this.#model = model;
    this.#history = history;
  }

  /**
   * Returns aggregates in ascending order. Returns fewer than `limit` if complete aggregates would need more trades
   * than one request may read.
   */
  async read(market: Market, query: AggregateQuery): Promise<AggregateTrade[]> {
    if (query.fromId !== null || query.startUs !== null) return this.#oldest(market, query);
    return (query.endUs === null && this.#held(market, query.limit)) || this.#newest(market, query);
  }

  /** The newest aggregates from memory; null if memory may lack trades that belong to them. */
  #held(market: Market, limit: number): AggregateTrade[] | null {
    const { tape } = this.#model.view(market);
    const aggregates = aggregatesOf(tape.latest(tapeLength));
    const isEnough = tape.length < tapeLength || aggregates.length > limit;
    return isEnough ? aggregates.slice(-limit) : null;
  }

  async #newest(market: Market, { endUs, limit }: AggregateQuery): Promise<AggregateTrade[]> {
    const range = { market: market.id, fromTradeId: null, startUs: null, endUs };
    let trades: TapeRecord[] = [];
    for (let page = 0; page < aggregatePagesMax; page++) {
      const beforeTradeId = trades[0]?.tradeId ?? null;
      const read = await this.#history.trades({
        ...range,
        beforeTradeId,
        limit: aggregatePageTrades,
      });
      trades = [...read, ...trades];
      const aggregates = aggregatesOf(trades);
      if (read.length < aggregatePageTrades || aggregates.length > limit) {
        return aggregates.slice(-limit);
      }
    }
    // The first aggregate may have begun before the trades that were read, so it is left out.
    return aggregatesOf(trades).slice(1).slice(-limit);
  }

  async #oldest(market: Market, query: AggregateQuery): Promise<AggregateTrade[]> {
    const { fromId, startUs, endUs, limit } = query;
    const before = { beforeTradeId: fromId, startUs: null, endUs: startUs };
    const ids = { market: market.id, fromTradeId: null };
    const [previous] = await this.#history.trades({ ...ids, ...before, limit: 1 });
    const trades: TapeRecord[] = previous === undefined ? [] : [previous];
    // Skip the aggregate of `previous`, the last trade before the range. Trades in the range that continue this
    // aggregate are skipped with it.
    const skipped = trades.length;
    let from = fromId;
    for (let page = 0; page < aggregatePagesMax; page++) {
      const range = { market: market.id, beforeTradeId: null, startUs, endUs };
      const read = await this.#history.trades({
        ...range,
        fromTradeId: from,
        limit: aggregatePageTrades,
      });
      trades.push(...read);
      from = (read.at(-1)?.tradeId ?? 0) + 1;
      const aggregates = aggregatesOf(trades);
      if (read.length < aggregatePageTrades || aggregates.length > limit + skipped) {
        return aggregates.slice(skipped, skipped + limit);
      }
    }
    // The last aggregate may continue after the trades that were read, so it is left out.
    return aggregatesOf(trades).slice(skipped, -1).slice(0, limit);
  }
}
