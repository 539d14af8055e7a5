// The trades of a market that wait to be published. They are queued in whole transactions.

import type { Traded } from "../../../../core/generated/events.ts";
import { tradesQueuedMax } from "../../../../core/limits.ts";
import type { TapeTrade } from "../../../../engine/market-data/trade-tape.ts";

export class TradeQueue {
  #trades: TapeTrade[] = [];
  /** Number of queued trades that belong to complete transactions. */
  #ready = 0;

  /** Queues a trade. The event object may be reused afterwards. */
  add({ tradeId, tsUs, price, qty, takerSide, takerOrderId }: Traded): void {
    this.#trades.push({ tradeId, tsUs, price, qty, takerSide, takerOrderId });
  }

  /** Called when the transaction of the queued trades is complete. */
  complete(): void {
    this.#ready = this.#trades.length;
  }

  /** Number of trades that may be taken. */
  get ready(): number {
    return this.#ready;
  }

  get isEmpty(): boolean {
    return this.#trades.length === 0;
  }

  /** True if the queue must be published before anything else. */
  get isFull(): boolean {
    return this.#ready >= tradesQueuedMax;
  }

  /** Removes and returns at most `limit` trades of complete transactions, oldest first. */
  take(limit: number): readonly TapeTrade[] {
    return this.#remove(Math.min(this.#ready, limit));
  }

  /** The same, but takes the last incoming order's trades to their end, of which there are at most `matchesPerOrderMax`. */
  takeOrders(limit: number): readonly TapeTrade[] {
    let count = Math.min(this.#ready, limit);
    const taker = this.#trades[count - 1]?.takerOrderId;
    if (taker === undefined) return [];
    while (count < this.#ready && this.#trades[count]?.takerOrderId === taker) count++;
    return this.#remove(count);
  }

  #remove(count: number): readonly TapeTrade[] {
    if (count <= 0) return [];
    this.#ready -= count;
    return this.#trades.splice(0, count);
  }

  clear(): void {
    this.#trades = [];
    this.#ready = 0;
  }
}
