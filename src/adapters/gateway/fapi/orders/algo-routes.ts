// Binance's algo service on compat: conditional orders placed, found and cancelled under the names
// its newer clients use. They are orders like those of POST order, which takes them too.

import { maybeSymbol, oneSymbol } from "../../../../../schemas/http/common.ts";
import { fapiAlgoList, fapiAlgoOrder, fapiAlgoQuery } from "../../../../../schemas/http/fapi.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import { isConditional, OrderStatus, type OrderType } from "../../../../core/orders.ts";
import type { OrderRecord } from "../../../../ports/journal/history-store.ts";
import type { RequestParameters } from "../../../../services/access/request-parameters.ts";
import { answering, OrderFlow, type OrderReference } from "../../orders/order-flow.ts";
import { answerLater } from "../../requests/answer-later.ts";
import { marketOf, orderReader, parameterReader } from "../../requests/read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../../requests/route.ts";
import {
  illegalParameter,
  missingParameter,
  orderUnknown,
  orderUnknownToQuery,
  refuse,
  type SurfaceError,
} from "../../requests/surface-error.ts";
import { readRoute, tradeRoute } from "../../requests/weighted-routes.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { fapiErrors } from "../error-map.ts";
import { historyRange } from "../history-range.ts";
import { algoText } from "./algo-text.ts";
import { orderOf } from "./order-request.ts";

const kind = MarketKind.perpetual;
const readOrder = orderReader(fapiAlgoOrder);
const readQuery = parameterReader(fapiAlgoQuery);
const readList = parameterReader(fapiAlgoList);
const readMaybeSymbol = parameterReader(maybeSymbol);
const readSymbol = parameterReader(oneSymbol);

class FapiAlgoRoutes {
  readonly #context: RouteContext;
  readonly #flow: OrderFlow;

  constructor(context: RouteContext) {
    this.#context = context;
    this.#flow = new OrderFlow(context, fapiErrors);
  }

  place(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    if (this.#flow.bars(call, caller, kind)) return;
    const asked = readOrder(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const { clientAlgoId, triggerPrice, activatePrice, ...common } = asked;
    const named = {
      newClientOrderId: clientAlgoId ?? asked.newClientOrderId,
      stopPrice: triggerPrice ?? asked.stopPrice,
    };
    const form = { ...common, ...named, activationPrice: activatePrice ?? asked.activationPrice };
    const order = orderOf(form, { market, view: call.view }, caller.account);
    if ("code" in order) refuse(call, order);
    else if (!isConditional(order.type)) refuse(call, illegalParameter("type"));
    else {
      const settle = answering(call, (placed) => call.json(algoText(placed, market)));
      this.#flow.place(order, settle);
    }
  }

  query(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const reference = this.#reference(call, parameters, caller, orderUnknownToQuery);
    if (reference === null) return;
    this.#flow.find(call, caller, reference, (order) => {
      if (isConditional(order.type)) call.json(algoText(order, reference.market));
      else refuse(call, orderUnknownToQuery);
    });
  }

