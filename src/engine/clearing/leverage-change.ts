// What a change of leverage would need: the margin of the position and of the open orders in the
// market at the new leverage, against what the account has.

import { asPriceTicks, asQtyLots, divCeil } from "../../core/amounts.ts";
import { amountAt, numberAt, wordAt } from "../../core/cells.ts";
import { type Market, orderValue } from "../../core/markets.ts";
import { setHold } from "./holds.ts";
import { available, positionMargin } from "./margin.ts";
import type { OrderTerms } from "./order-terms.ts";
import { type PendingRequest, RequestKind, type RequestLane } from "./request-lane.ts";
import { marginHold } from "./reservations.ts";
import { idleObserver } from "./state-observer.ts";
import type { VenueState } from "./venue-state.ts";

/** Minor units missing for the account to use `leverage` in the market; 0n if it may. */
export function leverageShortfall(
  state: VenueState,
  pending: RequestLane,
  account: number,
  market: Market,
  leverage: number,
): bigint {
  if (leverage >= state.positions.leverage(account, market.id)) return 0n;
  const entry = state.positions.entryValue(account, market.id);
  let extra = divCeil(entry < 0n ? -entry : entry, BigInt(leverage));
  extra -= positionMargin(state, account, market.id);
  const orders = state.orders;
  for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
    if (orders.market[slot] !== market.id || !orders.isOnBook(slot)) continue;
    const lots = Math.min(numberAt(orders.marginLots, slot), orders.remaining(slot));
    const price = asPriceTicks(wordAt(orders.marginPrice, slot));
    extra += divCeil(orderValue(market, price, asQtyLots(lots)), BigInt(leverage));
    extra -= amountAt(orders.reserved, slot);
  }
  forEachPending(pending, account, market.id, ({ terms }) => {
    extra += pendingHold(market, terms, leverage) - terms.hold;
  });
  // What needs nothing more passes even where losses have eaten what is available.
  if (extra <= 0n) return 0n;
  const free = available(state, account);
  return extra > free ? extra - free : 0n;
}

/** Makes orders still with their matcher hold what the account's leverage asks for from now on. */
export function rescalePending(
  state: VenueState,
  pending: RequestLane,
  account: number,
  market: Market,
): void {
  const leverage = state.positions.leverage(account, market.id);
  forEachPending(pending, account, market.id, ({ slot, terms }) => {
    terms.hold = pendingHold(market, terms, leverage);
    setHold(state, slot, market, terms.hold, idleObserver);
  });
}

function pendingHold(market: Market, terms: OrderTerms, leverage: number): bigint {
  const { marginPrice, marginLots } = terms;
  return marginHold(market, asPriceTicks(marginPrice), asQtyLots(marginLots), leverage);
}

/** Orders of the account and market that are being placed; the credits of a lane bound them. */
function forEachPending(
  lane: RequestLane,
  account: number,
  market: number,
  visit: (request: PendingRequest) => void,
): void {
  for (let place = 0; place < lane.inFlight; place++) {
    const request = lane.at(place);
    const isPlaced = request.kind === RequestKind.place || request.kind === RequestKind.trigger;
    const { order } = request;
    if (isPlaced && order.account === account && order.market === market) visit(request);
  }
}
