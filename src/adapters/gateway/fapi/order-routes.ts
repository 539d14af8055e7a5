// Signed perpetual routes about orders: place, query, cancel, list, cancel all. Parameters are
// checked here as far as their form goes; whether an order is admitted is clearing's decision.

import { maybeSymbol, oneSymbol, orderQuery } from "../../../../schemas/http/common.ts";
import { type FapiOrderParameters, fapiOrder } from "../../../../schemas/http/fapi.ts";
import { isClientId } from "../../../core/client-id.ts";
import type { PlaceOrder } from "../../../core/commands.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { noOptions, OrderStatus, OrderType, TimeInForce } from "../../../core/orders.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { OrderFlow, type OrderReference, priceOf, qtyOf, reasonOfFigure } from "../order-flow.ts";
import { sidesByWord, timesInForceByWord } from "../order-words.ts";
import { marketOf, parameterReader } from "../read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../route.ts";
import type { HttpCall } from "../server/http-call.ts";
import {
  missingParameter,
  orderUnknown,
  refuse,
  type SurfaceError,
  unneededParameter,
  unsupportedCombination,
  unsupportedOperation,
} from "../surface-error.ts";
import { readRoute, tradeRoute } from "../weighted-routes.ts";
import { badClientId, badPositionSide, fapiErrors } from "./error-map.ts";
import { ackText, orderText } from "./order-text.ts";

const kind = MarketKind.perpetual;
const readOrder = parameterReader(fapiOrder);
const readQuery = parameterReader(orderQuery);
const readMaybeSymbol = parameterReader(maybeSymbol);
const readSymbol = parameterReader(oneSymbol);

/** What the order asks for that is not offered, or belongs to a mode this venue has not. */
function unofferedFault(asked: FapiOrderParameters): SurfaceError | undefined {
  if (asked.positionSide === "LONG" || asked.positionSide === "SHORT") return badPositionSide;
  if (asked.reduceOnly === true || asked.closePosition === true) return unsupportedCombination;
  const { newClientOrderId: clientId } = asked;
  return clientId === undefined || isClientId(clientId) ? undefined : badClientId;
}

/** The first parameter that is missing or does not belong beside the others. */
function shapeFault(asked: FapiOrderParameters): SurfaceError | undefined {
  if (asked.quantity === undefined) return missingParameter("quantity");
  if (asked.type === "LIMIT") {
    if (asked.timeInForce === undefined) return missingParameter("timeInForce");
    return asked.price === undefined ? missingParameter("price") : undefined;
  }
  if (asked.price !== undefined) return unneededParameter("price");
  return asked.timeInForce === undefined ? undefined : unneededParameter("timeInForce");
}

type OrderAsk = Omit<PlaceOrder, "kind" | "source" | "correlation" | "atUs" | "deadlineUs">;

/** The order as integers, or what is wrong with its figures. */
function orderOf(
  asked: FapiOrderParameters,
  market: Market,
  account: number,
): OrderAsk | SurfaceError {
  const price = priceOf(asked.price ?? "0", market);
  if (price < 0) return fapiErrors[reasonOfFigure(price)];
  const qty = qtyOf(asked.quantity ?? "0", market);
  if (qty < 0) return fapiErrors[reasonOfFigure(qty)];
  const isMarket = asked.type === "MARKET";
  return {
    account,
    market: market.id,
    side: sidesByWord[asked.side],
    type: isMarket ? OrderType.market : OrderType.limit,
    timeInForce: isMarket ? TimeInForce.ioc : timesInForceByWord[asked.timeInForce ?? "GTC"],
    price,
    qty,
    ...noOptions,
    clientId: asked.newClientOrderId ?? "",
  };
}

class FapiOrderRoutes {
  readonly #context: RouteContext;
  readonly #flow: OrderFlow;

  constructor(context: RouteContext) {
    this.#context = context;
    this.#flow = new OrderFlow(context, fapiErrors);
  }

  place(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    if (this.#flow.bars(call, caller, kind)) return;
    const { account } = caller;
    const asked = readOrder(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const order = shapeFault(asked) ?? unofferedFault(asked) ?? orderOf(asked, market, account);
    if ("code" in order) {
      refuse(call, order);
      return;
    }
    const text = asked.newOrderRespType === "ACK" ? ackText : orderText;
    this.#flow.place(call, order, (placed) => call.json(text(placed, market)));
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
      else refuse(call, orderUnknown);
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
    const texts = this.#context.model.openOrderTexts(account, { kind, market }, orderText);
    call.json(`[${texts.join(",")}]`);
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
    const { orderId, origClientOrderId: clientId } = asked;
    if (orderId !== undefined || clientId !== undefined) return { market, orderId, clientId };
    refuse(call, missingParameter("orderId"));
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
    tradeRoute("POST /fapi/v1/order/test", (call) => refuse(call, unsupportedOperation)),
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
