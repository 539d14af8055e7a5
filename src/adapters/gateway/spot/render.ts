// Spot answers as JSON text, concatenated because that is faster than stringifying objects. Field names and
// types are Binance's. Every inserted text was made or checked by the venue, so nothing needs escaping.

import type { MarketTable } from "../../../core/markets.ts";
import { isConditional, OrderType, Side, tradedType } from "../../../core/orders.ts";
import type { FillRecord, OrderRecord } from "../../../ports/journal/history-store.ts";
import {
  amountText,
  assetText,
  expiryReason,
  msOf,
  priceText,
  qtyText,
  quoteText,
  type ShownMarket,
  sideNames,
  statusName,
  stpModeNames,
  timeInForceName,
  workingUs,
} from "../orders/order-format.ts";
import type { OrderFill } from "../read-model.ts";
import type { SurfaceView } from "../requests/surface-view.ts";
import { ratesText } from "./commission-text.ts";

export const typeNames: Readonly<Record<OrderType, string>> = {
  [OrderType.limit]: "LIMIT",
  [OrderType.market]: "MARKET",
  [OrderType.limitMaker]: "LIMIT_MAKER",
  [OrderType.stop]: "STOP_LOSS_LIMIT",
  [OrderType.stopMarket]: "STOP_LOSS",
  [OrderType.takeProfit]: "TAKE_PROFIT_LIMIT",
  [OrderType.takeProfitMarket]: "TAKE_PROFIT",
  [OrderType.trailingStopMarket]: "TRAILING_STOP_MARKET",
};

/** A list of texts as a JSON array. */
export function listText(items: readonly string[]): string {
  return `[${items.join(",")}]`;
}

/** Limit price of an order as text. It is zero for a market order, whose stored price is its protection price. */
function limitText(order: OrderRecord, market: ShownMarket): string {
  const isAtMarket = tradedType(order.type) === OrderType.market;
  return priceText(market, isAtMarket ? 0 : order.price);
}

/** Quantity of an order in lots; for an order by quote amount, the lots traded so far. */
function sizeText({ qty, filledQty, quoteQty }: OrderRecord, market: ShownMarket): string {
  return qtyText(market, quoteQty > 0n ? filledQty : qty);
}

/** Time in milliseconds at which the order entered its book; -1 while it waits for its trigger. */
export function workingMs(order: OrderRecord): number {
  const us = workingUs(order);
  return us === undefined ? -1 : msOf(us);
}

/** Id of an order's list; -1 if it belongs to none. */
export function listIdOf({ listId }: { readonly listId: number }): number {
  return listId === 0 ? -1 : listId;
}

/** The trigger fields of a conditional order. */
function stopText(order: OrderRecord, market: ShownMarket): string {
  if (!isConditional(order.type)) return "";
  return `,"stopPrice":"${priceText(market, order.triggerPrice)}"`;
}

/** The slice of an iceberg order. */
function icebergText({ icebergQty }: OrderRecord, market: ShownMarket): string {
  return icebergQty === 0 ? "" : `,"icebergQty":"${qtyText(market, icebergQty)}"`;
}

/** The quantity of an order; as on Binance, none of a pending order that gets it from its working order. */
function origQtyText(order: OrderRecord, market: ShownMarket): string {
  const hasNone = order.isPending && order.qty === 0;
  return hasNone ? "" : `,"origQty":"${sizeText(order, market)}"`;
}

/** Fields common to every form of an order. */
function figures(order: OrderRecord, market: ShownMarket): string {
  return (
    `"price":"${limitText(order, market)}"${origQtyText(order, market)}` +
    `,"executedQty":"${qtyText(market, order.filledQty)}"` +
    `,"origQuoteOrderQty":"${quoteText(market, order.quoteQty)}"` +
    `,"cummulativeQuoteQty":"${quoteText(market, order.filledQuote)}"${kindText(order)}`
  );
}

/** Texts of `kindText` by the codes of the fields in it. There are only a few hundred combinations. */
const kindTexts: string[] = [];

