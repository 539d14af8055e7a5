// The orders of a list as its parameters describe them: each one is converted like a single order, so that it gets the
// same refusals, under the names that the client gave its parameters. The orders of an OCO are in clearing's order, the
// stop loss first. Spec SPT-83, SPT-104, SPT-110.

import type * as z from "zod";
import type { spotOldOco, spotOto } from "../../../../schemas/http/order-lists.ts";
import type { SpotOrderParameters } from "../../../../schemas/http/spot.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import { isReservedClientId } from "../../../core/orders.ts";
import type { MarketBook } from "../orders/book-level.ts";
import {
  illegalParameter,
  ocoFaults,
  pendingMustSell,
  refused,
  type SurfaceError,
  workingMustBuy,
} from "../requests/surface-error.ts";
import { orderOf } from "./order-placing.ts";
import type { PegParameters } from "./pegged-price.ts";

/** Parameters that orders and lists share, as they are read; the schemas know the names of each list. */
type Given = Readonly<Record<string, string | number | boolean | undefined>>;

/** An order of a list, and the peg that the client asked for. */
export interface ListedOrder {
  readonly order: PlaceOrder;
  readonly peg: PegParameters;
}

/** One order of a list: the prefix of its parameters, its side, and its quantity and the name of that. */
interface Leg {
  readonly prefix: string;
  readonly side: string;
  readonly quantity: string;
  readonly quantityName: string;
  readonly isPending?: boolean;
  /** Parameters that have another name than the prefix gives them. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/** The name in a list of a single order's parameter: `abovePrice` for `price`. */
export function prefixed(prefix: string, name: string): string {
  const own = name === "newClientOrderId" ? "clientOrderId" : name;
  return prefix + own.slice(0, 1).toUpperCase() + own.slice(1);
}

const ofLeg = [
  ...["type", "price", "stopPrice", "timeInForce", "newClientOrderId"],
  ...["icebergQty", "strategyType", "pegPriceType", "pegOffsetType", "pegOffsetValue"],
];

/** The order of a list as a single order. */
function orderOfLeg(given: Given, leg: Leg, book: MarketBook, account: number): ListedOrder {
  const own = ofLeg.map((name) => [name, given[prefixed(leg.prefix, name)]]);
  const { symbol, selfTradePreventionMode } = given;
  const params = { symbol, selfTradePreventionMode, side: leg.side, quantity: leg.quantity };
  const asked = { ...params, ...Object.fromEntries(own) } as SpotOrderParameters;
  const nameOf = (name: string) => {
    const own = name === "quantity" ? leg.quantityName : prefixed(leg.prefix, name);
    return leg.renamed?.[own] ?? own;
  };
  if (isReservedClientId(asked.newClientOrderId ?? ""))
    refused(illegalParameter(nameOf("newClientOrderId")));
  const { isPending = false } = leg;
  const order = orderOf(asked, book, account, { nameOf, isListed: true, isPending });
  return { order, peg: asked };
}

function isStopLoss(type: unknown): boolean {
  return type === "STOP_LOSS" || type === "STOP_LOSS_LIMIT";
}

function isTakeProfit(type: unknown): boolean {
  return type === "TAKE_PROFIT" || type === "TAKE_PROFIT_LIMIT";
}

/** What is wrong with the type of an OCO's order that is above the market or below it; undefined for nothing. */
function faultOf(type: unknown, isBuy: boolean, isAbove: boolean): SurfaceError | undefined {
  if (isStopLoss(type)) {
    if (isBuy === isAbove) return undefined;
    return isBuy ? ocoFaults.buyStopBelow : ocoFaults.sellStopAbove;
  }
  if (type !== "LIMIT_MAKER" && !isTakeProfit(type)) return ocoFaults.type;
  if (isBuy !== isAbove) return undefined;
  if (type === "LIMIT_MAKER") return isBuy ? ocoFaults.buyLimitAbove : ocoFaults.sellLimitBelow;
  return isBuy ? ocoFaults.buyProfitAbove : ocoFaults.sellProfitBelow;
}

/** Refuses an OCO by the types of its orders: what its stop loss, limit or take profit is and on which side it must be. */
function checkPair(given: Given, side: string, [above, below]: readonly [string, string]): void {
  const [upper, lower] = [given[`${above}Type`], given[`${below}Type`]];
  if (upper === "LIMIT_MAKER" && lower === "LIMIT_MAKER") refused(ocoFaults.bothLimits);
  const isBuy = side === "BUY";
  const fault = faultOf(upper, isBuy, true) ?? faultOf(lower, isBuy, false);
  if (fault !== undefined) refused(fault);
}

/** The orders of a pair, the stop loss first. */
function pairOf(
  given: Given,
  prefixes: readonly [above: string, below: string],
  terms: Omit<Leg, "prefix">,
  book: MarketBook,
  account: number,
): readonly ListedOrder[] {
  checkPair(given, terms.side, prefixes);
  const [above, below] = prefixes;
  const isStopAbove = isStopLoss(given[`${above}Type`]);
  const sorted = isStopAbove ? [above, below] : [below, above];
  return sorted.map((prefix) => orderOfLeg(given, { prefix, ...terms }, book, account));
}

/** The orders of an OCO. */
export function ocoOrders(
  params: Given & { readonly side: string; readonly quantity: string },
  book: MarketBook,
  account: number,
): readonly ListedOrder[] {
  const { side, quantity } = params;
  const terms = { side, quantity, quantityName: "quantity" };
  return pairOf(params, ["above", "below"], terms, book, account);
}

/** Names of parameters of `POST /order/oco`, by those that the prefixes of its orders give them. */
const oldNames = {
  limitPrice: "price",
  stopPrice: "stopLimitPrice",
  stopStopPrice: "stopPrice",
  stopTimeInForce: "stopLimitTimeInForce",
};

/** The orders of `POST /order/oco`, whose LIMIT_MAKER order has parameters without a prefix. */
export function oldOcoOrders(
  params: z.output<typeof spotOldOco>,
  book: MarketBook,
  account: number,
): readonly ListedOrder[] {
  const { side, quantity, price, stopPrice, stopLimitPrice, stopLimitTimeInForce } = params;
  const given = {
    ...params,
    limitType: "LIMIT_MAKER",
    limitPrice: price,
    stopType: stopLimitPrice === undefined ? "STOP_LOSS" : "STOP_LOSS_LIMIT",
    stopPrice: stopLimitPrice,
    stopStopPrice: stopPrice,
    stopTimeInForce: stopLimitTimeInForce,
  };
  const terms = { side, quantity, quantityName: "quantity", renamed: oldNames };
  return ["stop", "limit"].map((prefix) => orderOfLeg(given, { prefix, ...terms }, book, account));
}

type WithWorking = Pick<
  z.output<typeof spotOto>,
  "workingSide" | "workingQuantity" | "pendingSide"
> & { readonly pendingQuantity?: string };

/** The orders of a list with a working order, whose pending orders are one, or a pair that cancel each other. */
export function withWorking(
  params: WithWorking & Given,
  pending: "one" | "pair",
  book: MarketBook,
  account: number,
): readonly ListedOrder[] {
  const { workingSide, workingQuantity, pendingSide: side, pendingQuantity } = params;
  const quantityName = "workingQuantity";
  const working = { side: workingSide, quantity: workingQuantity, quantityName };
  const sized =
    pendingQuantity === undefined
      ? { ...working, side }
      : { side, quantity: pendingQuantity, quantityName: "pendingQuantity" };
  const waiting = { ...sized, isPending: true };
  const first = orderOfLeg(params, { prefix: "working", ...working }, book, account);
  const others =
    pending === "pair"
      ? pairOf(params, ["pendingAbove", "pendingBelow"], waiting, book, account)
      : [orderOfLeg(params, { prefix: "pending", ...waiting }, book, account)];
  return [first, ...others];
}

/** The orders of a list whose pending orders sell what the working one buys, and get their quantity then. */
export function paidByWorking(
  params: WithWorking & Given,
  pending: "one" | "pair",
  book: MarketBook,
  account: number,
): readonly ListedOrder[] {
  if (params.workingSide !== "BUY") refused(workingMustBuy);
  if (params.pendingSide !== "SELL") refused(pendingMustSell);
  const orders = withWorking(params, pending, book, account);
  for (const { order } of orders.slice(1)) order.qty = 0;
  return orders;
}
