// Applies the events of order lists: a list opens, its working order pays for the pending ones, a pending order is
// released, and a list ends with its last order.

import { assert, byteAt, numberAt, present } from "../../../core/assert.ts";
import type { OrderListAccepted, OrderReleased } from "../../../core/generated/events.ts";
import { isPaidByWorking } from "../../../core/order-lists.ts";
import { isConditional, type OrderType } from "../../../core/orders.ts";
import { isPendingLeg, legIdsOf, type OrderList } from "../orders/order-lists.ts";
import { OrderFlag } from "../orders/order-table.ts";
import type { StateObserver } from "../state-observer.ts";
import type { VenueState } from "../venue-state.ts";
import { refreshHold } from "./holds.ts";

/** Opens a list; asserts that its first order is the next one. */
export function openList(state: VenueState, event: OrderListAccepted): void {
  const { listId, account, market, listType: type, listClientId: clientId } = event;
  assert(listId === state.nextOrderId, "the orders of a list must follow its acceptance");
  const nothing = { boughtLots: 0, proceeds: 0n };
  state.orderLists.open({ listId, account, market, type, clientId, ...nothing });
}

/** The flags of an order that opens: whether it belongs to a list, and whether it waits for the working order. */
export function listFlagsOf({ orderLists }: VenueState, orderId: number): number {
  const list = orderLists.count === 0 ? undefined : orderLists.of(orderId);
  if (list === undefined) return 0;
  return OrderFlag.listed | (isPendingLeg(list, orderId) ? OrderFlag.pending : 0);
}

/**
 * Keeps what the order `orderId` has bought for the pending orders of its list, if it pays for them: `lots`, of which the
 * account may use `received` minor units of the base asset. The last order holds them for all. Spec SPT-105.
 */
export function payPending(
  state: VenueState,
  orderId: number,
  { lots, received }: { readonly lots: number; readonly received: bigint },
  observer: StateObserver | null,
): void {
  const { orders, orderLists } = state;
  const list = orderLists.count === 0 ? undefined : orderLists.byId(orderId);
  if (list === undefined || !isPaidByWorking(list.type)) return;
  list.boughtLots += lots;
  list.proceeds += received;
  const last = orders.slotOf(legIdsOf(list).at(-1) ?? 0);
  assert(last >= 0, "the pending orders of a working order must be open");
  refreshHold(state, last, observer);
}

/** Lets a pending conditional order wait for its trigger, and hold its cost. */
export function releaseOrder(
  state: VenueState,
  event: OrderReleased,
  observer: StateObserver | null,
): void {
  const { orders } = state;
  const slot = orders.slotOf(event.orderId);
  assert(slot >= 0 && orders.has(slot, OrderFlag.pending), "a released order must be pending");
  assert(orders.account[slot] === event.account, "the account in the event must own the order");
  assert(isConditional(byteAt(orders.type, slot) as OrderType), "only triggers can be waited for");
  assert(event.qty > 0, "the quantity of an order must be positive");
  leavePending(state, slot);
  orders.setQty(slot, event.qty);
  orders.updatedUs[slot] = event.tsUs;
  refreshHold(state, slot, observer);
  observer?.orderChanged?.(slot);
}

/** Ends the wait of an order for its list's working order, if it waits for that. */
export function leavePending({ orders }: VenueState, slot: number): void {
  orders.flags[slot] = byteAt(orders.flags, slot) & ~OrderFlag.pending;
}

/** The list of the order in `slot`, which must belong to one. */
export function listOf({ orders, orderLists }: VenueState, slot: number): OrderList {
  return present(
    orderLists.of(numberAt(orders.orderId, slot)),
    "the list of an open order must be open",
  );
}

/** Called when an order of a list has closed: the others hold what they need now; the last one ends the list. */
export function leaveList(state: VenueState, slot: number, observer: StateObserver | null): void {
  const { orders, orderLists } = state;
  const list = listOf(state, slot);
  let isOver = true;
  for (const orderId of legIdsOf(list)) {
    const other = orders.slotOf(orderId);
    if (other < 0) continue;
    isOver = false;
    refreshHold(state, other, observer);
  }
  if (isOver) orderLists.close(list);
}
