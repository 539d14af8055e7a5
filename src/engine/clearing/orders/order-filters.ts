// Checks an order's own terms: whether its type, time in force and options can be combined in its market, and whether
// price, quantity and value are within the market's limits. Reads the state and changes nothing.

import { wordAt } from "../../../core/assert.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import {
  goodTillMaxUs,
  limitBandFactor,
  trailingBpsMax,
  trailingBpsMin,
} from "../../../core/limits.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots, wholeUnits } from "../../../core/money/amounts.ts";
import {
  icebergPartsMax,
  isConditional,
  isPricedLater,
  OrderType,
  Peg,
  pegOffsetMax,
  Side,
  TimeInForce,
  tradedType,
  WorkingPrice,
} from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { markNow, midOf } from "../../risk/mark-price.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { BestPrices } from "../matchers/matcher-lanes.ts";

/** The fields of an order that the filters read. */
type Figures = Pick<
  PlaceOrder,
  | "type"
  | "side"
  | "price"
  | "qty"
  | "quoteQty"
  | "triggerPrice"
  | "activationPrice"
  | "closesPosition"
  | "isReduceOnly"
  | "peg"
  | "pegOffset"
>;

/** The mark around which the band of limit prices lies, in ticks; 0 for none. */
function bandPrice(state: VenueState, best: BestPrices, { id }: Market): number {
  return markNow(state, id, midOf(wordAt(best.bid, id), wordAt(best.ask, id)));
}

/** Refuses an order for the book whose price, quantity or value is invalid; `none` otherwise. */
export function checkFilters(
  state: VenueState,
  best: BestPrices,
  market: Market,
  order: Figures,
): RejectReason {
  const bound = checkBounds(state, best, market, order);
  if (bound !== RejectReason.none) return bound;
  const isMarket = tradedType(order.type) === OrderType.market;
  if (isMarket && order.quoteQty > 0n) return RejectReason.none;
  const price = isMarket ? best.opposite(market.id, order.side) : order.price;
  return checkValue(state, market, price, order);
}

/**
 * Refuses an order for the book whose price, quantity or quote amount is out of range. Does not check the minimum value
 * of price × quantity: a conditional order that had the minimum value when it was placed may trade at any later price.
 * Specs ACC-26, ORD-26.
 */
export function checkBounds(
  state: VenueState,
  best: BestPrices,
  market: Market,
  order: Figures,
): RejectReason {
  const isMarket = tradedType(order.type) === OrderType.market;
  if (isMarket && order.quoteQty > 0n) return checkAmount(market, order.quoteQty);
  if (!(order.qty > 0)) return RejectReason.qtyNotPositive;
  // A close-position order is as large as the position, which has its own limit.
  if (order.qty > market.qtyLotsMax && !order.closesPosition) return RejectReason.qtyTooLarge;
  if (isMarket || isPricedLater(order)) return RejectReason.none;
  const { price } = order;
  const bound = checkPrice(market, price);
  if (bound !== RejectReason.none) return bound;
  const mark = bandPrice(state, best, market);
  const isOutside = price > mark * limitBandFactor || price * limitBandFactor < mark;
  return mark > 0 && isOutside ? RejectReason.priceOutsideBand : RejectReason.none;
}

/**
 * Refuses an order that will wait if its price or quantity is invalid. What matters only on the book, such as the price
 * band, is checked when it triggers.
 */
export function checkWaitingFilters(
  state: VenueState,
  market: Market,
  order: Figures,
): RejectReason {
  if (order.type === OrderType.trailingStopMarket) {
    const { activationPrice } = order;
    if (activationPrice < 0) return RejectReason.priceNotPositive;
    if (activationPrice > market.priceTicksMax) return RejectReason.priceTooHigh;
  } else {
    const bound = checkPrice(market, order.triggerPrice);
    if (bound !== RejectReason.none) return bound;
  }
  const isLimit = tradedType(order.type) === OrderType.limit;
  if (isLimit && !isPricedLater(order)) {
    const bound = checkPrice(market, order.price);
    if (bound !== RejectReason.none) return bound;
  }
  if (order.closesPosition) return RejectReason.none;
  if (!(order.qty > 0)) return RejectReason.qtyNotPositive;
  if (order.qty > market.qtyLotsMax) return RejectReason.qtyTooLarge;
  return checkValue(state, market, waitingPrice(state, market, order), order);
}

/**
 * Ticks at which a waiting order is valued: its limit, if it has one, or its trigger. A trailing order has neither. It is valued at the
 * price from which it starts to follow the market: a sell at the higher of activation price and mark, a buy at the
 * lower.
 */
