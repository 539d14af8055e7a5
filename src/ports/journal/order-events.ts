// Reads the events of an account's orders from the journal, to tell them again in the order in which they happened. Types
// only.

import type { VenueEvent } from "../../core/generated/events.ts";

/** Selects events of an account's orders, ascending. */
export interface OrderEventQuery {
  readonly account: number;
  /** Exclusive. */
  readonly afterSeq: number;
  /** Inclusive; the seq of a durable event. */
  readonly untilSeq: number;
  readonly limit: number;
}

/** Selects what a reader must know of some orders before it can tell their events from `afterSeq` to `untilSeq`. */
export interface OrderOriginQuery {
  readonly account: number;
  readonly orderIds: readonly number[];
  /** Those of the orders that were accepted at `afterSeq` or before. */
  readonly olderIds: readonly number[];
  readonly afterSeq: number;
  readonly untilSeq: number;
}

export interface OrderEventReader {
  /**
   * Returns acceptances, trades, changes and closes of the account's orders with afterSeq < seq ≤ untilSeq; events of
   * others may be among them. Null if there are more than `limit`. Throws if the journal ends before `untilSeq`.
   */
  orderEvents(query: OrderEventQuery): Promise<VenueEvent[] | null>;
  /**
   * Returns, ascending: the acceptances of the older orders and the changes of their terms up to `afterSeq`, and the
   * matches of the orders that self-trade prevention stopped up to `untilSeq`.
   */
  orderOrigins(query: OrderOriginQuery): Promise<VenueEvent[]>;
}
