// Signed spot routes about open orders: place, try, replace, amend, query, cancel, list, cancel all.
// Parameters are checked here as far as their form goes; whether an order is admitted is clearing's
// decision alone.

import { maybeSymbol, oneSymbol, orderQuery } from "../../../../schemas/http/common.ts";
import { spotAmend, spotCancel, spotOrder, spotOrderTest } from "../../../../schemas/http/spot.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { OrderStatus } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { shownIn } from "../market-data/shown-market.ts";
import { foreseenRefusal } from "../orders/foreseen-refusal.ts";
import { answering, OrderFlow } from "../orders/order-flow.ts";
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
import { CancelReplace } from "./cancel-replace.ts";
import { orderCommissionText, ratesOf } from "./commission-text.ts";
import { spotErrors } from "./error-map.ts";
import { cancelledText, cancelTermsOf, explained, placedText } from "./order-outcome.ts";
import { lotsOf, orderAskOf } from "./order-request.ts";
import { amendedText, listText, orderText } from "./render.ts";

const kind = MarketKind.spot;
const readOrder = orderReader(spotOrder);
const readTest = orderReader(spotOrderTest);
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

  place(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    if (this.#flow.bars(call, caller, kind)) return;
    const asked = readOrder(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const order = orderAskOf(asked, market, caller.account);
    if ("code" in order) {
      refuse(call, order);
      return;
    }
    const { model } = this.#context;
    this.#flow.submit(order, (outcome) => {
      const { view } = call;
      if ("code" in outcome) refuse(call, explained(outcome, order, { market, model, view }));
      else {
        const shown = shownIn(view, market);
        call.json(placedText(model, outcome, { market: shown, form: asked.newOrderRespType }));
      }
    });
  }

  /** Checks an order as far as this front can; nothing is asked of clearing. */
  try(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    if (this.#flow.bars(call, caller, kind)) return;
    const asked = readTest(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const order = orderAskOf(asked, market, caller.account);
    if ("code" in order) {
      refuse(call, order);
      return;
    }
    const { model } = this.#context;
    const reason = foreseenRefusal(order, { market, model });
    if (reason !== RejectReason.none) {
      refuse(call, explained(spotErrors[reason], order, { market, model, view: call.view }));
    } else {
      const rates = ratesOf(model.state, caller.account, market);
      call.json(asked.computeCommissionRates ? orderCommissionText(rates) : "{}");
    }
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
      call.json(cancelledText(order, shownIn(call.view, market), { cancelId, lastSeq }));
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
      const texts = orders.map((order) => cancelledText(order, shown, { lastSeq }));
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
  const replacing = new CancelReplace(context, flow);
  const trade = (
    name: Parameters<typeof tradeRoute>[0],
    deed: "place" | "try" | "amend" | "cancel" | "cancelAll",
  ) => tradeRoute(name, (call, parameters, caller) => routes[deed](call, parameters, caller));
  const read = (name: Parameters<typeof readRoute>[0], deed: "query" | "list") =>
    readRoute(name, (call, parameters, caller) => routes[deed](call, parameters, caller));
  return [
    { ...trade("POST /api/v3/order", "place"), orders: 1 },
    trade("POST /api/v3/order/test", "try"),
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