function waitingPrice(state: VenueState, { id }: Market, order: Figures): number {
  if (tradedType(order.type) === OrderType.limit) return order.price || order.triggerPrice;
  if (order.type !== OrderType.trailingStopMarket) return order.triggerPrice;
  const now = markNow(state, id, 0);
  const { activationPrice, side } = order;
  if (activationPrice === 0 || now === 0) return activationPrice || now;
  return side === Side.sell ? Math.max(activationPrice, now) : Math.min(activationPrice, now);
}

/**
 * Refuses a take profit or stop loss on the wrong side of `entry`: the limit, or for a market order the best price. An
 * `entry` of 0 means that there is no price, so that the order cannot trade. Spec NAT-49.
 */
export function checkTpSl(
  market: Market,
  { side, activationPrice: takeProfit, triggerPrice: stopLoss }: Figures,
  entry: number,
): RejectReason {
  for (const price of [takeProfit, stopLoss]) {
    const bound = price === 0 ? RejectReason.none : checkPrice(market, price);
    if (bound !== RejectReason.none) return bound;
  }
  if (entry === 0) return RejectReason.none;
  const isBuy = side === Side.buy;
  if (takeProfit !== 0 && !(isBuy ? takeProfit > entry : takeProfit < entry)) {
    return RejectReason.takeProfitWrongSide;
  }
  const isBehind = stopLoss === 0 || (isBuy ? stopLoss < entry : stopLoss > entry);
  return isBehind ? RejectReason.none : RejectReason.stopLossWrongSide;
}

/** Refuses a price outside the market's range. */
function checkPrice(market: Market, price: number): RejectReason {
  if (!(price > 0)) return RejectReason.priceNotPositive;
  return price > market.priceTicksMax ? RejectReason.priceTooHigh : RejectReason.none;
}

/**
 * Refuses a value below the market's minimum. Skipped without a price, and for reduce-only orders, which may
 * be as small as the rest of a position.
 */
function checkValue(
  { table }: VenueState,
  market: Market,
  price: number,
  { qty, isReduceOnly }: Figures,
): RejectReason {
  if (price === 0 || isReduceOnly) return RejectReason.none;
  const isBelow = table.isBelowLeast(market, asPriceTicks(price), asQtyLots(qty));
  return isBelow ? RejectReason.notionalTooSmall : RejectReason.none;
}

function checkAmount(market: Market, quoteQty: bigint): RejectReason {
  if (quoteQty < market.minNotional) return RejectReason.notionalTooSmall;
  const budget = quoteQty / wholeUnits(market.tickLot);
  return budget > Number.MAX_SAFE_INTEGER ? RejectReason.qtyTooLarge : RejectReason.none;
}

/**
 * True for a MARKET or limit order without options. It may have self-trade prevention, an idempotency key, and any time
 * in force but GTD and GTE.
 */
export function isPlain(order: PlaceOrder): boolean {
  return (
    order.type < OrderType.stop &&
    order.timeInForce !== TimeInForce.gtd &&
    order.timeInForce !== TimeInForce.gte &&
    !order.isReduceOnly &&
    !bringsLeverage(order) &&
    !isSpecial(order)
  );
}

function bringsLeverage({ attached }: PlaceOrder): boolean {
  return attached !== null && attached.leverage !== 0;
}

/** True for an order whose acceptance is journaled with its options, as `specialAccepted` or `icebergAccepted`. */
export function isSpecial(order: PlaceOrder): boolean {
  return (
    // Truthiness of a bigint is cheap; a comparison allocates.
    Boolean(order.quoteQty) ||
    order.goodTillUs !== 0 ||
    order.triggerPrice !== 0 ||
    order.trailingBps !== 0 ||
    order.activationPrice !== 0 ||
    order.closesPosition ||
    order.icebergQty !== 0 ||
    order.peg !== Peg.none
  );
}

/**
 * Refuses an order whose options cannot be combined, or whose expiry or trailing distance is out of range; `none`
 * otherwise.
 */
