// Signed spot routes about open orders: amend, query, cancel, list, cancel all. What places one is beside this.
// Parameters are checked here as far as their form goes; whether an order is admitted is clearing's
// decision alone.

import { maybeSymbol, oneSymbol, orderQuery } from "../../../../schemas/http/common.ts";
import { spotAmend, spotCancel } from "../../../../schemas/http/spot.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { OrderStatus } from "../../../core/orders.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { answering, OrderFlow } from "../orders/order-flow.ts";
import { shownIn } from "../orders/order-words.ts";
import { marketOf, orderReader, parameterReader } from "../requests/read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../requests/route.ts";
import {
  illegalParameter,
  missingParameter,
  orderUnknown,
  orderUnknownToAmend,
  refuse,
} from "../requests/surface-error.ts";
import { readRoute, tradeRoute } from "../requests/weighted-routes.ts";
import type { HttpCall } from "../server/http-call.ts";
import { CancelReplace, cancelTermsOf } from "./cancel-replace.ts";
import { spotErrors } from "./error-map.ts";
import { lotsOf, OrderPlacing } from "./order-placing.ts";
import { amendedText, cancelText, listText, orderText } from "./render.ts";

const kind = MarketKind.spot;
const readAmend = orderReader(spotAmend);
const readCancel = parameterReader(spotCancel);
const readQuery = parameterReader(orderQuery);
const readMaybeSymbol = parameterReader(maybeSymbol);
const readSymbol = parameterReader(oneSymbol);

class SpotOrderRoutes {
  readonly #context: RouteContext;
  readonly #flow: OrderFlow;

  constructor(context: RouteContext, flow: OrderFlow) {
    this.#context = context;
    this.#flow = flow;
  }

  /** Takes lots off an open order, which keeps its place in the queue. */
  amend(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const asked = readAmend(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const { orderId, origClientOrderId: clientId } = asked;
    const qty = lotsOf(asked.newQty, "newQty", market);
    const isUnnamed = orderId === undefined && clientId === undefined;
    if (isUnnamed || typeof qty !== "number") {
      refuse(call, typeof qty === "number" ? missingParameter("orderId") : qty);
      return;
    }
    const shrink = (order: OrderRecord) => {
      const isRenamed = (asked.newClientOrderId ?? order.clientId) !== order.clientId;
      if (order.status !== OrderStatus.open) refuse(call, orderUnknownToAmend);
      else if (isRenamed) refuse(call, illegalParameter("newClientOrderId"));
      else this.#shrink(call, { order, market, qty });
    };
    const reference = { market, orderId, clientId };
    this.#flow.find(call, caller, reference, shrink, orderUnknownToAmend);
  }

  query(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const asked = readQuery(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const { orderId, origClientOrderId: clientId } = asked;
    if (orderId === undefined && clientId === undefined) {
      refuse(call, missingParameter("orderId"));
      return;
    }
    this.#flow.find(call, caller, { market, orderId, clientId }, (order) => {
      call.json(orderText(order, shownIn(call.view, market)));
    });
  }

  cancel(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const asked = readCancel(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const { orderId, origClientOrderId: clientId, newClientOrderId: cancelId } = asked;
    const restrictions = asked.cancelRestrictions;
    const terms = cancelTermsOf({ orderId, clientId, restrictions }, "orderId");
    if ("code" in terms) {
      refuse(call, terms);
      return;
    }
    this.#flow.cancel(call, caller, { market, ...terms }, (order, lastSeq) => {
      call.json(cancelText(order, shownIn(call.view, market), { cancelId, lastSeq }));
    });
  }

  list(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readMaybeSymbol(call, parameters);
    if (asked === null) return;
    const { symbol } = asked;
    const market = symbol === undefined ? null : this.#market(call, symbol);
    if (symbol !== undefined && market === null) return;
    const scope = { kind, market, view: call.view };
    call.json(this.#context.model.openOrders.list(account, scope, orderText));
  }

  cancelAll(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const asked = readSymbol(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (market === null) return;
    this.#flow.cancelAll(call, caller, market, (orders, lastSeq) => {
      const shown = shownIn(call.view, market);
      const texts = orders.map((order) => cancelText(order, shown, { lastSeq }));
      if (texts.length === 0) refuse(call, orderUnknown);
      else call.json(listText(texts));
    });
  }

  #shrink(
    call: HttpCall,
    { order, market, qty }: { order: OrderRecord; market: Market; qty: number },
  ): void {
    const reference = { market, orderId: order.orderId, clientId: undefined };
    const settle = answering(call, (amended, lastSeq) => {
      call.json(amendedText(amended, shownIn(call.view, market), lastSeq));
    });
    this.#flow.amend(order.account, reference, { price: 0, qty, growsNot: true }, settle);
  }

  #market(call: HttpCall, symbol: string): Market | null {
    return marketOf(call, this.#context.table, { symbol, kind });
  }
}

/** The signed order routes of the spot surface. */
export function spotOrderRoutes(context: RouteContext): SignedRoute[] {
  const flow = new OrderFlow(context, spotErrors, orderUnknownToAmend);
  const routes = new SpotOrderRoutes(context, flow);
  const placing = new OrderPlacing(context, flow);
  const replacing = new CancelReplace(context, flow);
  const trade = (name: Parameters<typeof tradeRoute>[0], deed: "amend" | "cancel" | "cancelAll") =>
    tradeRoute(name, (call, parameters, caller) => routes[deed](call, parameters, caller));
  const read = (name: Parameters<typeof readRoute>[0], deed: "query" | "list") =>
    readRoute(name, (call, parameters, caller) => routes[deed](call, parameters, caller));
  return [
    { ...tradeRoute("POST /api/v3/order", placing.place), orders: 1 },
    tradeRoute("POST /api/v3/order/test", placing.try),
    {
      ...tradeRoute("POST /api/v3/order/cancelReplace", (call, parameters, caller) =>
        replacing.run(call, parameters, caller),
      ),
      orders: 1,
    },
    trade("PUT /api/v3/order/amend/keepPriority", "amend"),
    read("GET /api/v3/order", "query"),
    trade("DELETE /api/v3/order", "cancel"),
    read("GET /api/v3/openOrders", "list"),
    trade("DELETE /api/v3/openOrders", "cancelAll"),
  ];
}
