// What the report keeps of the orders, fills and sweeps of the accounts that it is about, while the journal is folded. Prices
// are ticks, quantities lots, money minor units, times microseconds of the market.

import type { Market } from "../../core/markets.ts";
import type { CloseReason, Side } from "../../core/orders.ts";
import type { OrderRecord } from "../../ports/journal/history-store.ts";

/** How an order joined the queue of its price. */
export interface Arrival {
  readonly atUs: number;
  readonly price: number;
  /** Lots that were ahead of it at its price, as the book showed them. */
  readonly aheadLots: number;
  readonly aheadOrders: number;
}

export interface TrackedOrder {
  readonly market: Market;
  /** As accepted, and then as it ended, or as it is at the end of the report. */
  record: OrderRecord;
  /** Why it ended, if not by being filled. */
  reason: CloseReason | null;
  /** The last time it joined a queue; null if it never rested. */
  arrival: Arrival | null;
  /** How often it joined one: more than once if it was amended. */
  joins: number;
  /** Its first fill as a resting order; null without one. */
  firstMadeUs: number | null;
}

export interface TrackedFill {
  readonly tradeId: number;
  readonly order: TrackedOrder;
  readonly atUs: number;
  readonly isMaker: boolean;
  readonly side: Side;
  readonly price: number;
  readonly lots: number;
  readonly value: bigint;
  readonly fee: bigint;
  /** Realised profit before fees, of a perpetual. */
  readonly pnl: bigint;
  /** The queue that the order had joined, of a maker. */
  readonly arrival: Arrival | null;
}

/** What an incoming order traded at once, and the book that it met. */
export interface Sweep {
  readonly order: TrackedOrder;
  readonly side: Side;
  readonly atUs: number;
  /** Best prices before it; 0 for an empty side. */
  readonly bid: number;
  readonly ask: number;
  lots: number;
  /** Sum of price × lots. */
  priceLots: bigint;
  value: bigint;
  /** Bid + ask when 1 s and 10 s had passed; null if the journal ends before, or a side was empty then. */
  after1s: number | null;
  after10s: number | null;
}