export function checkShape(market: Market, order: PlaceOrder, nowUs: number): RejectReason {
  const isWhole =
    fitsMarket(market, order) &&
    fitsAmount(order) &&
    fitsTime(order) &&
    fitsTrigger(order) &&
    !(bringsLeverage(order) && isConditional(order.type)) &&
    fitsClosePosition(order) &&
    fitsIceberg(market, order) &&
    fitsPeg(market, order);
  if (!isWhole) return RejectReason.unsupportedCombination;
  const parts = checkParts(order);
  if (parts !== RejectReason.none) return parts;
  if (order.timeInForce === TimeInForce.gtd) {
    const isAhead = order.goodTillUs > nowUs && order.goodTillUs <= nowUs + goodTillMaxUs;
    if (!isAhead) return RejectReason.goodTillOutOfRange;
  }
  if (order.type !== OrderType.trailingStopMarket) return RejectReason.none;
  const isInRange = order.trailingBps >= trailingBpsMin && order.trailingBps <= trailingBpsMax;
  return isInRange ? RejectReason.none : RejectReason.trailingOutOfRange;
}

function fitsMarket(market: Market, order: PlaceOrder): boolean {
  if (market.kind === MarketKind.perpetual) return order.quoteQty === 0n;
  return (
    !order.isReduceOnly &&
    !order.closesPosition &&
    !bringsLeverage(order) &&
    order.type !== OrderType.trailingStopMarket &&
    order.workingPrice === WorkingPrice.last
  );
}

/** False if the order has a quote amount that it must not have: only MARKET orders may have one, instead of lots. */
function fitsAmount(order: PlaceOrder): boolean {
  if (order.quoteQty === 0n) return true;
  return order.type === OrderType.market && order.qty === 0 && order.quoteQty > 0n;
}

/** False for a slice on an order that is not a limit order, that does not rest until it is cancelled, or is not on spot. */
function fitsIceberg({ kind }: Market, { icebergQty, type, timeInForce }: PlaceOrder): boolean {
  if (icebergQty === 0) return true;
  if (kind !== MarketKind.spot) return false;
  const traded = tradedType(type);
  if (traded === OrderType.limitMaker) return true;
  return traded === OrderType.limit && timeInForce === TimeInForce.gtc;
}

/**
 * False for a peg on an order that is not a limit order or is not on spot, of a post-only order to the other side, and to
 * a level that is not within its bounds.
 */
function fitsPeg({ kind }: Market, { peg, pegOffset, type, timeInForce }: PlaceOrder): boolean {
  if (peg === Peg.none) return true;
  if (!(pegOffset >= 0 && pegOffset <= pegOffsetMax)) return false;
  if (kind !== MarketKind.spot) return false;
  if (tradedType(type) === OrderType.limitMaker) return peg === Peg.primary;
  if (tradedType(type) !== OrderType.limit) return false;
  return peg === Peg.market || (peg === Peg.primary && timeInForce === TimeInForce.gtc);
}

/** Refuses a slice that is not smaller than the quantity, or so small that the order has too many parts. Spec SPT-97. */
export function checkParts({ icebergQty, qty }: PlaceOrder): RejectReason {
  if (icebergQty === 0) return RejectReason.none;
  if (!(icebergQty > 0 && icebergQty < qty)) return RejectReason.icebergNotBelowQty;
  const parts = Math.ceil(qty / icebergQty);
  return parts > icebergPartsMax ? RejectReason.tooManyIcebergParts : RejectReason.none;
}

function fitsTime(order: PlaceOrder): boolean {
  if (order.timeInForce === TimeInForce.gte && !order.closesPosition) return false;
  if (order.timeInForce !== TimeInForce.gtd) return order.goodTillUs === 0;
  return tradedType(order.type) === OrderType.limit;
}

function fitsTrigger(order: PlaceOrder): boolean {
  if (!isConditional(order.type)) return order.trailingBps === 0 && fitsTpSl(order);
  if (order.type === OrderType.trailingStopMarket) return order.triggerPrice === 0;
  return order.trailingBps === 0 && order.activationPrice === 0;
}

/** Whether an order has a take profit or a stop loss for the position that it opens. */
export function bringsTpSl({ type, triggerPrice, activationPrice }: PlaceOrder): boolean {
  return !isConditional(type) && (triggerPrice !== 0 || activationPrice !== 0);
}

/**
 * False if the order has TP/SL prices that it must not have: a reduce-only order can have none, and the working price
 * must be the mark.
 */
function fitsTpSl(order: PlaceOrder): boolean {
  if (!bringsTpSl(order)) return true;
  return !order.isReduceOnly && order.workingPrice === WorkingPrice.mark;
}

function fitsClosePosition(order: PlaceOrder): boolean {
  if (!order.closesPosition) return true;
  const { type, qty } = order;
  return qty === 0 && (type === OrderType.stopMarket || type === OrderType.takeProfitMarket);
}
