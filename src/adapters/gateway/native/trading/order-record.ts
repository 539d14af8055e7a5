// Orders and fills in the native format. Missing figures are null: the price of a market order, the mean
// price before the first fill, the leverage of a spot order.

import { PublicIdKind, publicId } from "../../../../core/ids/public-id.ts";
import { isPerpetual, type Market } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import {
  CloseReason,
  isConditional,
  OrderStatus,
  OrderType,
  Side,
  tradedType,
} from "../../../../core/orders.ts";
import type { VenueState } from "../../../../engine/state/venue-state.ts";
import type { FillRecord, OrderRecord } from "../../../../ports/journal/history-store.ts";
import { meanPriceText, typeNames } from "../../fapi/orders/order-text.ts";
import { expiryReason, msOf, sideNames, statusName } from "../../orders/order-format.ts";
import { isoOfUs } from "../native-context.ts";

/** The public id of an order. */
export function orderIdText(orderId: number, acceptedUs: number): string {
  return publicId(PublicIdKind.order, orderId, msOf(acceptedUs));
}

/**
 * The answer to POST /v1/orders. Leverage is set per account and market, not per order, so the answer shows the
 * account's current leverage.
 */
export function orderFields(order: OrderRecord, state: VenueState, isRepeated: boolean) {
  const market = state.table.market(order.market);
  const { tickDecimals, lotDecimals } = market;
  const hasPrice = tradedType(order.type) !== OrderType.market;
  const isFilled = order.filledQty > 0;
  return {
    order_id: orderIdText(order.orderId, order.acceptedUs),
    client_order_id: order.clientId,
    symbol: market.symbol,
    side: sideNames[order.side],
    type: typeNames[order.type],
    status: statusName(order),
    price: hasPrice ? formatScaled(order.price, tickDecimals) : null,
    qty: formatScaled(order.qty, lotDecimals),
    filled_qty: formatScaled(order.filledQty, lotDecimals),
    avg_price: isFilled ? meanPriceText(order.filledQuote, order.filledQty, market) : null,
    leverage: isPerpetual(market) ? state.positions.leverage(order.account, market.id) : null,
    created_at: isoOfUs(order.acceptedUs),
    replayed: isRepeated,
  };
}

/**
 * Take profit and stop loss prices as text: those attached to the order or, if the order is itself a take profit or
 * stop loss, its own price. Missing prices are null.
 */
function tpSlFields(order: OrderRecord, { tickDecimals }: Market) {
  const { type, triggerPrice, activationPrice } = order;
  const text = (ticks: number) => (ticks === 0 ? null : formatScaled(ticks, tickDecimals));
  const isTaking = type === OrderType.takeProfit || type === OrderType.takeProfitMarket;
  const isStopping = type === OrderType.stop || type === OrderType.stopMarket;
  if (isTaking) return { take_profit: text(triggerPrice), stop_loss: null };
  if (isStopping) return { take_profit: null, stop_loss: text(triggerPrice) };
  if (isConditional(type)) return { take_profit: null, stop_loss: null };
  return { take_profit: text(activationPrice), stop_loss: text(triggerPrice) };
}

/** What Binance has one name for, EXCHANGE_CANCELED, by the reason in the journal. */
const venueReasons: Readonly<Partial<Record<CloseReason, string>>> = {
  [CloseReason.matchesPerOrderMax]: "TOO_MANY_MATCHES",
  [CloseReason.ownSkipsMax]: "TOO_MANY_OWN_ORDERS",
  [CloseReason.goodTillDate]: "GOOD_TILL_DATE",
  [CloseReason.reduceOnly]: "POSITION_CLOSED",
  [CloseReason.liquidation]: "LIQUIDATION",
  [CloseReason.uncovered]: "UNDER_MARGINED",
  [CloseReason.ocoPartner]: "OCO_TRIGGER",
  [CloseReason.workingEnded]: "OTO_PHASE_ONE_EXPIRED",
  [CloseReason.marketClosed]: "MARKET_CLOSED",
  [CloseReason.countdown]: "COUNTDOWN",
  [CloseReason.disconnected]: "DISCONNECTED",
  [CloseReason.makerGroup]: "MAKER_GROUP",
  [CloseReason.linked]: "TPSL_REPLACED",
};

/** Why an order ended, other than by being filled. */
export const endReasons: Readonly<Partial<Record<CloseReason, string>>> = {
  ...venueReasons,
  [CloseReason.cancelled]: "CANCELLED",
  [CloseReason.unfilled]: "UNFILLED",
  [CloseReason.fillOrKill]: "FILL_OR_KILL",
  [CloseReason.selfTrade]: "SELF_TRADE",
  [CloseReason.triggerRefused]: "REFUSED",
};

/** Whether only the journal says why the order ended. */
export function isToldByJournal(order: OrderRecord): boolean {
  return order.status === OrderStatus.cancelled || expiryReason(order) === "EXCHANGE_CANCELED";
}

/**
 * An order in a list: the fields of the answer to POST /v1/orders and the order's outcome. `expiry_reason` has Binance's
 * name for it, or that of the reason `close` if Binance has none. A cancel by the owner has none.
 */
export function listedOrder(order: OrderRecord, state: VenueState, close?: CloseReason) {
  const ownName = close === undefined ? undefined : venueReasons[close];
  return {
    ...orderFields(order, state, false),
    ...tpSlFields(order, state.table.market(order.market)),
    expiry_reason: ownName ?? expiryReason(order) ?? null,
    updated_at: isoOfUs(order.updatedUs),
  };
}

/** The asset of a fill's fee: the asset received, or the margin asset. */
export function feeAssetOf(market: Market, side: Side) {
  return market.base !== null && side === Side.buy ? market.base : market.quote;
}

/** One side of a trade. Only that of the venue's own liquidation order has `liquidation`. */
export function fillFields(fill: FillRecord, market: Market) {
  const asset = feeAssetOf(market, fill.side);
  return {
    id: publicId(PublicIdKind.trade, fill.tradeId, msOf(fill.tsUs)),
    order_id: orderIdText(fill.orderId, fill.orderAcceptedUs),
    symbol: market.symbol,
    side: sideNames[fill.side],
    price: formatScaled(fill.price, market.tickDecimals),
    qty: formatScaled(fill.qty, market.lotDecimals),
    fee: formatScaled(fill.fee, asset.decimals),
    fee_asset: asset.code,
    maker: fill.isMaker,
    ...(fill.isLiquidation && { liquidation: true }),
    realized_pnl: isPerpetual(market) ? formatScaled(fill.pnl, market.quote.decimals) : null,
    time: isoOfUs(fill.tsUs),
  };
}
