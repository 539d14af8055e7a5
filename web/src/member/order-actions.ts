// What the user does with orders: place, amend, cancel, set the leverage. A request is repeated only if its outcome is
// unknown, and then under its first id, so that it takes effect once.

import { replacementId } from "../history/past-order.ts";
import { book } from "../markets/book.ts";
import { cutTo, exact, whole } from "../markets/exact.ts";
import type { Market } from "../markets/market.ts";
import { market, markets } from "../markets/markets.ts";
import { type OrderRequest, placingRoutes } from "../markets/order-requests.ts";
import type { Side } from "../markets/ticket-requests.ts";
import { announcingChange } from "../notices/notice-list.ts";
import { changeNotice } from "../notices/notices.ts";
import type { Order } from "./account.ts";
import type { ListedReport } from "./order-lists.ts";
import { endsWithPosition, type OrderTerms, termsOf } from "./order-terms.ts";
import { requestOnce, requestOwn } from "./session.ts";
import { requestSigned } from "./signed-request.ts";
import { faultMessage, isOutcomeUnknown, type Parameters, VenueFault } from "./venue-api.ts";

/** The state of an order after its placing, in the words of the native surface. */
export interface Placed {
  /** Only of an order that was placed on the native route. */
  readonly order_id?: string;
  /** WAITING for a conditional order, LISTED for a list. */
  readonly status: string;
  readonly price: string | null;
  readonly filled_qty: string;
  readonly avg_price: string | null;
  readonly qty: string;
  /** The orders of a list; empty for one order. */
  readonly reports?: readonly ListedReport[];
}

/** An order as the Binance-style surfaces answer it; each route has some of the fields. */
interface Answered {
  readonly status?: string;
  readonly algoStatus?: string;
  readonly price?: string;
  readonly origQty?: string;
  readonly quantity?: string;
  readonly executedQty?: string;
  readonly avgPrice?: string;
  readonly cummulativeQuoteQty?: string;
  /** On spot: -1 while a conditional order waits for its trigger. */
  readonly workingTime?: number;
  /** Of a list: its orders. */
  readonly orderReports?: readonly ListedReport[];
}

/** Decimal places of an average price. */
const meanPlaces = 8;

function meanPrice({ avgPrice, executedQty, cummulativeQuoteQty }: Answered): string | null {
  const [filled, paid] = [exact(executedQty) ?? 0n, exact(cummulativeQuoteQty)];
  if (paid === null) return avgPrice ?? null;
  return filled === 0n ? null : cutTo((paid * whole) / filled, meanPlaces);
}

function placedOf(answer: Answered): Placed {
  const waits = answer.algoStatus === "NEW" || answer.workingTime === -1;
  return {
    status: waits ? "WAITING" : (answer.status ?? answer.algoStatus ?? "LISTED"),
    price: answer.price ?? null,
    filled_qty: answer.executedQty ?? "0",
    avg_price: meanPrice(answer),
    qty: answer.origQty ?? answer.quantity ?? "0",
    reports: answer.orderReports ?? [],
  };
}

/** Sends a signed order under an id. If the answer is lost, looks for the order, and sends it again if there is none. */
async function placeSigned(
  route: keyof typeof placingRoutes,
  parameters: Parameters,
  id: string = crypto.randomUUID(),
): Promise<Placed> {
  const { path, idName, findPath, findName } = placingRoutes[route];
  const send = () => requestSigned<Answered>("POST", path, { ...parameters, [idName]: id });
  const symbol = { symbol: parameters["symbol"] ?? "" };
  const found = () =>
    requestSigned<Answered>("GET", findPath, {
      [findName]: id,
      // The routes of lists find a list by its id alone.
      ...(findPath.includes("orderList") ? {} : symbol),
    });
  try {
    return placedOf(await send());
  } catch (fault) {
    if (!isOutcomeUnknown(fault)) throw fault;
    try {
      return placedOf(await found());
    } catch (missing) {
      if (!(missing instanceof VenueFault && missing.status === 400)) throw missing;
      return placedOf(await send());
    }
  }
}

export function placeOrder(request: OrderRequest): Promise<Placed> {
  if (request.route === "native") return requestOnce<Placed>("/v1/orders", request.body);
  return placeSigned(request.route, request.parameters);
}

/** Places a conditional order instead of another one, and tells by its id that it did. */
export function placeInstead(orderNo: number, parameters: Parameters): Promise<Placed> {
  return placeSigned("conditional", parameters, replacementId(orderNo));
}

/** Status of the venue's answer for an order that has ended meanwhile. */
export const unknownOrder = 404;

