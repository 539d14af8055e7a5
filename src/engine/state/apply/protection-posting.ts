// What fills, positions and waiting orders do to take profits and stop losses of positions.

import { byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import type { SpecialAccepted } from "../../../core/generated/events.ts";
import { OrderType, opposite, type Side, WorkingPrice } from "../../../core/orders.ts";
import { OrderFlag, type OrderTable } from "../orders/order-table.ts";
import type { VenueState } from "../venue-state.ts";

/** Whether the order in `slot` is an entry that brings protection. */
function bringsProtection(orders: OrderTable, slot: number): boolean {
  if (!orders.has(slot, OrderFlag.special) || byteAt(orders.type, slot) >= OrderType.stop) {
    return false;
  }
  return orders.triggerPrice[slot] !== 0 || orders.activationPrice[slot] !== 0;
}

/** The trigger of a leg that waits for positions of `side`; 0 if there is none. */
function triggerOf({ orders }: VenueState, orderId: number, side: Side): number {
  const slot = orderId === 0 ? -1 : orders.slotOf(orderId);
  return slot >= 0 && orders.side[slot] === opposite(side) ? wordAt(orders.triggerPrice, slot) : 0;
}

/** An order has traded and its position is booked: an entry that opened is owed its legs. Spec NAT-49. */
export function protectFill(state: VenueState, slot: number): void {
  const { orders, protections, positions } = state;
  const account = wordAt(orders.account, slot);
  const market = byteAt(orders.market, slot);
  notePosition(state, account, market);
  if (!bringsProtection(orders, slot)) return;
  const side = byteAt(orders.side, slot) as Side;
  if (positions.closable(account, market, opposite(side)) === 0) return;
  const none = { owedTakeProfit: 0, owedStopLoss: 0, takeProfitId: 0, stopLossId: 0 };
  const protection = protections.get(account, market) ?? {
    ...{ account, market, side, isSpent: false },
    ...none,
  };
  protection.side = side;
  const takeProfit = wordAt(orders.activationPrice, slot);
  const stopLoss = wordAt(orders.triggerPrice, slot);
  // Every fill of an entry brings the same prices: a leg that has them stays.
  const hasTakeProfit = triggerOf(state, protection.takeProfitId, side) === takeProfit;
  const hasStopLoss = triggerOf(state, protection.stopLossId, side) === stopLoss;
  if (takeProfit !== 0) protection.owedTakeProfit = hasTakeProfit ? 0 : takeProfit;
  if (stopLoss !== 0) protection.owedStopLoss = hasStopLoss ? 0 : stopLoss;
  protections.add(protection);
  protections.note(protection);
}

/** A position has changed: one that is gone, or is on the other side now, is owed nothing. */
export function notePosition(state: VenueState, account: number, market: number): void {
  const protection = state.protections.get(account, market);
  if (protection === undefined) return;
  if (state.positions.closable(account, market, opposite(protection.side)) === 0) {
    protection.owedTakeProfit = 0;
    protection.owedStopLoss = 0;
  }
  state.protections.note(protection);
}

/** A conditional order has begun to wait: it is a leg if it is what is owed. */
export function linkLeg(state: VenueState, event: SpecialAccepted): void {
  const protection = state.protections.get(event.account, event.market);
  if (protection === undefined || !event.closesPosition || event.clientId !== "") return;
  if (event.workingPrice !== WorkingPrice.mark || event.side !== opposite(protection.side)) return;
  const { type, triggerPrice, orderId } = event;
  if (type === OrderType.takeProfitMarket && triggerPrice === protection.owedTakeProfit) {
    protection.takeProfitId = orderId;
    protection.owedTakeProfit = 0;
  } else if (type === OrderType.stopMarket && triggerPrice === protection.owedStopLoss) {
    protection.stopLossId = orderId;
    protection.owedStopLoss = 0;
  } else return;
  state.protections.note(protection);
}

/** The order in `slot` waits no more: a leg that triggered takes the other with it. */
export function unlinkLeg(state: VenueState, slot: number, hasTriggered: boolean): void {
  const { orders, protections } = state;
  const protection = protections.get(wordAt(orders.account, slot), byteAt(orders.market, slot));
  if (protection === undefined) return;
  const orderId = numberAt(orders.orderId, slot);
  if (protection.takeProfitId === orderId) protection.takeProfitId = 0;
  else if (protection.stopLossId === orderId) protection.stopLossId = 0;
  else return;
  protection.isSpent ||= hasTriggered;
  protections.note(protection);
}
