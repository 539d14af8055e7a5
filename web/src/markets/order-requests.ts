// What the page sends for a ticket. Plain orders go to POST /v1/orders, which takes a take profit and a stop loss with
// them; the Binance-style routes take what it does not: conditional orders, orders with a date, amounts of money, lists
// and batches. No order names a leverage: it belongs to the market, and only its dialog changes it.

import { placesOf } from "../decimal-text.ts";
import type { Parameters } from "../member/venue-api.ts";
import { cutTo, exact, onStep, times } from "./exact.ts";
import type { Market } from "./market.ts";
import { isWaiting, orderKinds } from "./order-kinds.ts";
import {
  hasDate,
  type Means,
  moneyOf,
  quantityOf,
  type Ticket,
  takesTpSl,
  takesVisible,
} from "./order-ticket.ts";
import { pegParameters } from "./ticket/pegs.ts";
import type { Side } from "./ticket-requests.ts";

/** A Binance-style route that places an order, and how an order is found whose answer was lost. */
interface PlacingRoute {
  readonly path: string;
  /** The parameter that names the order. */
  readonly idName: string;
  readonly findPath: string;
  readonly findName: string;
}

const list = { idName: "listClientOrderId", findName: "origClientOrderId" } as const;

export const placingRoutes = {
  perpetual: {
    path: "/compat/fapi/v1/order",
    idName: "newClientOrderId",
    findPath: "/compat/fapi/v1/order",
    findName: "origClientOrderId",
  },
  conditional: {
    path: "/compat/fapi/v1/algoOrder",
    idName: "clientAlgoId",
    findPath: "/compat/fapi/v1/algoOrder",
    findName: "clientAlgoId",
  },
  spot: {
    path: "/compat/api/v3/order",
    idName: "newClientOrderId",
    findPath: "/compat/api/v3/order",
    findName: "origClientOrderId",
  },
  oco: { path: "/compat/api/v3/orderList/oco", findPath: "/compat/api/v3/orderList", ...list },
  opo: { path: "/compat/api/v3/orderList/opo", findPath: "/compat/api/v3/orderList", ...list },
  opoco: { path: "/compat/api/v3/orderList/opoco", findPath: "/compat/api/v3/orderList", ...list },
} as const satisfies Readonly<Record<string, PlacingRoute>>;

export type OrderRequest =
  | { readonly route: "native"; readonly body: Readonly<Record<string, unknown>> }
  | { readonly route: keyof typeof placingRoutes; readonly parameters: Parameters };

/**
 * The price of a limit order that trades at once in place of a market order: the best price, and at most `percent`
 * worse. Null if the book has no price.
 */
export function boundedPrice(
  side: Side,
  best: string | undefined,
  percent: string,
  { tick }: Market,
): string | null {
  const [price, share] = [exact(best), exact(percent)];
  if (price === null || share === null) return null;
  const worse = times(price, share) / 100n;
  // Rounded towards the best price, so that the bound is never exceeded.
  return side === "BUY" ? onStep(price + worse, tick, false) : onStep(price - worse, tick, true);
}

/** A market order; with a price, an order that trades at once and never beyond that price. */
export function marketBody(
  { symbol }: Market,
  side: Side,
  quantity: string,
  options: { readonly bound: string | null; readonly isReduceOnly: boolean },
): Readonly<Record<string, unknown>> {
  const { bound, isReduceOnly } = options;
  return {
    symbol,
    side,
    qty: quantity,
    ...(bound === null
      ? { type: "MARKET" }
      : { type: "LIMIT", price: bound, time_in_force: "IOC" }),
    ...(isReduceOnly && { reduce_only: true }),
  };
}

function nativeBody(
  ticket: Ticket,
  market: Market,
  quantity: string,
  bound: string | null,
): Readonly<Record<string, unknown>> {
  const { side, takeProfit, stopLoss } = ticket;
  const isReduceOnly = market.isPerpetual && ticket.isReduceOnly;
  const atMarket = marketBody(market, side, quantity, { bound, isReduceOnly });
  const withTpSl = market.isPerpetual && takesTpSl(ticket, market);
  return {
    ...atMarket,
    ...(ticket.kind === "LIMIT" && {
      type: "LIMIT",
      price: ticket.price,
      time_in_force: ticket.lifetime,
    }),
    ...(withTpSl && takeProfit !== "" && { take_profit: takeProfit }),
    ...(withTpSl && stopLoss !== "" && { stop_loss: stopLoss }),
  };
}