/** Cancels an order that another one has replaced. One that has ended meanwhile needs no cancel. */
export async function cancelReplaced(order: Order): Promise<void> {
  await cancelOrder(order).catch((fault: unknown) => {
    if (fault instanceof VenueFault && fault.status === unknownOrder) return;
    const state = "The new order is placed, but the old one could not be cancelled";
    throw new Error(`${state}: ${faultMessage(fault)}`);
  });
}

/** The most orders that a batch takes. */
const batchMax = 5;
/** A repeated order of a batch is refused with this code if its first request was executed. */
const idTaken = -4116;

export interface BatchOutcome {
  readonly placed: number;
  /** Message of the first refusal; null without one. */
  readonly refusal: string | null;
}

interface BatchElement {
  readonly code?: number;
  readonly msg?: string;
}

async function placeBatch(orders: readonly Parameters[]): Promise<BatchOutcome> {
  const named = orders.map((order) => ({ ...order, newClientOrderId: crypto.randomUUID() }));
  const parameters = { batchOrders: JSON.stringify(named) };
  const send = () =>
    requestSigned<BatchElement[]>("POST", "/compat/fapi/v1/batchOrders", parameters);
  const answers = await send().catch((fault: unknown) => {
    if (isOutcomeUnknown(fault)) return send();
    throw fault;
  });
  const refused = answers.filter(({ code }) => code !== undefined && code !== idTaken);
  return { placed: answers.length - refused.length, refusal: refused[0]?.msg ?? null };
}

/** Places limit orders of a perpetual in batches, and stops after the first batch with a refusal or without an answer. */
export async function placeBatches(orders: readonly Parameters[]): Promise<BatchOutcome> {
  let placed = 0;
  for (let from = 0; from < orders.length; from += batchMax) {
    const outcome = await placeBatch(orders.slice(from, from + batchMax)).catch(
      (fault: unknown) => ({ placed: 0, refusal: faultMessage(fault) }),
    );
    placed += outcome.placed;
    if (outcome.refusal !== null) return { placed, refusal: outcome.refusal };
  }
  return { placed, refusal: null };
}

/** New terms of an open order. Its price is the limit price or, of a conditional order at the market, the trigger. */
export interface Amendment {
  readonly price: string;
  readonly quantity: string;
}

function marketOf({ symbol }: Order): Market {
  const market = markets.value.find((one) => one.symbol === symbol);
  if (market === undefined) throw new Error(`${symbol} is not listed.`);
  return market;
}

/** Whether the order waits for its trigger. A triggered order of a perpetual is shown with the type it trades as. */
export function isWaiting({ type, isWorking }: OrderTerms): boolean {
  return isWorking === undefined ? /STOP|TAKE_PROFIT/.test(type) : !isWorking;
}

/** Whether the page can change the order: not a part of a list, nor a trailing stop, nor one whose terms are unknown. */
export function isAmendable(order: Order): boolean {
  const terms = termsOf(order);
  if (terms === undefined || (terms.orderListId ?? -1) >= 0) return false;
  return order.type !== "TRAILING_STOP_MARKET";
}

/**
 * Price that an amendment changes: the trigger of an order that trades at the market, else the limit price. It has the
 * decimals of the market's tick.
 */
export function amendedPrice(order: Order): string {
  const units = exact(order.price ?? termsOf(order)?.stopPrice);
  return units === null ? "" : cutTo(units, marketOf(order).pricePlaces);
}

/**
 * Changes price and quantity of an open order. An order on the book of a perpetual keeps its id. So does one of spot that
 * only becomes smaller. Any other is replaced: on spot by the venue in one request, a conditional order of a perpetual by
 * a new one that is placed before the old one is cancelled, so that a refusal leaves the position protected. The user is
 * told of a change, and not of the cancel of the old order.
 */
export async function amendOrder(order: Order, change: Amendment): Promise<void> {
  const [market, terms] = [marketOf(order), termsOf(order)];
  if (terms === undefined) throw new Error("The order is no longer open.");
  if (!isAmendable(order)) {
    throw new Error(
      "This order cannot be changed, because it trails or is one of a list. Cancel it.",
    );
  }
  const { symbol, pricePlaces } = market;
  const { orderId: orderNo, type } = terms;
  const changed = { ...{ orderNo, symbol, side: order.side, type, pricePlaces }, ...change };
  await announcingChange(changeNotice(changed, Date.now()), () =>
    requestChange(order, terms, market, change),
  );
}

/** Whether another order has taken the place of a changed one. */
type Outcome = "replaced" | "kept";

