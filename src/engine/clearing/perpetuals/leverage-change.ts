// What a change of leverage would need: the margin of the position and of the open orders in the
// market at the new leverage, against what the account has.

import { Wallet } from "../../../core/accounts.ts";
import { amountAt, numberAt, wordAt } from "../../../core/assert.ts";
import type { Market } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots, bigintOf, divCeil } from "../../../core/money/amounts.ts";
import { available, positionMargin } from "../../risk/margin.ts";
import { marginHold, setHold } from "../../state/apply/holds.ts";
import type { VenueState } from "../../state/venue-state.ts";
import { type PendingRequest, RequestKind, type RequestLane } from "../matchers/request-lane.ts";

/** Minor units missing for the account to use `leverage` in the market; 0n if it may. */
export function leverageShortfall(
  state: VenueState,
  pending: RequestLane,
  account: number,
  market: Market,
  leverage: number,
): bigint {
  if (leverage >= state.positions.leverage(account, market.id)) return 0n;
  const extra = leverageExtra(state, pending, account, market, leverage);
  // What needs nothing more passes even where losses have eaten what is available.
  if (extra <= 0n) return 0n;
  const free = available(state, account);
  return extra > free ? extra - free : 0n;
}

/** Minor units that position and orders need more at `leverage` than they do now; below 0n for less. */
export function leverageExtra(
  state: VenueState,
  pending: RequestLane,
  account: number,
  market: Market,
  leverage: number,
): bigint {
  const entry = state.positions.entryValue(account, market.id);
  let extra = divCeil(entry < 0n ? -entry : entry, bigintOf(leverage));
  extra -= positionMargin(state, account, market.id);
  const orders = state.orders;
  for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
    if (orders.market[slot] !== market.id || !orders.isOnBook(slot)) continue;
    extra += openHold(state, market, slot, leverage) - amountAt(orders.reserved, slot);
  }
  forEachPending(pending, account, market.id, (request) => {
    extra += pendingHold(state, market, request, leverage) - request.terms.hold;
  });
  return extra;
}

/** Makes orders still with their matcher hold what the account's leverage asks for from now on. */
export function rescalePending(
  state: VenueState,
  pending: RequestLane,
  account: number,
  market: Market,
): void {
  const leverage = state.positions.leverage(account, market.id);
  forEachPending(pending, account, market.id, (request) => {
    const { slot, kind, terms } = request;
    const before = terms.hold;
    terms.hold = pendingHold(state, market, request, leverage);
    // What an amend needs stands beside the hold of its order.
    if (kind !== RequestKind.amend) setHold(state, slot, market, terms.hold, null);
    else state.balances.reserve(account, Wallet.perp, market.quote.id, terms.hold - before);
  });
}

/** What a request holds at a leverage: an amend only what its order will not hold at it. */
function pendingHold(
  state: VenueState,
  market: Market,
  { kind, slot, terms }: PendingRequest,
  leverage: number,
): bigint {
  const { marginPrice, marginLots, loss } = terms;
  const margin = marginHold(market, asPriceTicks(marginPrice), asQtyLots(marginLots), leverage);
  if (kind !== RequestKind.amend) return margin + loss;
  const more = margin + loss - openHold(state, market, slot, leverage);
  return more > 0n ? more : 0n;
}

/** What an open order holds at a leverage. */
function openHold({ orders }: VenueState, market: Market, slot: number, leverage: number): bigint {
  const price = asPriceTicks(wordAt(orders.marginPrice, slot));
  const lots = asQtyLots(numberAt(orders.marginLots, slot));
  return marginHold(market, price, lots, leverage) + amountAt(orders.lossHeld, slot);
}

/** Orders of the account and market that are placed or amended; the credits of a lane bound them. */
function forEachPending(
  lane: RequestLane,
  account: number,
  market: number,
  visit: (request: PendingRequest) => void,
): void {
  for (let place = 0; place < lane.inFlight; place++) {
    const request = lane.at(place);
    const { order, kind } = request;
    // These two have the order and terms of whatever used their record before.
    if (kind === RequestKind.cancel || kind === RequestKind.adjust) continue;
    // One that brings its own leverage holds what that asks for already.
    if ((order.attached?.leverage ?? 0) > 0) continue;
    if (order.account === account && order.market === market) visit(request);
  }
}
