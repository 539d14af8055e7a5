// Frames of the spot user data stream as JSON text, with Binance's field names. The venue's own field `seq` is the
// number of the frame in the account's sequence. Spec STR-21.

import { Wallet } from "../../../../core/accounts.ts";
import { type Market, MarketKind, orderValue } from "../../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../../core/money/amounts.ts";
import { OrderStatus, OrderType, Side } from "../../../../core/orders.ts";
import {
  amountText,
  assetText,
  expiryReason,
  msOf,
  priceText,
  qtyText,
  quoteText,
  type ShownMarket,
  shownIn,
  sideNames,
  statusName,
  stpModeNames,
  timeInForceName,
  workingUs,
} from "../../orders/order-format.ts";
import type { ReadModel } from "../../read-model.ts";
import { contingencyNames } from "../../spot/order-list-texts.ts";
import { listIdOf, listText, orderText, typeNames } from "../../spot/render.ts";
import type { ListChange, MoneyUpdate, OrderUpdate } from "./user-update.ts";

/** Only the compat view has user data. */
const view = "compat";

/** The fee of a fill and its asset, which is the asset that this side receives. */
function commission({ order, fill }: OrderUpdate, market: ShownMarket): string {
  if (fill === null) return '"n":"0","N":null';
  const { base, quote } = market;
  const asset = order.side === Side.buy ? (base ?? quote) : quote;
  return `"n":"${assetText(market, fill.fee, asset)}","N":"${asset.code}"`;
}

/** The lots that an order lost to self-trade prevention, because it met another order of its own account. */
function preventedText({ order, prevented }: OrderUpdate, own: Market): string {
  if (prevented === undefined) return "";
  const market = shownIn(view, own);
  const { seq, takerOrderId, makerOrderId, price, takerQty, makerQty } = prevented;
  const [lots, counter] =
    order.orderId === takerOrderId ? [takerQty, makerOrderId] : [makerQty, takerOrderId];
  const value = orderValue(own, asPriceTicks(price), asQtyLots(lots));
  return (
    `,"v":${seq},"B":"${qtyText(market, lots)}","u":-1,"U":${counter},"Cs":"${market.symbol}"` +
    `,"pl":"${qtyText(market, lots)}","pL":"${priceText(market, price)}"` +
    `,"pY":"${quoteText(market, value)}"`
  );
}

/** executionReport: one event of an order. */
export function executionReportText(update: OrderUpdate, own: Market, nowMs: number): string {
  const { order, execution, fill, seq, tsUs } = update;
  const market = shownIn(view, own);
  const price = (ticks: number) => priceText(market, ticks);
  const qty = (lots: number) => qtyText(market, lots);
  const value = orderValue(own, asPriceTicks(fill?.price ?? 0), asQtyLots(fill?.qty ?? 0));
  const original = execution === "CANCELED" || execution === "REPLACED" ? order.clientId : "";
  const sinceUs = workingUs(order);
  const isOnBook = order.status === OrderStatus.open && sinceUs !== undefined;
  // Binance: only of an order that is or was on its book.
  const working = sinceUs === undefined ? "" : `,"W":${msOf(sinceUs)}`;
  const trailing = order.trailingBps === 0 ? "" : `,"d":${order.trailingBps}`;
  const expired = execution === "EXPIRED" ? `,"eR":"${expiryReason(order)}"` : "";
  return (
    `{"e":"executionReport","E":${nowMs},"s":"${market.symbol}","c":"${order.clientId}"` +
    `,"S":"${sideNames[order.side]}","o":"${typeNames[order.type]}","f":"${timeInForceName(order)}"` +
    `,"q":"${qty(order.qty)}","p":"${price(order.type === OrderType.market ? 0 : order.price)}"` +
    `,"P":"${price(order.triggerPrice)}","F":"${qty(order.icebergQty)}","g":${listIdOf(order)},"C":"${original}","x":"${execution}"` +
    `,"X":"${statusName(order)}","r":"NONE","i":${order.orderId},"l":"${qty(fill?.qty ?? 0)}"` +
    `,"z":"${qty(order.filledQty)}","L":"${price(fill?.price ?? 0)}",${commission(update, market)}` +
    `,"T":${msOf(tsUs)},"t":${fill?.tradeId ?? -1},"I":${seq},"w":${isOnBook}` +
    `,"m":${fill?.isMaker ?? false},"M":${fill !== null},"O":${msOf(order.acceptedUs)}` +
    `,"Z":"${quoteText(market, order.filledQuote)}"` +
    `,"Y":"${quoteText(market, value)}","Q":"${quoteText(market, order.quoteQty)}"` +
    working +
    `,"V":"${stpModeNames[order.stpMode]}"${trailing}${expired}${preventedText(update, own)},"seq":${seq}}`
  );
}