  cancel(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const reference = this.#reference(call, parameters, caller, orderUnknown);
    if (reference === null) return;
    const known = this.#known(caller.account, reference);
    if (known !== undefined && !isConditional(known.type)) {
      refuse(call, orderUnknown);
      return;
    }
    this.#flow.cancel(call, caller, reference, ({ orderId, clientId }) =>
      call.json(`{"algoId":${orderId},"clientAlgoId":"${clientId}","code":"200","msg":"success"}`),
    );
  }

  listOpen(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readMaybeSymbol(call, parameters);
    if (asked === null) return;
    const { symbol } = asked;
    const market = symbol === undefined ? null : this.#market(call, symbol);
    if (symbol !== undefined && market === null) return;
    const { table } = this.#context;
    const rows = this.#waiting(account, market).map((order) =>
      algoText(order, table.market(order.market)),
    );
    call.json(`[${rows.join(",")}]`);
  }

  listAll(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const { history, model, clock } = this.#context;
    const asked = readList(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const range = historyRange(asked, clock.nowMs());
    if ("code" in range) {
      refuse(call, range);
      return;
    }
    const { algoId, limit } = asked;
    const { startUs, endUs, floorUs } = range;
    const query = { account, market: market.id, isConditional: true, startUs, endUs, limit };
    const reading = history.ordersOfAccount({ ...query, fromOrderId: algoId ?? null });
    answerLater(this.#context, call, reading, (orders) => {
      const rows = orders
        .filter(({ acceptedUs }) => acceptedUs >= floorUs)
        .map((order) => algoText(model.order(account, order.orderId) ?? order, market));
      call.json(`[${rows.join(",")}]`);
    });
  }

  /** Cancels the waiting orders of a market one by one; answers when the last reply is there. */
  cancelAll(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readSymbol(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (market === null) return;
    const answer = () =>
      call.json('{"code":200,"msg":"The operation of cancel all open order is done."}');
    const orders = this.#waiting(account, market);
    let missing = orders.length;
    if (missing === 0) answer();
    for (const { orderId } of orders) {
      this.#flow.withdraw(account, { market, orderId, clientId: undefined }, () => {
        missing--;
        if (missing === 0) answer();
      });
    }
  }

  /** Conditional orders that have not triggered, oldest first. */
  #waiting(account: number, market: Market | null): OrderRecord[] {
    const { model, table } = this.#context;
    const { orders } = model.state;
    const waiting: OrderRecord[] = [];
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
      if (!isConditional((orders.type[slot] ?? 0) as OrderType)) continue;
      const order = model.record(slot, OrderStatus.open);
      const own = table.market(order.market);
      if (own.kind !== kind || (market !== null && own !== market)) continue;
      if (order.triggeredUs === 0) waiting.push(order);
    }
    return waiting.reverse();
  }

  /** The order a call names; its market may be left out while memory knows the order. */
  #reference(
    call: HttpCall,
    parameters: RequestParameters,
    { account }: Caller,
    unknown: SurfaceError,
  ): OrderReference | null {
    const asked = readQuery(call, parameters);
    if (asked === null) return null;
    const { symbol, algoId: orderId, clientAlgoId: clientId } = asked;
    if (orderId === undefined && clientId === undefined) {
      refuse(call, missingParameter("algoId"));
      return null;
    }
    if (symbol !== undefined) {
      const market = this.#market(call, symbol);
      return market && { market, orderId, clientId };
    }
    const order = this.#known(account, { orderId, clientId });
    if (order !== undefined) {
      return { market: this.#context.table.market(order.market), orderId, clientId };
    }
    refuse(call, unknown);
    return null;
  }

  /** The order as memory has it. */
  #known(
    account: number,
    { orderId, clientId }: Pick<OrderReference, "orderId" | "clientId">,
  ): OrderRecord | undefined {
    const { model } = this.#context;
    return orderId === undefined
      ? model.orderByClientId(account, clientId ?? "")
      : model.order(account, orderId);
  }

  #market(call: HttpCall, symbol: string): Market | null {
    return marketOf(call, this.#context.table, { symbol, kind });
  }
}

/** The signed algo routes, which only the compat view has. */
export function fapiAlgoRoutes(context: RouteContext): SignedRoute[] {
  const routes = new FapiAlgoRoutes(context);
  const all: readonly SignedRoute[] = [
    {
      ...tradeRoute("POST /fapi/v1/algoOrder", (call, parameters, caller) =>
        routes.place(call, parameters, caller),
      ),
      orders: 1,
    },
    readRoute("GET /fapi/v1/algoOrder", (call, parameters, caller) =>
      routes.query(call, parameters, caller),
    ),
    tradeRoute("DELETE /fapi/v1/algoOrder", (call, parameters, caller) =>
      routes.cancel(call, parameters, caller),
    ),
    readRoute("GET /fapi/v1/openAlgoOrders", (call, parameters, caller) =>
      routes.listOpen(call, parameters, caller),
    ),
    readRoute("GET /fapi/v1/allAlgoOrders", (call, parameters, caller) =>
      routes.listAll(call, parameters, caller),
    ),
    tradeRoute("DELETE /fapi/v1/algoOpenOrders", (call, parameters, caller) =>
      routes.cancelAll(call, parameters, caller),
    ),
  ];
  return all.map((route) => ({ ...route, onlyIn: "compat" }));
}
