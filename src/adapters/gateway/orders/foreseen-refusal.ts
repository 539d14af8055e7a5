// Predicts from the front's state whether clearing would refuse an order: because of the market's status or filters,
// because the client order id is in use, or because the account has too many open orders. The prediction is used by
// order/test, and by cancelReplace before it cancels. It applies clearing's filters, but clearing decides again when
// the order arrives, because the book and the account may have changed by then.

import type { PlaceOrder } from "../../../core/generated/commands.ts";
import { ordersPerMarketPerAccountMax } from "../../../core/limits.ts";
import { type Market, MarketStatus } from "../../../core/markets.ts";
import { isConditional, OrderStatus, Side } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { BestPrices } from "../../../engine/clearing/matchers/matcher-lanes.ts";
import {
  checkFilters,
  checkParts,
  checkWaitingFilters,
} from "../../../engine/clearing/orders/order-filters.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";
import type { ReadModel } from "../read-model.ts";
import type { OrderReference } from "./order-flow.ts";

function filterRefusal(order: PlaceOrder, market: Market, model: ReadModel): RejectReason {
  if (isConditional(order.type)) return checkWaitingFilters(model.state, market, order);
  const { depth } = model.view(market);
  const best = new BestPrices(model.views.length);
  best.set(market.id, depth.best(Side.buy), depth.best(Side.sell));
  return checkFilters(model.state, best, market, order);
}

/** An order by its id, or else by its client id. */
type Freed = Pick<OrderReference, "orderId" | "clientId">;

function isFreed(order: OrderRecord, freed: Freed | undefined): boolean {
  if (freed === undefined) return false;
  const { orderId, clientId } = freed;
  return orderId === undefined ? clientId === order.clientId : orderId === order.orderId;
}

/**
 * The reason of the first check that the order fails; `none` if it passes all checks. `freed` is the order that will be
 * cancelled before this one is placed; its client id may be used again.
 */
export function foreseenRefusal(
  order: PlaceOrder,
  { market, model, freed }: { market: Market; model: ReadModel; freed?: Freed },
): RejectReason {
  const { state } = model;
  if (state.marketStatus[market.id] !== MarketStatus.trading) return RejectReason.marketNotTrading;
  const filter = filterRefusal(order, market, model);
  if (filter !== RejectReason.none) return filter;
  const parts = checkParts(order);
  if (parts !== RejectReason.none) return parts;
  const { account, clientId } = order;
  const namesake = clientId === "" ? undefined : model.orderByClientId(account, clientId);
  if (namesake?.status === OrderStatus.open && !isFreed(namesake, freed))
    return RejectReason.duplicateClientId;
  const open = state.orders.countOf(account, market.id) - (freed === undefined ? 0 : 1);
  return open >= ordersPerMarketPerAccountMax ? RejectReason.tooManyOpenOrders : RejectReason.none;
}
