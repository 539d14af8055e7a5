// Which coalesced rows the leader may not have written yet, as a follower sees it: all that changed since an event
// after which the leader has written everything. If the follower takes over, it writes these rows. A row too many does
// no harm: it is written again with its current values.
//
// The leader says from time to time up to which seq all rows are written. Changes are kept in two generations, so that
// an older one is dropped as a whole:
//
//   older: up to `#newerFrom`     newer: after it     written ≥ #newerFrom: older is dropped, newer becomes older

import { accountSlot, type Wallet, walletCount } from "../../../core/accounts.ts";
import { assetsMax, marketsMax } from "../../../core/limits.ts";
import type { OrderStatus } from "../../../core/orders.ts";
import type { StateObserver } from "../../../engine/state/state-observer.ts";
import type { VenueState } from "../../../engine/state/venue-state.ts";
import type { OrderStateColumns } from "../../../ports/journal/event-store.ts";
import { addOrderState, copyOrderState, emptyOrderStates } from "../order-states.ts";
import type { UnwrittenRows } from "../projection.ts";

interface Generation {
  readonly orders: Set<number>;
  readonly balances: Set<number>;
  readonly positions: Set<number>;
  readonly closed: OrderStateColumns;
}

function emptyGeneration(): Generation {
  return {
    orders: new Set(),
    balances: new Set(),
    positions: new Set(),
    closed: emptyOrderStates(),
  };
}

export class UnwrittenMarks implements StateObserver {
  readonly #state: VenueState;
  #older = emptyGeneration();
  #newer = emptyGeneration();
  #newerFrom: number;

  constructor(state: VenueState) {
    this.#state = state;
    this.#newerFrom = state.seq;
  }

  /** Records that the leader has written all rows of events up to `seq`. */
  written(seq: number): void {
    if (seq < this.#newerFrom) return;
    this.#older = this.#newer;
    this.#newer = emptyGeneration();
    this.#newerFrom = this.#state.seq;
  }

  orderChanged(slot: number): void {
    this.#newer.orders.add(this.#state.orders.orderId[slot] ?? 0);
  }

  orderClosed(slot: number, status: OrderStatus): void {
    const { orders } = this.#state;
    const orderId = orders.orderId[slot] ?? 0;
    this.#older.orders.delete(orderId);
    const { closed, orders: changed } = this.#newer;
    changed.delete(orderId);
    addOrderState(closed, orders, slot, status);
  }

  balanceChanged(account: number, wallet: Wallet, asset: number): void {
    const row = accountSlot(account) * walletCount + wallet;
    this.#newer.balances.add(row * assetsMax + asset);
  }

  positionChanged(account: number, market: number): void {
    this.#newer.positions.add(accountSlot(account) * marketsMax + market);
  }

  /** The rows that may be unwritten now. */
  rows(): UnwrittenRows {
    const [older, newer] = [this.#older, this.#newer];
    const closed = emptyOrderStates();
    for (const part of [older.closed, newer.closed])
      for (const row of part.orderId.keys()) copyOrderState(part, row, closed);
    return {
      orders: [...new Set([...older.orders, ...newer.orders])],
      balances: [...new Set([...older.balances, ...newer.balances])],
      positions: [...new Set([...older.positions, ...newer.positions])],
      closed,
    };
  }
}