/** The named fields common to every form of an order: status, time in force, type, side. */
function kindText(order: OrderRecord): string {
  const { status, filledQty, timeInForce, type, side, isPending } = order;
  // A pending order has no fills, so its own code is free.
  const shown = isPending ? 2 : filledQty > 0 ? 1 : 0;
  const code = (((status * 3 + shown) * 8 + timeInForce) * 16 + type) * 2 + side;
  const known = kindTexts[code];
  if (known !== undefined) return known;
  const text =
    `,"status":"${statusName(order)}","timeInForce":"${timeInForceName(order)}"` +
    `,"type":"${typeNames[type]}","side":"${sideNames[side]}"`;
  kindTexts[code] = text;
  return text;
}

/** Why an order expired; empty for other orders. Only compat, which has Binance's full shapes, shows it. */
function expiryText(order: OrderRecord, { isPadded }: ShownMarket): string {
  const reason = isPadded === true ? expiryReason(order) : undefined;
  return reason === undefined ? "" : `,"expiryReason":"${reason}"`;
}

/** An order as returned by GET order, openOrders and allOrders. */
export function orderText(order: OrderRecord, market: ShownMarket): string {
  const sinceMs = workingMs(order);
  return (
    `{"symbol":"${market.symbol}","orderId":${order.orderId},"orderListId":${listIdOf(order)}` +
    `,"clientOrderId":"${order.clientId}",${figures(order, market)}` +
    `,"stopPrice":"${priceText(market, order.triggerPrice)}"` +
    `,"icebergQty":"${qtyText(market, order.icebergQty)}"` +
    `,"time":${msOf(order.acceptedUs)},"updateTime":${msOf(order.updatedUs)}` +
    `,"isWorking":${sinceMs >= 0},"workingTime":${sinceMs}` +
    `,"selfTradePreventionMode":"${stpModeNames[order.stpMode]}"${expiryText(order, market)}}`
  );
}

function acknowledged(order: OrderRecord, market: ShownMarket): string {
  return (
    `{"symbol":"${market.symbol}","orderId":${order.orderId},"orderListId":${listIdOf(order)}` +
    `,"clientOrderId":"${order.clientId}","transactTime":${msOf(order.acceptedUs)}`
  );
}

/** The answer of POST order with newOrderRespType=ACK. */
export function ackText(order: OrderRecord, market: ShownMarket): string {
  return `${acknowledged(order, market)}}`;
}

/** The answer of POST order with newOrderRespType=RESULT, with `more` fields, which begin with a comma. */
export function resultText(order: OrderRecord, market: ShownMarket, more: string): string {
  return `${resultBody(order, market)}${more}}`;
}

function resultBody(order: OrderRecord, market: ShownMarket): string {
  return (
    `${acknowledged(order, market)},${figures(order, market)}${stopText(order, market)}` +
    icebergText(order, market) +
    `,"workingTime":${workingMs(order)},"selfTradePreventionMode":"${stpModeNames[order.stpMode]}"` +
    expiryText(order, market)
  );
}

/**
 * The answer of POST order with newOrderRespType=FULL, with `more` fields as in `resultText` and the order's fills. The
 * fee of a fill is in the asset received.
 */
export function fullText(
  order: OrderRecord,
  market: ShownMarket,
  { fills, more }: { readonly fills: readonly OrderFill[]; readonly more: string },
): string {
  const texts = fills.map(
    (fill) =>
      `{"price":"${priceText(market, fill.price)}"` +
      `,"qty":"${qtyText(market, fill.qty)}"` +
      `,${commissionText(fill.fee, order.side, market)},"tradeId":${fill.tradeId}}`,
  );
  return `${resultBody(order, market)}${more},"fills":${listText(texts)}}`;
}

/** A fee and its asset: buyers pay in the base asset, sellers in the quote asset. */
function commissionText(fee: bigint, side: Side, market: ShownMarket): string {
  const { base, quote } = market;
  const asset = side === Side.buy ? (base ?? quote) : quote;
  return `"commission":"${assetText(market, fee, asset)}","commissionAsset":"${asset.code}"`;
}

/**
 * The id of a cancel: `cancelId` is the client's. If the client sent none, the answer has a generated id, which is not
 * stored.
 */
export function cancelIdOf(
  { orderId }: OrderRecord,
  { cancelId, lastSeq }: { cancelId?: string | undefined; lastSeq: number },
): string {
  return cancelId ?? `c-${orderId}-${lastSeq}`;
}

