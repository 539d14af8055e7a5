// The holds of open orders, kept equal to what their open parts need: Reserved = Σ holds, always.

import { assert } from "../../../core/assert.ts";
import { amountAt, byteAt, numberAt, wordAt } from "../../../core/cells.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../core/money/amounts.ts";
import { Side } from "../../../core/orders.ts";
import { OrderFlag, SlotState } from "../orders/order-table.ts";
import { idleObserver, type StateObserver } from "../state-observer.ts";
import type { VenueState } from "../venue-state.ts";
import { refreshLoss } from "./mark-losses.ts";
import { protectionPrice } from "./protection-price.ts";
import { heldAsset, marginHold, spotHold, walletOf } from "./reservations.ts";

/** Sets what the order in `slot` holds to what its open part needs now. */
export function refreshHold(state: VenueState, slot: number, observer: StateObserver): void {
  // An order sent by its trigger holds what clearing reserved for it, until its unit is written.
  if (state.orders.state[slot] === SlotState.sent) return;
  const market = state.table.market(byteAt(state.orders.market, slot));
  const hold =
    market.kind === MarketKind.perpetual
      ? marginNow(state, slot, market)
      : spotHoldNow(state, slot, market);
  setHold(state, slot, market, hold, observer);
}

function spotHoldNow({ orders }: VenueState, slot: number, market: Market): bigint {
  const side = byteAt(orders.side, slot) as Side;
  const lots = asQtyLots(orders.remaining(slot));
  if (!orders.has(slot, OrderFlag.special)) {
    return spotHold(market, side, asPriceTicks(wordAt(orders.price, slot)), lots);
  }
  const price = wordAt(orders.price, slot);
  const budget = amountAt(orders.quoteQty, slot);
  if (price > 0 && budget > 0n && side === Side.buy) {
    return budget - amountAt(orders.filledQuote, slot);
  }
  const waits = price === 0 && orders.isOffBook(slot);
  const held = waits ? protectionPrice(market, side, wordAt(orders.triggerPrice, slot)) : price;
  return spotHold(market, side, asPriceTicks(held), lots);
}

/** Margin, and the loss at the mark. */
function marginNow(state: VenueState, slot: number, market: Market): bigint {
  const { orders, positions } = state;
  const price = asPriceTicks(wordAt(orders.marginPrice, slot));
  const lots = asQtyLots(numberAt(orders.marginLots, slot));
  assert(lots <= orders.remaining(slot), "margined lots are open lots");
  const leverage = positions.leverage(wordAt(orders.account, slot), market.id);
  const margin = marginHold(market, price, lots, leverage);
  return orders.lossTicks[slot] === 0 ? margin : margin + refreshLoss(state, slot, market);
}

/** Sets the hold of the order in `slot`, reserving or releasing the difference. */
export function setHold(
  state: VenueState,
  slot: number,
  market: Market,
  hold: bigint,
  observer: StateObserver,
): void {
  const orders = state.orders;
  const before = amountAt(orders.reserved, slot);
  if (hold === before) return;
  const account = wordAt(orders.account, slot);
  const wallet = walletOf(market);
  const asset = heldAsset(market, orders.side[slot] as Side);
  state.balances.reserve(account, wallet, asset, hold - before);
  orders.reserved[slot] = hold;
  observer.balanceChanged(account, wallet, asset);
}

/** Reserves for an order just restored; the same arithmetic as when it opened. */
export function addHold(state: VenueState, slot: number): void {
  refreshHold(state, slot, idleObserver);
}
