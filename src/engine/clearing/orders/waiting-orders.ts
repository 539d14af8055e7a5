// What an order must satisfy to wait off the book, for its trigger or for the working order of its list: the trigger is not
// reached yet, and account and market have fewer waiting orders than they may. Admission checks the rest.

import { byteAt } from "../../../core/assert.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import { conditionalPerMarketPerAccountMax, trailingPerMarketMax } from "../../../core/limits.ts";
import type { Market } from "../../../core/markets.ts";
import { isConditional, OrderType, tradedType } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { isReached, isRising, watchedPrice } from "../../state/orders/trigger-terms.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { OrderTerms } from "../matchers/request-lane.ts";

/** Orders of the same list that were admitted before, with which an order shares its limits. */
export interface AdmittedBefore {
  readonly orders: number;
  readonly conditional: number;
}

export const noneBefore: AdmittedBefore = { orders: 0, conditional: 0 };

/** Sets the terms of an order that goes to no matcher yet; its hold is 0. */
export function setWaitingTerms(order: PlaceOrder, terms: OrderTerms): void {
  terms.price = tradedType(order.type) === OrderType.market ? 0 : order.price;
  terms.qty = order.qty;
  terms.marginPrice = 0;
  terms.marginLots = 0;
  terms.budget = 0;
  terms.hold = 0n;
  terms.loss = 0n;
}

/** Refuses an order that would trigger immediately, and a trailing order if the market already has the maximum. */
export function checkTrigger(state: VenueState, market: Market, order: PlaceOrder): RejectReason {
  if (order.type === OrderType.trailingStopMarket) {
    const isFull = state.trailing.of(market.id).length >= trailingPerMarketMax;
    return isFull ? RejectReason.tooManyConditionalOrders : RejectReason.none;
  }
  const price = watchedPrice(state, market.id, order.workingPrice);
  if (price === 0) return RejectReason.none;
  const isMet = isReached(price, order.triggerPrice, isRising(order.type, order.side));
  return isMet ? RejectReason.wouldTrigger : RejectReason.none;
}

/** Refuses a conditional order beyond the limit on waiting orders. */
export function checkWaitingCount(
  state: VenueState,
  { account, market }: PlaceOrder,
  before: AdmittedBefore,
): RejectReason {
  const waiting = waitingOf(state, account, market) + before.conditional;
  const isFull = waiting >= conditionalPerMarketPerAccountMax;
  return isFull ? RejectReason.tooManyConditionalOrders : RejectReason.none;
}

/**
 * Number of the account's waiting orders in the market. It is counted by a walk over all orders of the account, but
 * only when a conditional order is checked.
 */
function waitingOf({ orders }: VenueState, account: number, market: number): number {
  let count = 0;
  for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
    const isOne = isConditional(byteAt(orders.type, slot) as OrderType);
    if (isOne && orders.market[slot] === market && orders.isOffBook(slot)) count++;
  }
  return count;
}
