// The holds of open orders, kept equal to what their open parts need: Reserved = Σ holds, always.

import { asPriceTicks, asQtyLots } from "../../core/amounts.ts";
import { assert } from "../../core/assert.ts";
import { amountAt, byteAt, numberAt, wordAt } from "../../core/cells.ts";
import { type Market, MarketKind } from "../../core/markets.ts";
import type { Side } from "../../core/orders.ts";
import { heldAsset, marginHold, spotHold, walletOf } from "./reservations.ts";
import { idleObserver, type StateObserver } from "./state-observer.ts";
import type { VenueState } from "./venue-state.ts";

/** Sets what the order in `slot` holds to what its open part needs now. */
export function refreshHold(state: VenueState, slot: number, observer: StateObserver): void {
  const market = state.table.market(byteAt(state.orders.market, slot));
  const hold =
    market.kind === MarketKind.perpetual
      ? marginNow(state, slot, market)
      : spotHoldNow(state, slot, market);
  setHold(state, slot, market, hold, observer);
}

function spotHoldNow({ orders }: VenueState, slot: number, market: Market): bigint {
  const price = asPriceTicks(wordAt(orders.price, slot));
  const side = byteAt(orders.side, slot) as Side;
  return spotHold(market, side, price, asQtyLots(orders.remaining(slot)));
}

function marginNow({ orders, positions }: VenueState, slot: number, market: Market): bigint {
  const price = asPriceTicks(wordAt(orders.marginPrice, slot));
  const lots = asQtyLots(numberAt(orders.marginLots, slot));
  assert(lots <= orders.remaining(slot), "margined lots are open lots");
  const leverage = positions.leverage(wordAt(orders.account, slot), market.id);
  return marginHold(market, price, lots, leverage);
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
  if (hold > before) state.balances.reserve(account, wallet, asset, hold - before);
  else state.balances.release(account, wallet, asset, before - hold);
  orders.reserved[slot] = hold;
  observer.balanceChanged(account, wallet, asset);
}

/** Reserves for an order just restored; the same arithmetic as when it opened. */
export function addHold(state: VenueState, slot: number): void {
  refreshHold(state, slot, idleObserver);
}
