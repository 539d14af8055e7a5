// Signed perpetual routes about orders: place, change, query, cancel, list, cancel all. Parameters are
// checked here as far as their form goes; whether an order is admitted is clearing's decision.

import { maybeSymbol, oneSymbol, orderQuery } from "../../../../../schemas/http/common.ts";
import { fapiAmend, fapiCountdown, fapiOrder } from "../../../../../schemas/http/fapi.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import { OrderStatus } from "../../../../core/orders.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
import type { RequestParameters } from "../../../../services/access/request-parameters.ts";
import { foreseenRefusal } from "../../orders/foreseen-refusal.ts";
import { answering, OrderFlow, type OrderReference } from "../../orders/order-flow.ts";
import { marketOf, orderReader, parameterReader } from "../../requests/read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../../requests/route.ts";
import {
  notExecuted,
  orderUnknownToQuery,
  refuse,
  unsupportedOperation,
} from "../../requests/surface-error.ts";
import { readRoute, tradeRoute } from "../../requests/weighted-routes.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { fapiErrors } from "../error-map.ts";
import { amendOf, referenceOf } from "./amend-request.ts";
import { explained, offeredAt, orderOf } from "./order-request.ts";
import { ackText, orderText } from "./order-text.ts";

const readAmend = orderReader(fapiAmend);
const readCountdown = parameterReader(fapiCountdown);
const kind = MarketKind.perpetual;
const readOrder = orderReader(fapiOrder);
const readQuery = parameterReader(orderQuery);
const readMaybeSymbol = parameterReader(maybeSymbol);
const readSymbol = parameterReader(oneSymbol);

class FapiOrderRoutes {
  readonly #context: RouteContext;
  readonly #flow: OrderFlow;

  constructor(context: RouteContext) {
    this.#context = context;
    this.#flow = new OrderFlow(context, fapiErrors, orderUnknownToQuery);
  }

  place(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    if (this.#flow.bars(call, caller, kind)) return;
    const { account } = caller;
    const asked = readOrder(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const order = offeredAt(
      call,
      this.#context,
      orderOf(asked, { market, view: call.view }, account),
    );
    if ("code" in order) {
      refuse(call, order);
      return;
    }
    const text = asked.newOrderRespType === "ACK" ? ackText : orderText;
    const { model } = this.#context;
    this.#flow.place(order, (outcome) => {
      if (!("code" in outcome)) call.json(text(outcome, market));
      else refuse(call, explained(outcome, order, { market, model, view: call.view }));
    });
  }

  /** Checks an order's parameters and the market's filters; nothing is asked of clearing. Spec FAP-14. */
  try(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    if (this.#flow.bars(call, caller, kind)) return;
    const asked = readOrder(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const order = offeredAt(
      call,
      this.#context,
      orderOf(asked, { market, view: call.view }, caller.account),
    );
    if ("code" in order) {
      refuse(call, order);
      return;
    }
    const { model } = this.#context;
    const reason = foreseenRefusal(order, { market, model });
    const terms = { market, model, view: call.view };
    if (reason === RejectReason.none) call.json("{}");
    else refuse(call, explained(fapiErrors[reason], order, terms));
  }

  amend(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readAmend(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const reference = referenceOf(asked, market);
    const terms = amendOf(asked, { market, view: call.view });
    if ("code" in reference) refuse(call, reference);
    else if ("code" in terms) refuse(call, terms);
    else
      this.#flow.amend(
        account,
        reference,
        terms,
        answering(call, (order) => call.json(orderText(order, market))),
      );
  }

  countdown(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readCountdown(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const { bridge, clock } = this.#context;
    const { countdownTime } = asked;
    const cancelAtUs = countdownTime === 0 ? 0 : clock.nowUs() + countdownTime * 1000;
    const ask = { kind: CommandKind.setCountdown, account, market: market.id, cancelAtUs } as const;
    const isSent = bridge.send(ask, "orders", ({ reason }) => {
      if (reason !== RejectReason.none) refuse(call, fapiErrors[reason]);
      else call.json(`{"symbol":"${market.alias}","countdownTime":"${countdownTime}"}`);
    });
    if (!isSent) refuse(call, notExecuted);
  }

  query(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const reference = this.#reference(call, parameters);
    if (reference === null) return;
    const { market } = reference;
    this.#flow.find(call, caller, reference, (order) => call.json(orderText(order, market)));
  }

  queryOpen(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const reference = this.#reference(call, parameters);
    if (reference === null) return;
    const { market } = reference;
    this.#flow.find(call, caller, reference, (order) => {
      if (order.status === OrderStatus.open) call.json(orderText(order, market));
      else refuse(call, orderUnknownToQuery);
    });
  }

  cancel(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const reference = this.#reference(call, parameters);
    if (reference === null) return;
    const { market } = reference;
    this.#flow.cancel(call, caller, reference, (order) => call.json(orderText(order, market)));
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
    this.#flow.cancelAll(call, caller, market, () => {
      call.json('{"code":200,"msg":"The operation of cancel all open order is done."}');
    });
  }

  #reference(call: HttpCall, parameters: RequestParameters): OrderReference | null {
    const asked = readQuery(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return null;
    const reference = referenceOf(asked, market);
    if (!("code" in reference)) return reference;
    refuse(call, reference);
    return null;
  }

  #market(call: HttpCall, symbol: string): Market | null {
    return marketOf(call, this.#context.table, { symbol, kind });
  }
}

/** The signed order routes of the perpetual surface. */
export function fapiOrderRoutes(context: RouteContext): SignedRoute[] {
  const routes = new FapiOrderRoutes(context);
  return [
    {
      ...tradeRoute("POST /fapi/v1/order", (call, parameters, caller) =>
        routes.place(call, parameters, caller),
      ),
      orders: 1,
    },
    tradeRoute("POST /fapi/v1/order/test", (call, parameters, caller) => {
      if (call.view === "root") refuse(call, unsupportedOperation);
      else routes.try(call, parameters, caller);
    }),
    {
      ...tradeRoute("PUT /fapi/v1/order", (call, parameters, caller) =>
        routes.amend(call, parameters, caller),
      ),
      orders: 1,
    },
    tradeRoute("POST /fapi/v1/countdownCancelAll", (call, parameters, caller) =>
      routes.countdown(call, parameters, caller),
    ),
    readRoute("GET /fapi/v1/order", (call, parameters, caller) =>
      routes.query(call, parameters, caller),
    ),
    tradeRoute("DELETE /fapi/v1/order", (call, parameters, caller) =>
      routes.cancel(call, parameters, caller),
    ),
    readRoute("GET /fapi/v1/openOrder", (call, parameters, caller) =>
      routes.queryOpen(call, parameters, caller),
    ),
    readRoute("GET /fapi/v1/openOrders", (call, parameters, caller) =>
      routes.list(call, parameters, caller),
    ),
    tradeRoute("DELETE /fapi/v1/allOpenOrders", (call, parameters, caller) =>
      routes.cancelAll(call, parameters, caller),
    ),
  ];
}
