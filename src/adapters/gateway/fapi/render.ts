// Perpetual answers as JSON text, put together from pieces because that measures better than
// stringifying objects. Field names and types are Binance's (binance-compat 3.3, 5.1 to 5.6); the
// symbol shown is the FAPI name. Every text that enters is one the venue made or checked.

import { formatScaled } from "../../../core/decimal.ts";
import type { MarginTier, Market } from "../../../core/markets.ts";
import { OrderType } from "../../../core/orders.ts";
import type { Candle } from "../../../engine/market-data/candles.ts";
import type { OrderRecord } from "../../../ports/history-store.ts";
import { msOf, sideWords, statusWord, timeInForceWord } from "../order-words.ts";

/** Places of average and entry prices: a mean of ticks has no last place. */
const meanPlaces = 8;

/**
 * Price of `value` quote minor units per `lots`, in ticks' own decimal with `meanPlaces` places,
 * rounded toward zero: it is shown, and nothing is booked by it.
 */
function meanPriceText(value: bigint, lots: number, market: Market): string {
  if (lots === 0) return formatScaled(0, market.tickDecimals);
  const scale = 10n ** BigInt(meanPlaces - market.tickDecimals);
  const size = value < 0n ? -value : value;
  const units = BigInt(Math.abs(lots)) * BigInt(market.unitsPerTickLot);
  return formatScaled((size * scale) / units, meanPlaces);
}

/** POST, GET and DELETE order, openOrder, openOrders. */
export function orderText(order: OrderRecord, market: Market): string {
  const { tickDecimals, lotDecimals, quote } = market;
  const isMarket = order.type === OrderType.market;
  const type = isMarket ? "MARKET" : "LIMIT";
  const executed = formatScaled(order.filledQty, lotDecimals);
  return (
    `{"orderId":${order.orderId},"symbol":"${market.alias}","status":"${statusWord(order)}"` +
    `,"clientOrderId":"${order.clientId}"` +
    `,"price":"${formatScaled(isMarket ? 0 : order.price, tickDecimals)}"` +
    `,"avgPrice":"${meanPriceText(order.filledQuote, order.filledQty, market)}"` +
    `,"origQty":"${formatScaled(order.qty, lotDecimals)}","executedQty":"${executed}","cumQty":"${executed}"` +
    `,"cumQuote":"${formatScaled(order.filledQuote, quote.decimals)}"` +
    `,"timeInForce":"${timeInForceWord(order)}","type":"${type}","origType":"${type}"` +
    `,"side":"${sideWords[order.side]}","reduceOnly":false,"closePosition":false,"positionSide":"BOTH"` +
    `,"stopPrice":"0","workingType":"CONTRACT_PRICE","priceProtect":false,"priceMatch":"NONE"` +
    `,"selfTradePreventionMode":"NONE","goodTillDate":0` +
    `,"time":${msOf(order.acceptedUs)},"updateTime":${msOf(order.updatedUs)}}`
  );
}

/** The order as it was when it was accepted, for newOrderRespType=ACK. */
export function ackText(order: OrderRecord, market: Market): string {
  const accepted = {
    filledQty: 0,
    filledQuote: 0n,
    status: 0,
    updatedUs: order.acceptedUs,
  } as const;
  return orderText({ ...order, ...accepted }, market);
}

/** One symbol of the root exchangeInfo: exactly the specification's seven fields. */
export function symbolText(market: Market): string {
  return (
    `{"symbol":"${market.alias}","pair":"${market.symbol}","status":"TRADING"` +
    `,"baseAsset":"${market.baseCode}","quoteAsset":"${market.quoteCode}"` +
    `,"pricePrecision":${market.tickDecimals},"quantityPrecision":${market.lotDecimals}}`
  );
}

