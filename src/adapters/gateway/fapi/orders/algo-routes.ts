// Binance's algo service, in the compat view only: place, find and cancel conditional orders with the parameter names
// of newer clients. The same conditional orders can also be placed with POST order.

import type * as z from "zod";
import { oneSymbol } from "../../../../../schemas/http/common.ts";
import {
  fapiAlgoList,
  fapiAlgoOrder,
  fapiAlgoQuery,
  fapiOpenAlgoOrders,
} from "../../../../../schemas/http/fapi.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import { isConditional, OrderStatus, type OrderType } from "../../../../core/orders.ts";
import type { OrderRecord } from "../../../../ports/journal/history-store.ts";
import { bySymbol } from "../../../../services/access/request-weight.ts";
import { checkDeclared } from "../../orders/cancel-on-disconnect.ts";
import { answering, OrderFlow, type OrderReference } from "../../orders/order-flow.ts";
import { marketOf } from "../../requests/read-request.ts";
import { type Caller, readRoute, routeGroup, tradeRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import {
  illegalParameter,
  missingParameter,
  orderUnknown,
  orderUnknownToQuery,
  refuse,
  refused,
  type SurfaceError,
} from "../../requests/surface-error.ts";
import { fapiErrors } from "../error-map.ts";
import { historyRange } from "../history-range.ts";
import { algoText } from "./algo-text.ts";
import { orderOf } from "./order-request.ts";

const kind = MarketKind.perpetual;

interface AlgoParts extends RouteContext {
  readonly flow: OrderFlow;
}

/** Conditional orders that have not triggered, oldest first. */
function waiting(
  { model, table }: AlgoParts,
  account: number,
  market: Market | null,
): OrderRecord[] {
  const { orders } = model.state;
  const found: OrderRecord[] = [];
  for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
    if (!isConditional((orders.type[slot] ?? 0) as OrderType)) continue;
    const order = model.record(slot, OrderStatus.open);
    const own = table.market(order.market);
    if (own.kind !== kind || (market !== null && own !== market)) continue;
    if (order.triggeredUs === 0) found.push(order);
  }
  return found.reverse();
}

/** The order with that id, if it is in memory: open or recently closed. */
function remembered(
  { model }: AlgoParts,
  account: number,
  { orderId, clientId }: Pick<OrderReference, "orderId" | "clientId">,
): OrderRecord | undefined {
  return orderId === undefined
    ? model.orderByClientId(account, clientId ?? "")
    : model.order(account, orderId);
}

/** The order a call names; the market may be omitted while the order is in memory. */
function referenceOf(
  parts: AlgoParts,
  { symbol, algoId: orderId, clientAlgoId: clientId }: z.output<typeof fapiAlgoQuery>,
  { account }: Caller,
  unknown: SurfaceError,
): OrderReference {
  const { table } = parts;
  if (orderId === undefined && clientId === undefined) refused(missingParameter("algoId"));
  if (symbol !== undefined) return { market: marketOf(table, kind, symbol), orderId, clientId };
  const order = remembered(parts, account, { orderId, clientId }) ?? refused(unknown);
  return { market: table.market(order.market), orderId, clientId };
}

function textOf(rows: readonly string[]): string {
  return `[${rows.join(",")}]`;
}

const allCancelled = '{"code":200,"msg":"The operation of cancel all open order is done."}';