async function requestChange(
  order: Order,
  terms: OrderTerms,
  market: Market,
  change: Amendment,
): Promise<Outcome> {
  if (!market.isPerpetual) return replaceSpot(order, terms, market, change);
  if (isWaiting(terms)) {
    await placeInstead(terms.orderId, replacement(order, terms, market, change));
    // The venue itself has replaced an order that belongs to a position.
    if (!endsWithPosition(terms)) await cancelReplaced(order);
    return "replaced";
  }
  const reference = { symbol: market.listed, side: order.side, orderId: String(terms.orderId) };
  await requestSigned("PUT", "/compat/fapi/v1/order", { ...reference, ...change });
  return "kept";
}

/** The parameters of the conditional order that replaces another one. */
function replacement(
  { side, price: limit }: Order,
  terms: OrderTerms,
  { listed }: Market,
  { price, quantity }: Amendment,
): Parameters {
  const { type, stopPrice = "", timeInForce, goodTillDate = 0 } = terms;
  const { workingType = "MARK_PRICE" } = terms;
  const isReduceOnly = terms.reduceOnly === true;
  return {
    ...{ symbol: listed, side, type, workingType },
    triggerPrice: limit === null ? price : stopPrice,
    ...(limit !== null && { price, timeInForce }),
    ...(limit !== null && timeInForce === "GTD" && { goodTillDate: String(goodTillDate) }),
    ...(terms.closePosition === true
      ? { closePosition: "true", ...(endsWithPosition(terms) && { timeInForce }) }
      : { quantity, ...(isReduceOnly && { reduceOnly: "true" }) }),
  };
}

/** The lots still to trade, because a replacement of a partly filled order is an order of its own. */
function remaining(quantity: string, filled: string, { quantityPlaces }: Market): string {
  return cutTo((exact(quantity) ?? 0n) - (exact(filled) ?? 0n), quantityPlaces);
}

/** Reduces the quantity of an order, which stays in its place in the queue. */
const shrinkPath = "/compat/api/v3/order/amend/keepPriority";
/** Status of the venue's answer when it has cancelled the old order and refused the new one. */
const halfDone = 409;

/** Whether an order would trade at once, as far as the page knows the book. */
export function wouldTrade({ symbol }: Market, side: Side, price: string): boolean {
  const { bids, asks, isKnown } = book.whole.value;
  if (!isKnown || market.value?.symbol !== symbol) return false;
  return side === "BUY"
    ? Number(price) >= (asks[0]?.value ?? Number.POSITIVE_INFINITY)
    : Number(price) <= (bids[0]?.value ?? 0);
}

async function replaceSpot(
  order: Order,
  terms: OrderTerms,
  market: Market,
  { price, quantity }: Amendment,
): Promise<Outcome> {
  const { side, price: limit, filled_qty: filled, qty } = order;
  const waits = isWaiting(terms);
  const isMaker = terms.type === "LIMIT_MAKER";
  const { icebergQty = "0" } = terms;
  const isSmaller = (exact(quantity) ?? 0n) < (exact(qty) ?? 0n);
  if (isSmaller && !waits && exact(price) === exact(limit) && exact(icebergQty) === 0n) {
    const smaller = { orderId: String(terms.orderId), newQty: quantity };
    await requestSigned("PUT", shrinkPath, { symbol: market.listed, ...smaller });
    return "kept";
  }
  if (isMaker && wouldTrade(market, side, price)) {
    throw new Error("A post-only order at this price would trade at once. Nothing was changed.");
  }
  const parameters = {
    symbol: market.listed,
    side,
    // A triggered order goes on as the limit order that it has become.
    type: waits || isMaker ? terms.type : "LIMIT",
    cancelReplaceMode: "STOP_ON_FAILURE",
    cancelOrderId: String(terms.orderId),
    newClientOrderId: replacementId(terms.orderId),
    quantity: remaining(quantity, filled, market),
    ...(limit !== null && { price }),
    ...(limit !== null && !isMaker && { timeInForce: terms.timeInForce }),
    ...(exact(icebergQty) !== 0n && { icebergQty }),
    ...(waits && { stopPrice: limit === null ? price : (terms.stopPrice ?? "") }),
  };
  const path = "/compat/api/v3/order/cancelReplace";
  await requestSigned("POST", path, parameters).catch((fault: unknown) => {
    if (!(fault instanceof VenueFault && fault.status === halfDone)) throw fault;
    throw new Error(`The old order was cancelled, but the new one refused: ${fault.message}`);
  });
  return "replaced";
}

export function cancelOrder({ order_id: id }: Order): Promise<unknown> {
  return requestOwn("DELETE", `/v1/orders/${id}`);
}

export async function setLeverage({ listed }: Market, leverage: number): Promise<void> {
  const parameters = { symbol: listed, leverage: String(leverage) };
  await requestSigned("POST", "/compat/fapi/v1/leverage", parameters);
}