/** A cancelled order as returned by DELETE order and DELETE openOrders. */
export function cancelText(
  order: OrderRecord,
  market: ShownMarket,
  answered: { cancelId?: string | undefined; lastSeq: number },
): string {
  const ownId = cancelIdOf(order, answered);
  return (
    `{"symbol":"${market.symbol}","origClientOrderId":"${order.clientId}"` +
    `,"orderId":${order.orderId},"orderListId":${listIdOf(order)},"clientOrderId":"${ownId}"` +
    `,"transactTime":${msOf(order.updatedUs)},${figures(order, market)}${stopText(order, market)}` +
    icebergText(order, market) +
    `,"selfTradePreventionMode":"${stpModeNames[order.stpMode]}"}`
  );
}

/** Answer of PUT order/amend/keepPriority. `seq` is the seq of the amendment and identifies its execution. */
export function amendedText(order: OrderRecord, market: ShownMarket, seq: number): string {
  return (
    `{"transactTime":${msOf(order.updatedUs)},"executionId":${seq},"amendedOrder":{` +
    `"symbol":"${market.symbol}","orderId":${order.orderId},"orderListId":${listIdOf(order)}` +
    `,"origClientOrderId":"${order.clientId}","clientOrderId":"${order.clientId}"` +
    `,"price":"${limitText(order, market)}","qty":"${sizeText(order, market)}"` +
    `,"executedQty":"${qtyText(market, order.filledQty)}"` +
    `,"preventedQty":"${qtyText(market, 0)}"` +
    `,"quoteOrderQty":"${quoteText(market, order.quoteQty)}"` +
    `,"cumulativeQuoteQty":"${quoteText(market, order.filledQuote)}"` +
    `,"status":"${statusName(order)}","timeInForce":"${timeInForceName(order)}"` +
    `,"type":"${typeNames[order.type]}","side":"${sideNames[order.side]}"${icebergText(order, market)}` +
    `,"workingTime":${workingMs(order)},"selfTradePreventionMode":"${stpModeNames[order.stpMode]}"}}`
  );
}

/** One row of GET myTrades. `settlement` is the state of the fill on the ledger. */
export function fillText(fill: FillRecord, market: ShownMarket, settlement: string): string {
  return (
    `{"symbol":"${market.symbol}","id":${fill.tradeId},"orderId":${fill.orderId},"orderListId":${listIdOf(fill)}` +
    `,"price":"${priceText(market, fill.price)}"` +
    `,"qty":"${qtyText(market, fill.qty)}"` +
    `,"quoteQty":"${quoteText(market, fill.quote)}"` +
    `,${commissionText(fill.fee, fill.side, market)},"time":${msOf(fill.tsUs)}` +
    `,"isBuyer":${fill.side === Side.buy},"isMaker":${fill.isMaker},"isBestMatch":true` +
    `,"settlementStatus":"${settlement}","cantonUpdateId":${JSON.stringify(fill.updateId)}}`
  );
}

/** The fields of GET account except the balances. */
export interface AccountSummary {
  readonly account: number;
  readonly canTrade: boolean;
  readonly canWithdraw: boolean;
  readonly updateMs: number;
  readonly makerBps: number;
  readonly takerBps: number;
}

/** Answer of GET account; `balances` are rendered rows. */
export function accountText(summary: AccountSummary, balances: readonly string[]): string {
  const { makerBps, takerBps } = summary;
  return (
    `{"makerCommission":${makerBps},"takerCommission":${takerBps},"buyerCommission":0,"sellerCommission":0` +
    `,"commissionRates":${ratesText(summary)}` +
    `,"canTrade":${summary.canTrade},"canWithdraw":${summary.canWithdraw},"canDeposit":true` +
    `,"brokered":false,"requireSelfTradePrevention":false,"preventSor":false` +
    `,"updateTime":${summary.updateMs},"accountType":"SPOT","balances":${listText(balances)}` +
    `,"permissions":["SPOT"],"uid":${summary.account}}`
  );
}

/** One balance row. */
export function balanceText(
  asset: MarketTable["assets"][number],
  { free, reserved, view }: { free: bigint; reserved: bigint; view: SurfaceView },
): string {
  return (
    `{"asset":"${asset.code}","free":"${amountText(view, free, asset)}"` +
    `,"locked":"${amountText(view, reserved, asset)}"}`
  );
}
