// What a leverage change requires: the margin of the position and the open orders in the market at the new
// leverage, compared with the account's balance.

import { Wallet } from "../../../core/accounts.ts";
import { amountAt, wordAt } from "../../../core/assert.ts";
import type { Market } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots, bigintOf, divCeil } from "../../../core/money/amounts.ts";
import { available, positionMargin } from "../../risk/margin.ts";
import { marginHold, setHold } from "../../state/apply/holds.ts";
import type { VenueState } from "../../state/venue-state.ts";
import { type PendingRequest, RequestKind, type RequestLane } from "../matchers/request-lane.ts";

/** Kinds of requests that have no order. */
const orderless: ReadonlySet<RequestKind> = new Set([
  RequestKind.cancel,
  RequestKind.adjust,
  RequestKind.readLevel,
]);

/** Minor units that the account lacks to use `leverage` in the market; 0n if it lacks nothing. */
export function leverageShortfall(
  state: VenueState,
  pending: RequestLane,
  account: number,
  market: Market,
  leverage: number,
): bigint {
  if (leverage >= state.positions.leverage(account, market.id)) return 0n;
  const extra = leverageExtra(state, pending, account, market, leverage);
  // A change that needs no more margin passes even if losses exceed the available balance.
  if (extra <= 0n) return 0n;
  const free = available(state, account);
  return extra > free ? extra - free : 0n;
}

/** Additional minor units that position and orders need at `leverage`; negative for less. */
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

/** Rescales the holds of orders in flight to the account's new leverage. */
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
    // What an amend needs is reserved separately from its order's hold.
    if (kind !== RequestKind.amend) setHold(state, slot, market, terms.hold, null);
    else state.balances.reserve(account, Wallet.perp, market.quote.id, terms.hold - before);
  });
}

/** The hold of a request at a leverage; for an amend, only what it needs beyond the hold of its open order. */
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

function openHold({ orders }: VenueState, market: Market, slot: number, leverage: number): bigint {
  const price = asPriceTicks(wordAt(orders.marginPrice, slot));
  const lots = asQtyLots(wordAt(orders.marginLots, slot));
  return marginHold(market, price, lots, leverage) + amountAt(orders.lossHeld, slot);
}

/** Visits the account's requests in flight in the market whose hold a leverage change affects. */
function forEachPending(
  lane: RequestLane,
  account: number,
  market: number,
  visit: (request: PendingRequest) => void,
): void {
  for (let index = 0; index < lane.inFlight; index++) {
    const request = lane.at(index);
    const { order, kind } = request;
    // These set no order: the record still contains the order and terms of its previous use.
    if (orderless.has(kind)) continue;
    // The hold of an order that sets the leverage itself is already computed for that leverage.
    if ((order.attached?.leverage ?? 0) > 0) continue;
    if (order.account === account && order.market === market) visit(request);
  }
}
