// Applies fills, position changes and waiting orders to the TP/SL pairs of positions.

import { byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import type { SpecialAccepted } from "../../../core/generated/events.ts";
import { OrderType, opposite, type Side, TimeInForce, WorkingPrice } from "../../../core/orders.ts";
import { OrderFlag, type OrderTable } from "../orders/order-table.ts";
import type { TpSlPair } from "../tables/tp-sl-state.ts";
import type { VenueState } from "../venue-state.ts";

/** Whether the order in `slot` is an entry: an order with the TP/SL prices of the position that it opens. */
function bringsTpSl(orders: OrderTable, slot: number): boolean {
  if (!orders.has(slot, OrderFlag.special) || byteAt(orders.type, slot) >= OrderType.stop) {
    return false;
  }
  return orders.triggerPrice[slot] !== 0 || orders.activationPrice[slot] !== 0;
}

/** The trigger of a waiting leg for positions of `side`; 0 if none. */
function triggerOf({ orders }: VenueState, orderId: number, side: Side): number {
  const slot = orderId === 0 ? -1 : orders.slotOf(orderId);
  return slot >= 0 && orders.side[slot] === opposite(side) ? wordAt(orders.triggerPrice, slot) : 0;
}

function newPair(account: number, market: number, side: Side): TpSlPair {
  const none = { owedTakeProfit: 0, owedStopLoss: 0, takeProfitId: 0, stopLossId: 0 };
  return { ...{ account, market, side, isSpent: false }, ...none };
}

/**
 * Called after an order traded and its position was booked. If the order is an entry that opened a position, its legs
 * must be placed. Spec NAT-49.
 */
export function noteTpSlFill(state: VenueState, slot: number): void {
  const { orders, tpSl, positions } = state;
  const account = wordAt(orders.account, slot);
  const market = byteAt(orders.market, slot);
  notePosition(state, account, market);
  if (!bringsTpSl(orders, slot)) return;
  const side = byteAt(orders.side, slot) as Side;
  if (positions.closable(account, market, opposite(side)) === 0) return;
  const pair = tpSl.get(account, market) ?? newPair(account, market, side);
  pair.side = side;
  const takeProfit = wordAt(orders.activationPrice, slot);
  const stopLoss = wordAt(orders.triggerPrice, slot);
  // This code runs for each fill of the entry, with the same prices. A waiting leg that already has the price stays;
  // otherwise a new leg must be placed.
  const hasTakeProfit = triggerOf(state, pair.takeProfitId, side) === takeProfit;
  const hasStopLoss = triggerOf(state, pair.stopLossId, side) === stopLoss;
  if (takeProfit !== 0) pair.owedTakeProfit = hasTakeProfit ? 0 : takeProfit;
  if (stopLoss !== 0) pair.owedStopLoss = hasStopLoss ? 0 : stopLoss;
  tpSl.add(pair);
  tpSl.note(pair);
}

/** Called after a position changed. If it closed or changed sides, no legs remain to be placed. */
export function notePosition(state: VenueState, account: number, market: number): void {
  const pair = state.tpSl.get(account, market);
  if (pair === undefined) return;
  if (state.positions.closable(account, market, opposite(pair.side)) === 0) {
    pair.owedTakeProfit = 0;
    pair.owedStopLoss = 0;
  }
  state.tpSl.note(pair);
}

/**
 * Makes a new waiting order the leg of its kind if it belongs to its position, or if it is the leg that the venue had to
 * place.
 */
export function linkLeg(state: VenueState, event: SpecialAccepted): void {
  const { account, market, orderId, type, timeInForce } = event;
  const kind = type === OrderType.takeProfitMarket ? "takeProfit" : "stopLoss";
  const known = state.tpSl.get(account, market);
  if (timeInForce === TimeInForce.gte) {
    const side = opposite(event.side);
    const pair = known ?? newPair(account, market, side);
    pair.side = side;
    state.tpSl.link(pair, kind, orderId);
  } else if (known !== undefined && isOwed(known, event)) state.tpSl.link(known, kind, orderId);
}

/** Whether an order is a leg that the venue had to place for the pair. In journals until 2026-11-29 such a leg is GTC. */
function isOwed(pair: TpSlPair, event: SpecialAccepted): boolean {
  if (!event.closesPosition || event.clientId !== "") return false;
  if (event.workingPrice !== WorkingPrice.mark || event.side !== opposite(pair.side)) return false;
  if (event.type === OrderType.takeProfitMarket) return event.triggerPrice === pair.owedTakeProfit;
  return event.type === OrderType.stopMarket && event.triggerPrice === pair.owedStopLoss;
}

/**
 * Unlinks the order in `slot`, which no longer waits. If it was a leg and triggered, the other leg must be removed.
 */
export function unlinkLeg(state: VenueState, slot: number, hasTriggered: boolean): void {
  const { orders, tpSl } = state;
  const pair = tpSl.get(wordAt(orders.account, slot), byteAt(orders.market, slot));
  if (pair === undefined) return;
  const orderId = numberAt(orders.orderId, slot);
  if (pair.takeProfitId === orderId) pair.takeProfitId = 0;
  else if (pair.stopLossId === orderId) pair.stopLossId = 0;
  else return;
  pair.isSpent ||= hasTriggered;
  tpSl.note(pair);
}
