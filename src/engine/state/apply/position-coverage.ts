// Position coverage: which open lots of an account only close its position and therefore need no margin. The
// position covers its oldest orders first; the other lots of that side would open or enlarge a position and
// are margined. The rule is restored whenever the position or its orders change, so a closing order that
// outlives its position starts to hold margin.

import { assert, byteAt, wordAt } from "../../../core/assert.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { Side } from "../../../core/orders.ts";
import { OrderFlag } from "../orders/order-table.ts";
import type { StateObserver } from "../state-observer.ts";
import type { VenueState } from "../venue-state.ts";
import { refreshHold } from "./holds.ts";

/** Lots an order of `side` can close: the position if it is on the other side, else none. */
export function closableLots(
  state: VenueState,
  account: number,
  market: number,
  side: Side,
): number {
  return state.positions.closable(account, market, side);
}

/**
 * Lots of a new order that would open or enlarge a position; the rest only closes. The part of the position that other
 * orders of the side would close cannot cover this order. `pendingLots` are that side's lots in flight.
 */
export function openingLots(
  state: VenueState,
  order: { account: number; market: number; side: Side; qty: number },
  pendingLots: number,
): number {
  const { account, market, side, qty } = order;
  const spokenFor = state.sideLots.open(account, market, side) + pendingLots;
  const closable = Math.max(closableLots(state, account, market, side) - spokenFor, 0);
  return Math.max(qty - closable, 0);
}

/** Restores the rule on both sides after the account's position or orders in the market changed. */
export function settleMarginLots(
  state: VenueState,
  account: number,
  market: Market,
  observer: StateObserver | null,
): void {
  if (market.kind !== MarketKind.perpetual) return;
  settleSide(state, account, market.id, Side.buy, observer);
  settleSide(state, account, market.id, Side.sell, observer);
}

function settleSide(
  state: VenueState,
  account: number,
  market: number,
  side: Side,
  observer: StateObserver | null,
): void {
  const { orders, sideLots } = state;
  const closable = closableLots(state, account, market, side);
  let opening = Math.max(sideLots.open(account, market, side) - closable, 0);
  if (opening === sideLots.margined(account, market, side)) return;
  for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
    if (orders.market[slot] !== market || orders.side[slot] !== side) continue;
    if (!orders.isOnBook(slot) || orders.has(slot, OrderFlag.reduceOnly)) continue;
    const lots = Math.min(orders.remaining(slot), opening);
    opening -= lots;
    if (lots !== orders.marginLots[slot]) setMarginLots(state, slot, lots, observer);
  }
  assert(opening === 0, "the margined quantity must cover the opening quantity of the side");
}

function setMarginLots(
  state: VenueState,
  slot: number,
  lots: number,
  observer: StateObserver | null,
): void {
  const { orders, sideLots } = state;
  const margined = lots - wordAt(orders.marginLots, slot);
  const account = wordAt(orders.account, slot);
  orders.marginLots[slot] = lots;
  sideLots.add(account, byteAt(orders.market, slot), orders.side[slot] as Side, {
    open: 0,
    margined,
  });
  refreshHold(state, slot, observer);
}
