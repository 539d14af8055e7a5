// Finds the order a command names: by the venue's id, by the client's, or while still with its matcher.

import { orderIdOfDerived } from "../../../core/orders.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { PendingOrders } from "./pending-orders.ts";

/** How a command names an order. */
export interface OrderName {
  readonly account: number;
  readonly market: number;
  /** The venue's id, or 0 to find the order by `clientId`. */
  readonly orderId: number;
  readonly clientId: string;
}

/** The slot of the account's open or pending order in the market that is named so, or −1. */
export function findOrder(state: VenueState, pending: PendingOrders, name: OrderName): number {
  const { orders, clientIds } = state;
  const { account, clientId } = name;
  let { orderId } = name;
  let slot = -1;
  if (orderId === 0) {
    slot = pending.slotOf(account, clientId);
    orderId = orderIdOfDerived(clientId) || (clientIds?.orderOf(account, clientId) ?? 0);
  }
  if (slot < 0) {
    slot = orders.slotOf(orderId);
    if (slot < 0 || orders.account[slot] !== account) return -1;
    // Two ids may share the hash they are remembered by, so the text itself decides.
    if (name.orderId === 0 && orders.clientId(slot) !== clientId) return -1;
  }
  return orders.market[slot] === name.market ? slot : -1;
}
