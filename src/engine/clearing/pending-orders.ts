// Orders that are with their matcher: admitted, not yet in the journal. What they hold counts in
// the balances at once, so that the next command sees it, and is taken back just before the unit
// is written and reserves it for good. After a crash nothing of them is left, and nothing was told.

import { assert } from "../../core/assert.ts";
import type { PlaceOrder } from "../../core/commands.ts";
import type { PendingPlace, RequestLane } from "./request-lane.ts";
import { heldAsset, walletOf } from "./reservations.ts";
import type { VenueState } from "./venue-state.ts";

export class PendingOrders {
  readonly #state: VenueState;
  /** Slots by `account:client id`. */
  readonly #byClientId = new Map<string, number>();

  constructor(state: VenueState) {
    this.#state = state;
  }

  /** The slot of the account's pending order with this client id, or −1. */
  slotOf(account: number, clientId: string): number {
    if (this.#byClientId.size === 0 || clientId === "") return -1;
    return this.#byClientId.get(`${account}:${clientId}`) ?? -1;
  }

  /** Counts the order and what it holds; sets what a cancel of the slot needs. */
  reserve(slot: number, { order, terms }: PendingPlace): void {
    const { orders, balances, table } = this.#state;
    const market = table.market(order.market);
    orders.market[slot] = order.market;
    orders.account[slot] = order.account;
    orders.side[slot] = order.side;
    orders.count(order.account, order.market, 1);
    balances.reserve(order.account, walletOf(market), heldAsset(market, order.side), terms.hold);
    if (order.clientId !== "") this.#byClientId.set(`${order.account}:${order.clientId}`, slot);
  }

  /** Undoes `reserve`. */
  release(slot: number, { order, terms }: PendingPlace): void {
    const { orders, balances, table } = this.#state;
    assert(orders.account[slot] === order.account, "a pending order keeps its slot");
    const market = table.market(order.market);
    orders.count(order.account, order.market, -1);
    balances.release(order.account, walletOf(market), heldAsset(market, order.side), terms.hold);
    if (order.clientId !== "") this.#byClientId.delete(`${order.account}:${order.clientId}`);
  }

  /** Lots of the order's account and side in its market that are on the lane. */
  lots(order: PlaceOrder, lane: RequestLane): number {
    if (this.#state.positions.qty(order.account, order.market) === 0) return 0;
    let lots = 0;
    for (const { place } of lane.requests()) {
      const other = place?.order;
      const isAlike =
        other?.account === order.account &&
        other.market === order.market &&
        other.side === order.side;
      if (isAlike) lots += other.qty;
    }
    return lots;
  }
}
