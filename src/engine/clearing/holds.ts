// The holds of open orders, kept equal to what their open parts need: Reserved = Σ holds, always.

import { amountAt, byteAt, numberAt, wordAt } from "../../core/cells.ts";
import type { Market } from "../../core/markets.ts";
import type { Side } from "../../core/orders.ts";
import { heldAsset, holdOf, walletOf } from "./reservations.ts";
import { idleObserver, type StateObserver } from "./state-observer.ts";
import type { VenueState } from "./venue-state.ts";

/** Sets what the order in `slot` holds to what its open part needs now. */
export function refreshHold(state: VenueState, slot: number, observer: StateObserver): void {
  const orders = state.orders;
  const account = wordAt(orders.account, slot);
  const market = state.table.market(byteAt(orders.market, slot));
  const side = orders.side[slot] as Side;
  const remaining = orders.remaining(slot);
  const hold =
    remaining === 0
      ? 0n
      : holdOf(market, {
          side,
          price: wordAt(orders.price, slot),
          qty: remaining,
          marginPrice: wordAt(orders.marginPrice, slot),
          marginLots: numberAt(orders.marginLots, slot),
          leverage: state.positions.leverage(account, market.id),
        });
  setHold(state, slot, market, hold, observer);
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