/** A conditional order of a perpetual, or a limit order with a date. */
function perpetualParameters(ticket: Ticket, market: Market, quantity: string): Parameters {
  const { kind, side, price, trigger, lifetime, goodTill } = ticket;
  const { hasPrice, hasTrigger, perpetual } = orderKinds[kind];
  const isTrailing = kind === "TRAILING";
  const terms = { symbol: market.listed, side, type: String(perpetual), quantity };
  return {
    ...terms,
    ...(hasPrice && { price, timeInForce: lifetime }),
    ...(hasPrice && lifetime === "GTD" && { goodTillDate: String(Date.parse(goodTill)) }),
    ...(hasTrigger && { triggerPrice: trigger }),
    ...(isTrailing && { callbackRate: ticket.callback }),
    ...(isTrailing && trigger !== "" && { activatePrice: trigger }),
    ...(isWaiting(kind) && { workingType: ticket.triggeredBy }),
    ...(ticket.isReduceOnly && { reduceOnly: "true" }),
  };
}

/** A conditional, iceberg or pegged order of a spot market. */
function spotParameters(ticket: Ticket, market: Market, quantity: string): Parameters {
  const { kind, side, price, trigger, lifetime, visible } = ticket;
  const { hasPrice, hasTrigger, spot } = orderKinds[kind];
  const isMaker = lifetime === "GTX";
  return {
    ...{ symbol: market.listed, side, type: isMaker ? "LIMIT_MAKER" : String(spot), quantity },
    newOrderRespType: "RESULT",
    ...(hasPrice && { price }),
    ...(hasPrice && !isMaker && { timeInForce: lifetime }),
    ...(hasTrigger && { stopPrice: trigger }),
    ...(takesVisible(ticket, market) && { icebergQty: visible }),
    ...(kind === "PEGGED" && pegParameters(ticket)),
  };
}

/** A limit order that rests at the profit, and a stop that limits the loss; one cancels the other. */
function ocoParameters(ticket: Ticket, market: Market, quantity: string): Parameters {
  const { side, price, trigger, stopPrice } = ticket;
  const [limit, stop] = side === "SELL" ? ["above", "below"] : ["below", "above"];
  return {
    ...{ symbol: market.listed, side, quantity },
    ...{ [`${limit}Type`]: "LIMIT_MAKER", [`${limit}Price`]: price },
    [`${stop}Type`]: stopPrice === "" ? "STOP_LOSS" : "STOP_LOSS_LIMIT",
    [`${stop}StopPrice`]: trigger,
    ...(stopPrice !== "" && { [`${stop}Price`]: stopPrice, [`${stop}TimeInForce`]: "GTC" }),
  };
}

/** A limit order that buys, with orders that sell what it bought at a profit or a loss. */
function opoRequest(ticket: Ticket, market: Market, quantity: string): OrderRequest {
  const { price, lifetime, visible, takeProfit, stopLoss } = ticket;
  const isMaker = lifetime === "GTX";
  const working = {
    symbol: market.listed,
    workingType: isMaker ? "LIMIT_MAKER" : "LIMIT",
    workingSide: "BUY",
    workingPrice: price,
    workingQuantity: quantity,
    ...(!isMaker && { workingTimeInForce: lifetime }),
    ...(takesVisible(ticket, market) && visible !== "" && { workingIcebergQty: visible }),
    pendingSide: "SELL",
  };
  if (takeProfit !== "" && stopLoss !== "") {
    const above = { pendingAboveType: "TAKE_PROFIT", pendingAboveStopPrice: takeProfit };
    const below = { pendingBelowType: "STOP_LOSS", pendingBelowStopPrice: stopLoss };
    return { route: "opoco", parameters: { ...working, ...above, ...below } };
  }
  const pending =
    takeProfit !== ""
      ? { pendingType: "TAKE_PROFIT", pendingStopPrice: takeProfit }
      : { pendingType: "STOP_LOSS", pendingStopPrice: stopLoss };
  return { route: "opo", parameters: { ...working, ...pending } };
}

