// What clearing would refuse of an order by the market's filters, as far as this front can see: for
// order/test, and for cancelReplace, which asks before it cancels. Clearing decides again when the
// order comes; between the two the book and the account may have changed.

import { asPriceTicks, asQtyLots } from "../../../core/amounts.ts";
import { limitBandFactor, ordersPerMarketPerAccountMax } from "../../../core/limits.ts";
import { type Market, MarketStatus, orderValue } from "../../../core/markets.ts";
import { OrderStatus, OrderType, opposite, tradedType } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { OrderAsk } from "../order-flow.ts";
import type { ReadModel } from "../read-model.ts";

/** The value the NOTIONAL filter looks at, in quote minor units; null where there is no price for it. */
function quoteValueOf(order: OrderAsk, market: Market, model: ReadModel): bigint | null {
  if (order.quoteQty > 0n) return order.quoteQty;
  const best = model.view(market).depth.best(opposite(order.side));
  const price = order.price || order.triggerPrice || best;
  return price === 0 ? null : orderValue(market, asPriceTicks(price), asQtyLots(order.qty));
}

/** The first filter the order fails, or `none`; `freed` open orders of the account leave before it. */
export function foreseenRefusal(
  order: OrderAsk,
  { market, model, freed = 0 }: { market: Market; model: ReadModel; freed?: number },
): RejectReason {
  const { state } = model;
  if (state.marketStatus[market.id] !== MarketStatus.trading) return RejectReason.marketNotTrading;
  if (order.quoteQty === 0n && order.qty === 0) return RejectReason.qtyNotPositive;
  if (tradedType(order.type) !== OrderType.market) {
    if (order.price === 0) return RejectReason.priceNotPositive;
    const mark = model.mark(market);
    const isOutside = order.price > mark * limitBandFactor || order.price * limitBandFactor < mark;
    if (mark > 0 && isOutside) return RejectReason.priceOutsideBand;
  }
  const value = quoteValueOf(order, market, model);
  if (value !== null && value < market.minNotional) return RejectReason.notionalTooSmall;
  const { account, clientId } = order;
  const namesake = clientId === "" ? undefined : model.orderByClientId(account, clientId);
  if (namesake?.status === OrderStatus.open) return RejectReason.duplicateClientId;
  const open = state.orders.countOf(account, market.id) - freed;
  return open >= ordersPerMarketPerAccountMax ? RejectReason.tooManyOpenOrders : RejectReason.none;
}
