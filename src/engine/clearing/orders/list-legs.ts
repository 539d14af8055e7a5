// The orders of a list as clearing sees them: which one is with the matcher, and which ones end together. No order of a
// list ever ends alone, except the one that its partner ended: so a list is whole in the journal after every
// transaction.
//
//   working order   filled ──▶ its pending orders go on (`list-activation.ts`)
//                   ends otherwise ──▶ pending orders close in the same transaction
//   OCO             one trades ──▶ the other closes in the same transaction
//                   one triggers ──▶ the other closes first; from then on the journal says that the trigger is due
//                   one is cancelled or expires ──▶ the other closes in the same transaction

import { Wallet } from "../../../core/accounts.ts";
import { assert, numberAt, wordAt } from "../../../core/assert.ts";
import { isPaidByWorking } from "../../../core/order-lists.ts";
import { CloseReason, type Side } from "../../../core/orders.ts";
import { heldAsset } from "../../state/apply/holds.ts";
import { listOf } from "../../state/apply/list-posting.ts";
import { legIdsOf, type OrderList, partnerOf } from "../../state/orders/order-lists.ts";
import { OrderFlag, SlotState } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";

/** Slots of the open orders of the list of the order in `slot`, without that order, by id. */
export function otherLegs(state: VenueState, slot: number): number[] {
  const { orders } = state;
  if (!orders.has(slot, OrderFlag.listed) || orders.state[slot] === SlotState.pending) return [];
  const ids = legIdsOf(listOf(state, slot));
  return ids.map((orderId) => orders.slotOf(orderId)).filter((at) => at >= 0 && at !== slot);
}

/**
 * The slot of the order to cancel at the matcher so that the order in `slot` ends: the order of its list that is on the
 * book or on its way there, or the order itself.
 */
export function slotToCancel(state: VenueState, slot: number): number {
  const { orders } = state;
  if (orders.state[slot] !== SlotState.waiting) return slot;
  const booked = otherLegs(state, slot).find((at) => orders.state[at] !== SlotState.waiting);
  return booked ?? slot;
}

/** Slots of the orders that close when the order in `slot` closes for `reason`. */
export function closingWith(state: VenueState, slot: number, reason: CloseReason): number[] {
  return reason === CloseReason.ocoPartner ? [] : otherLegs(state, slot);
}

/** Reasons that concern a list as a whole. */
const reasonsOfAll: ReadonlySet<CloseReason> = new Set([
  CloseReason.cancelled,
  CloseReason.marketClosed,
  CloseReason.countdown,
  CloseReason.disconnected,
  CloseReason.makerGroup,
]);

/** The reason for which an order ends when another one of its list has ended for `reason`. */
export function reasonOfOther(state: VenueState, other: number, reason: CloseReason): CloseReason {
  if (reasonsOfAll.has(reason)) return reason;
  if (!state.orders.has(other, OrderFlag.pending)) return CloseReason.ocoPartner;
  // Both of a pair are refused if one of them cannot become active.
  return reason === CloseReason.triggerRefused ? reason : CloseReason.workingEnded;
}

/** The slot of the open order that cancels the order in `slot`, or −1. */
export function openPartner(state: VenueState, slot: number): number {
  const { orders } = state;
  if (!orders.has(slot, OrderFlag.listed) || orders.state[slot] === SlotState.pending) return -1;
  const partnerId = partnerOf(listOf(state, slot), numberAt(orders.orderId, slot));
  const partner = partnerId === 0 ? -1 : orders.slotOf(partnerId);
  assert(partner !== slot, "an order must not be its own partner");
  return partner;
}

/**
 * Lots with which the order in `slot` becomes active. An order that its working order pays for sells what that has bought:
 * as many of these lots as the proceeds and the account's free coins cover, because the fee was taken from the proceeds.
 * Rounded down, so that it never sells more than there is. Spec SPT-106.
 */
export function activeLots(state: VenueState, slot: number): number {
  const { orders, balances, table } = state;
  const list = orders.has(slot, OrderFlag.pending) ? listOf(state, slot) : undefined;
  if (list === undefined || !isPaidByWorking(list.type)) return wordAt(orders.qty, slot);
  const market = table.market(list.market);
  const asset = heldAsset(market, orders.side[slot] as Side);
  const payable = list.proceeds + balances.free(list.account, Wallet.spot, asset);
  const lots = payable / market.baseUnitsPerLot;
  return lots < BigInt(list.boughtLots) ? Number(lots) : list.boughtLots;
}

/**
 * Ids of the orders that must go on because their list has no other order that could still act: the pending order of a
 * filled working order (the last one stands for both of a pair), and an order whose partner has ended.
 */
export function dueLegs(state: VenueState): number[] {
  return [...state.orderLists.all()].flatMap((list) =>
    legIdsOf(list).filter((orderId) => isDue(state, list, orderId)),
  );
}

function isDue({ orders }: VenueState, list: OrderList, orderId: number): boolean {
  const slot = orders.slotOf(orderId);
  if (slot < 0 || orders.state[slot] !== SlotState.waiting) return false;
  if (orders.has(slot, OrderFlag.pending)) {
    const isLast = orderId === legIdsOf(list).at(-1);
    return isLast && orders.slotOf(list.listId) < 0;
  }
  const partnerId = partnerOf(list, orderId);
  return partnerId > 0 && orders.slotOf(partnerId) < 0;
}