/**
 * The request for a ticket without fault that is one order, or one list. `bound` is the worst price of a market order;
 * null for none.
 */
export function orderRequest(
  ticket: Ticket,
  market: Market,
  means: Means,
  bound: string | null,
): OrderRequest {
  const { kind, takeProfit, stopLoss } = ticket;
  const quantity = quantityOf(ticket, market, means) ?? ticket.quantity;
  if (kind === "OCO") return { route: "oco", parameters: ocoParameters(ticket, market, quantity) };
  if (isWaiting(kind)) {
    return market.isPerpetual
      ? { route: "conditional", parameters: perpetualParameters(ticket, market, quantity) }
      : { route: "spot", parameters: spotParameters(ticket, market, quantity) };
  }
  if (hasDate(ticket, market)) {
    return { route: "perpetual", parameters: perpetualParameters(ticket, market, quantity) };
  }
  const hasTpSl = takesTpSl(ticket, market) && (takeProfit !== "" || stopLoss !== "");
  if (!market.isPerpetual && hasTpSl) return opoRequest(ticket, market, quantity);
  if (kind === "PEGGED" || (takesVisible(ticket, market) && ticket.visible !== "")) {
    return { route: "spot", parameters: spotParameters(ticket, market, quantity) };
  }
  const money = moneyOf(ticket, market, means);
  if (money !== null && bound === null) {
    const terms = { symbol: market.listed, side: ticket.side, type: "MARKET" };
    return { route: "spot", parameters: { ...terms, quoteOrderQty: money } };
  }
  return { route: "native", body: nativeBody(ticket, market, quantity, bound) };
}

/** One order of a scale. */
export interface Rung {
  readonly price: string;
  readonly quantity: string;
}

/** Splits a quantity into `parts` of whole steps, the first ones one step larger if it does not divide evenly. */
export function splitQuantity(quantity: string, parts: number, step: string): string[] {
  const [units, stepUnits, places] = [exact(quantity) ?? 0n, exact(step) ?? 1n, placesOf(step)];
  const steps = units / stepUnits;
  const [least, rest] = [steps / BigInt(parts), steps % BigInt(parts)];
  return Array.from({ length: parts }, (_, at) =>
    cutTo((least + (BigInt(at) < rest ? 1n : 0n)) * stepUnits, places),
  ).filter((part) => exact(part) !== 0n);
}

/** The orders of a scale: at even distances from the first to the last price, each with an even part of the quantity. */
export function rungsOf(ticket: Ticket, market: Market, means: Means): Rung[] {
  const quantity = quantityOf(ticket, market, means) ?? "0";
  const quantities = splitQuantity(quantity, Number(ticket.parts), market.step);
  const [first, last] = [exact(ticket.price) ?? 0n, exact(ticket.lastPrice) ?? 0n];
  const gaps = BigInt(Math.max(quantities.length - 1, 1));
  return quantities.map((part, at) => ({
    price: onStep(first + ((last - first) * BigInt(at)) / gaps, market.tick, false),
    quantity: part,
  }));
}

/** Parameters of one order of a scale on a perpetual, as an element of a batch. */
export function rungParameters(ticket: Ticket, market: Market, rung: Rung): Parameters {
  const limit = { ...ticket, kind: "LIMIT", price: rung.price } as const;
  return perpetualParameters(limit, market, rung.quantity);
}

/** The body of POST /v1/orders for one order of a scale. */
export function rungBody(
  ticket: Ticket,
  market: Market,
  { price, quantity }: Rung,
): Readonly<Record<string, unknown>> {
  const limit = { ...ticket, kind: "LIMIT", price, takeProfit: "", stopLoss: "" } as const;
  return nativeBody(limit, market, quantity, null);
}