/** listStatus: an order list was accepted, or is over. */
export function listStatusText(
  { tsUs, seq }: OrderUpdate,
  { listId, type, clientId, isOver, orders }: ListChange,
  own: Market,
  nowMs: number,
): string {
  const { symbol } = shownIn(view, own);
  const rows = orders.map(
    ({ orderId, clientId: orderClientId }) =>
      `{"s":"${symbol}","i":${orderId},"c":"${orderClientId}"}`,
  );
  return (
    `{"e":"listStatus","E":${nowMs},"s":"${symbol}","g":${listId},"c":"${contingencyNames[type]}"` +
    `,"l":"${isOver ? "ALL_DONE" : "EXEC_STARTED"}","L":"${isOver ? "ALL_DONE" : "EXECUTING"}"` +
    `,"r":"NONE","C":"${clientId}","T":${msOf(tsUs)},"O":${listText(rows)},"seq":${seq}}`
  );
}

/** balanceUpdate: money that came into the spot wallet from outside, or left it. */
export function balanceUpdateText(update: MoneyUpdate, model: ReadModel, nowMs: number): string {
  const asset = model.state.table.asset(update.asset);
  const delta = amountText(view, update.change, asset);
  return (
    `{"e":"balanceUpdate","E":${nowMs},"a":"${asset.code}","d":"${delta}"` +
    `,"T":${msOf(update.tsUs)},"seq":${update.seq}}`
  );
}

function balanceRows(account: number, assets: Iterable<number>, model: ReadModel): string {
  const { balances, table } = model.state;
  return [...assets]
    .map((id) => {
      const asset = table.asset(id);
      const free = amountText(view, balances.free(account, Wallet.spot, id), asset);
      const locked = amountText(view, balances.reserved(account, Wallet.spot, id), asset);
      return `{"a":"${asset.code}","f":"${free}","l":"${locked}"}`;
    })
    .join(",");
}

/** outboundAccountPosition: the current values of the balances that may have changed. */
export function positionText(
  { account, assets, seq }: { account: number; assets: Iterable<number>; seq: number },
  model: ReadModel,
  nowMs: number,
): string {
  const rows = balanceRows(account, assets, model);
  const changedMs = model.balanceMs(account);
  return `{"e":"outboundAccountPosition","E":${nowMs},"u":${changedMs},"B":[${rows}],"seq":${seq}}`;
}

/** The full account state that a client needs if the frames it missed are not stored any more. */
export function spotSnapshotText(
  { account, seq, after }: { account: number; seq: number; after: number },
  model: ReadModel,
  nowMs: number,
): string {
  const assets = model.state.table.assets.map(({ id }) => id);
  const scope = { kind: MarketKind.spot, market: null, view } as const;
  const orders = model.openOrders.list(account, scope, orderText);
  return (
    `{"e":"accountSnapshot","E":${nowMs},"seq":${seq},"after":${after}` +
    `,"B":[${balanceRows(account, assets, model)}],"orders":${orders}}`
  );
}