/** One row of klines: the specification's twelve elements. */
export function klineText(candle: Candle, market: Market, intervalMs: number): string {
  const { tickDecimals, lotDecimals, quote } = market;
  const price = (ticks: number) => `"${formatScaled(ticks, tickDecimals)}"`;
  const volume = (lots: number) => `"${formatScaled(lots, lotDecimals)}"`;
  const value = (units: bigint) => `"${formatScaled(units, quote.decimals)}"`;
  return (
    `[${candle.openTimeMs},${price(candle.open)},${price(candle.high)},${price(candle.low)}` +
    `,${price(candle.close)},${volume(candle.volume)},${candle.openTimeMs + intervalMs - 1}` +
    `,${value(candle.quote)},${candle.count},${volume(candle.takerBuyVolume)}` +
    `,${value(candle.takerBuyQuote)},"0"]`
  );
}

/** The largest position value that `leverage` allows, in quote minor units. */
export function notionalMaxText(market: Market, leverage: number): string {
  const whole =
    BigInt(market.priceTicksMax) * BigInt(market.qtyLotsMax) * BigInt(market.unitsPerTickLot);
  const allowed = market.marginTiers.filter((tier: MarginTier) => tier.leverageMax >= leverage);
  const most = allowed.at(-1)?.notionalMax ?? whole;
  return formatScaled(most, market.quote.decimals);
}

export interface PositionFigures {
  /** Signed lots. */
  readonly qty: number;
  /** Signed minor units. */
  readonly entryValue: bigint;
  /** Ticks; 0 where there is no mark. */
  readonly mark: number;
  readonly leverage: number;
  readonly updateMs: number;
}

/** Signed value at the mark in minor units; at entry while there is no mark. */
export function markedValue({ qty, entryValue, mark }: PositionFigures, market: Market): bigint {
  if (mark === 0) return entryValue;
  return BigInt(qty) * BigInt(mark) * BigInt(market.unitsPerTickLot);
}

/** One row of v2/positionRisk. No liquidation price is reachable while nothing liquidates. */
export function positionText(position: PositionFigures, market: Market): string {
  const { tickDecimals, lotDecimals, quote } = market;
  const value = markedValue(position, market);
  const entry = meanPriceText(position.entryValue, position.qty, market);
  return (
    `{"symbol":"${market.alias}","positionAmt":"${formatScaled(position.qty, lotDecimals)}"` +
    `,"entryPrice":"${entry}","breakEvenPrice":"${entry}"` +
    `,"markPrice":"${formatScaled(position.mark, tickDecimals)}"` +
    `,"unRealizedProfit":"${formatScaled(value - position.entryValue, quote.decimals)}"` +
    `,"liquidationPrice":"0","leverage":"${position.leverage}"` +
    `,"maxNotionalValue":"${notionalMaxText(market, position.leverage)}","marginType":"cross"` +
    `,"isolatedMargin":"0.00","isAutoAddMargin":"false","positionSide":"BOTH"` +
    `,"notional":"${formatScaled(value, quote.decimals)}","isolatedWallet":"0"` +
    `,"updateTime":${position.updateMs}}`
  );
}

export interface CollateralFigures {
  readonly account: number;
  readonly wallet: bigint;
  readonly unrealised: bigint;
  readonly available: bigint;
  readonly updateMs: number;
}

/** One row of v2/balance. */
export function balanceText(figures: CollateralFigures, asset: Market["quote"]): string {
  const amount = (units: bigint) => formatScaled(units, asset.decimals);
  const free = figures.available > 0n ? figures.available : 0n;
  return (
    `{"accountAlias":"${figures.account}","asset":"${asset.code}","balance":"${amount(figures.wallet)}"` +
    `,"crossWalletBalance":"${amount(figures.wallet)}","crossUnPnl":"${amount(figures.unrealised)}"` +
    `,"availableBalance":"${amount(free)}","maxWithdrawAmount":"${amount(free)}"` +
    `,"marginAvailable":true,"updateTime":${figures.updateMs}}`
  );
}
