// What perpetual orders would lose at the mark: a buy above it or a sell below it loses value as soon as it trades.
// Each open order holds the amount of that loss besides its margin. The loss is computed at the mark that was journaled
// when the order opened, triggered or was amended, so a new mark needs no work here.

import { accountSlot } from "../../../core/accounts.ts";
import { amountAt, assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import { type Market, MarketKind, orderValue } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../core/money/amounts.ts";
import { Side } from "../../../core/orders.ts";
import { OrderFlag } from "../orders/order-table.ts";
import type { VenueState } from "../venue-state.ts";

/** Ticks by which `price` is worse than the mark for an order of `side`; 0 without a mark. */
export function lossTicks(mark: number, side: Side, price: number): number {
  if (mark === 0) return 0;
  return Math.max(side === Side.buy ? price - mark : mark - price, 0);
}

/** Minor units that `lots` lose at a price that is `ticks` worse than the mark. Spec ACC-20. */
export function lossValue(market: Market, ticks: number, lots: number): bigint {
  return orderValue(market, asPriceTicks(ticks), asQtyLots(lots));
}

/**
 * Records the loss at the mark of the order in `slot`, whose terms have just been set. A reduce-only order loses on at
 * most the lots that its account can close now.
 */
export function noteLoss(state: VenueState, slot: number): void {
  const { orders } = state;
  const market = state.table.market(byteAt(orders.market, slot));
  if (market.kind !== MarketKind.perpetual) return;
  const side = byteAt(orders.side, slot) as Side;
  const mark = numberAt(state.mark, market.id);
  const ticks = orders.isOnBook(slot) ? lossTicks(mark, side, wordAt(orders.price, slot)) : 0;
  if (ticks === 0) {
    dropLoss(state, slot);
    return;
  }
  const lots = orders.remaining(slot);
  const closable = state.positions.closable(wordAt(orders.account, slot), market.id, side);
  orders.lossTicks[slot] = ticks;
  orders.lossLots[slot] = orders.has(slot, OrderFlag.reduceOnly) ? Math.min(lots, closable) : lots;
}

/**
 * Recomputes the amount that the order in `slot` holds for its loss at the mark, and returns it. The account's sum of
 * these amounts changes with it.
 */
export function refreshLoss(state: VenueState, slot: number, market: Market): bigint {
  const { orders } = state;
  const lots = Math.min(wordAt(orders.lossLots, slot), orders.remaining(slot));
  assert(
    market.kind === MarketKind.perpetual,
    "an order with a loss at the mark price must be in a perpetual market",
  );
  const loss = lossValue(market, wordAt(orders.lossTicks, slot), lots);
  setLoss(state, slot, loss);
  return loss;
}

/** Clears the loss of the order in `slot`. */
export function dropLoss(state: VenueState, slot: number): void {
  const { orders } = state;
  if (wordAt(orders.lossTicks, slot) === 0) return;
  setLoss(state, slot, 0n);
  orders.lossTicks[slot] = 0;
  orders.lossLots[slot] = 0;
}

function setLoss({ orders, lossHeld }: VenueState, slot: number, loss: bigint): void {
  const account = accountSlot(wordAt(orders.account, slot));
  const sum = amountAt(lossHeld, account) + loss - amountAt(orders.lossHeld, slot);
  assert(loss >= 0n && sum >= loss, "the sum of the account must cover the loss of the order");
  lossHeld[account] = sum;
  orders.lossHeld[slot] = loss;
}