/** The signed algo routes, in the compat view only. */
export const fapiAlgoRoutes = routeGroup(
  (context): AlgoParts => ({ ...context, flow: new OrderFlow(context, fapiErrors) }),
)([
  tradeRoute("POST /fapi/v1/algoOrder", {
    summary: "Places a conditional order.",
    isFreeIfDone: true,
    reads: fapiAlgoOrder,
    session: "algoOrder.place",
    example:
      "algoType=CONDITIONAL&symbol=BTCUSDT&side=SELL&type=STOP_MARKET&quantity=0.010&triggerPrice=40000&clientAlgoId=algo-1",
    orders: 1,
    onlyIn: "compat",
    isStrict: true,
    before: ({ flow }, caller) => flow.refuseIfBarred(caller, kind),
    handle: ({ table, flow, model }, call, params, { account }) => {
      const market = marketOf(table, kind, params.symbol);
      const { clientAlgoId, triggerPrice, activatePrice, ...common } = params;
      const form = {
        ...common,
        newClientOrderId: clientAlgoId ?? params.newClientOrderId,
        stopPrice: triggerPrice ?? params.stopPrice,
        activationPrice: activatePrice ?? params.activationPrice,
      };
      const order = orderOf(form, { market, view: call.view, model }, account);
      if (!isConditional(order.type)) refused(illegalParameter("type"));
      if (params.cancelOnDisconnect === true) checkDeclared(call, account);
      const onOutcome = answering(call, (placed) => call.json(algoText(placed, market)));
      flow.place(call, order, onOutcome);
    },
  }),
  readRoute("GET /fapi/v1/algoOrder", {
    summary: "One conditional order.",
    reads: fapiAlgoQuery,
    example: "clientAlgoId=algo-1",
    onlyIn: "compat",
    answer: async (parts, _, params, caller) => {
      const reference = referenceOf(parts, params, caller, orderUnknownToQuery);
      const order = await parts.flow.find(caller, reference);
      if (!isConditional(order.type)) refused(orderUnknownToQuery);
      return algoText(order, reference.market);
    },
  }),
  tradeRoute("DELETE /fapi/v1/algoOrder", {
    summary: "Cancels a conditional order.",
    reads: fapiAlgoQuery,
    session: "algoOrder.cancel",
    example: "clientAlgoId=algo-1",
    onlyIn: "compat",
    handle: (parts, call, params, caller) => {
      const reference = referenceOf(parts, params, caller, orderUnknown);
      const known = remembered(parts, caller.account, reference);
      if (known !== undefined && !isConditional(known.type)) refused(orderUnknown);
      parts.flow.cancel(call, caller, reference, ({ orderId, clientId }) =>
        call.json(
          `{"algoId":${orderId},"clientAlgoId":"${clientId}","code":"200","msg":"success"}`,
        ),
      );
    },
  }),
  readRoute("GET /fapi/v1/openAlgoOrders", {
    summary: "The account's open conditional orders.",
    weight: bySymbol(1, 40),
    reads: fapiOpenAlgoOrders,
    onlyIn: "compat",
    answer: (parts, _, { symbol, algoId }, { account }) => {
      const { table } = parts;
      const market = symbol === undefined ? null : marketOf(table, kind, symbol);
      const orders = waiting(parts, account, market).filter(
        ({ orderId }) => algoId === undefined || orderId === algoId,
      );
      return textOf(orders.map((order) => algoText(order, table.market(order.market))));
    },
  }),
  readRoute("GET /fapi/v1/allAlgoOrders", {
    summary: "The account's conditional orders in a market.",
    weight: 5,
    reads: fapiAlgoList,
    example: "symbol=BTCUSDT",
    onlyIn: "compat",
    answer: async ({ table, history, model, marketClock }, _, params, { account }) => {
      const market = marketOf(table, kind, params.symbol);
      const { floorUs, ...range } = historyRange(params, marketClock.nowMs());
      const { algoId = null, limit } = params;
      const query = { account, market: market.id, isConditional: true, ...range, limit };
      const orders = await history.ordersOfAccount({ ...query, fromOrderId: algoId });
      return textOf(
        orders
          .filter(({ acceptedUs }) => acceptedUs >= floorUs)
          .map((order) => algoText(model.order(account, order.orderId) ?? order, market)),
      );
    },
  }),
  // Cancels the waiting orders of a market with one command each, and answers after the last reply.
  tradeRoute("DELETE /fapi/v1/algoOpenOrders", {
    summary: "Cancels the account's open conditional orders in a market.",
    reads: oneSymbol,
    example: "symbol=BTCUSDT",
    onlyIn: "compat",
    handle: (parts, call, { symbol }, { account }) => {
      const market = marketOf(parts.table, kind, symbol);
      const orders = waiting(parts, account, market);
      let missing = orders.length;
      let failure: SurfaceError | null = null;
      if (missing === 0) call.json(allCancelled);
      for (const { orderId } of orders) {
        parts.flow.withdraw(call, account, { market, orderId, clientId: undefined }, (outcome) => {
          // An order that is not open any more needs no cancel.
          if ("code" in outcome && outcome.code !== orderUnknown.code) failure ??= outcome;
          missing--;
          if (missing > 0) return;
          if (failure === null) call.json(allCancelled);
          else refuse(call, failure);
        });
      }
    },
  }),
]);
