// Spot answers as JSON text, put together from pieces because that measures better than
// stringifying objects. Field names and types are Binance's (binance-compat 3.2, 4.1 to 4.5). Every
// text that enters is one the venue made or checked: nothing here needs escaping.

import { formatScaled } from "../../../core/decimal.ts";
import type { Market, MarketTable } from "../../../core/markets.ts";
import { OrderType, Side } from "../../../core/orders.ts";
import type { FillRecord, OrderRecord } from "../../../ports/history-store.ts";
import { msOf, rateText, sideWords, statusWord, timeInForceWord } from "../order-words.ts";
import type { OrderFill } from "../read-model.ts";

export const typeWords: Readonly<Record<OrderType, string>> = {
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

function priceText(order: OrderRecord, market: Market): string {
  return formatScaled(order.type === OrderType.market ? 0 : order.price, market.tickDecimals);
}

/** Figures every form of an order has. */
function figures(order: OrderRecord, market: Market): string {
  const { lotDecimals, quote } = market;
  return (
    `"price":"${priceText(order, market)}","origQty":"${formatScaled(order.qty, lotDecimals)}"` +
    `,"executedQty":"${formatScaled(order.filledQty, lotDecimals)}"` +
    `,"origQuoteOrderQty":"${formatScaled(0, quote.decimals)}"` +
    `,"cummulativeQuoteQty":"${formatScaled(order.filledQuote, quote.decimals)}"` +
    `,"status":"${statusWord(order)}","timeInForce":"${timeInForceWord(order)}"` +
    `,"type":"${typeWords[order.type]}","side":"${sideWords[order.side]}"`
  );
}

/** GET order, openOrders. */
export function orderText(order: OrderRecord, market: Market): string {
  const timeMs = msOf(order.acceptedUs);
  return (
    `{"symbol":"${market.symbol}","orderId":${order.orderId},"orderListId":-1` +
    `,"clientOrderId":"${order.clientId}",${figures(order, market)}` +
    `,"stopPrice":"${formatScaled(0, market.tickDecimals)}"` +
    `,"icebergQty":"${formatScaled(0, market.lotDecimals)}"` +
    `,"time":${timeMs},"updateTime":${msOf(order.updatedUs)},"isWorking":true` +
    `,"workingTime":${timeMs},"selfTradePreventionMode":"NONE"}`
  );
}

function acknowledged(order: OrderRecord, market: Market): string {
  return (
    `{"symbol":"${market.symbol}","orderId":${order.orderId},"orderListId":-1` +
    `,"clientOrderId":"${order.clientId}","transactTime":${msOf(order.acceptedUs)}`
  );
}

/** POST order with newOrderRespType=ACK. */
export function ackText(order: OrderRecord, market: Market): string {
  return `${acknowledged(order, market)}}`;
}

/** POST order with newOrderRespType=RESULT. */
export function resultText(order: OrderRecord, market: Market): string {
  return `${resultBody(order, market)}}`;
}

function resultBody(order: OrderRecord, market: Market): string {
  const workingMs = msOf(order.acceptedUs);
  return (
    `${acknowledged(order, market)},${figures(order, market)}` +
    `,"workingTime":${workingMs},"selfTradePreventionMode":"NONE"`
  );
}

/** POST order with newOrderRespType=FULL: the fee is in the asset received. */
export function fullText(order: OrderRecord, market: Market, fills: readonly OrderFill[]): string {
  const texts = fills.map(
    (fill) =>
      `{"price":"${formatScaled(fill.price, market.tickDecimals)}"` +
      `,"qty":"${formatScaled(fill.qty, market.lotDecimals)}"` +
      `,${commissionText(fill.fee, order.side, market)},"tradeId":${fill.tradeId}}`,
  );
  return `${resultBody(order, market)},"fills":${listText(texts)}}`;
}

/** What a fee was taken in and how much it was: buyers receive the base, sellers the quote. */
function commissionText(fee: bigint, side: Side, { base, quote }: Market): string {
  const asset = side === Side.buy ? (base ?? quote) : quote;
  return `"commission":"${formatScaled(fee, asset.decimals)}","commissionAsset":"${asset.code}"`;
}

/** DELETE order, DELETE openOrders. `cancelId` is the id of the cancel itself. */
export function cancelText(order: OrderRecord, market: Market, cancelId: string): string {
  return (
    `{"symbol":"${market.symbol}","origClientOrderId":"${order.clientId}"` +
    `,"orderId":${order.orderId},"orderListId":-1,"clientOrderId":"${cancelId}"` +
    `,"transactTime":${msOf(order.updatedUs)},${figures(order, market)}` +
    `,"selfTradePreventionMode":"NONE"}`
  );
}

/** GET myTrades. `settlement` is the state of the fill on the ledger. */
export function fillText(fill: FillRecord, market: Market, settlement: string): string {
  const { tickDecimals, lotDecimals, quote, symbol } = market;
  return (
    `{"symbol":"${symbol}","id":${fill.tradeId},"orderId":${fill.orderId},"orderListId":-1` +
    `,"price":"${formatScaled(fill.price, tickDecimals)}"` +
    `,"qty":"${formatScaled(fill.qty, lotDecimals)}"` +
    `,"quoteQty":"${formatScaled(fill.quote, quote.decimals)}"` +
    `,${commissionText(fill.fee, fill.side, market)},"time":${msOf(fill.tsUs)}` +
    `,"isBuyer":${fill.side === Side.buy},"isMaker":${fill.isMaker},"isBestMatch":true` +
    `,"settlementStatus":"${settlement}","cantonUpdateId":null}`
  );
}

/** What GET account says beside the balances. */
export interface AccountStanding {
  readonly account: number;
  readonly canTrade: boolean;
  readonly canWithdraw: boolean;
  readonly updateMs: number;
  readonly makerBps: number;
  readonly takerBps: number;
}

/** GET account; `balances` are rendered rows. */
export function accountText(standing: AccountStanding, balances: readonly string[]): string {
  const { makerBps, takerBps } = standing;
  return (
    `{"makerCommission":${makerBps},"takerCommission":${takerBps},"buyerCommission":0,"sellerCommission":0` +
    `,"commissionRates":{"maker":"${rateText(makerBps)}","taker":"${rateText(takerBps)}"` +
    `,"buyer":"0.00000000","seller":"0.00000000"}` +
    `,"canTrade":${standing.canTrade},"canWithdraw":${standing.canWithdraw},"canDeposit":true` +
    `,"brokered":false,"requireSelfTradePrevention":false,"preventSor":false` +
    `,"updateTime":${standing.updateMs},"accountType":"SPOT","balances":${listText(balances)}` +
    `,"permissions":["SPOT"],"uid":${standing.account}}`
  );
}

/** One balance row. */
export function balanceText(
  asset: MarketTable["assets"][number],
  { free, reserved }: { free: bigint; reserved: bigint },
): string {
  return (
    `{"asset":"${asset.code}","free":"${formatScaled(free, asset.decimals)}"` +
    `,"locked":"${formatScaled(reserved, asset.decimals)}"}`
  );
}
