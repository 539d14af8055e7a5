// Signed spot routes about orders: place, query, cancel, list, cancel all. Parameters are checked
// here as far as their form goes; whether an order is admitted is clearing's decision alone.

import { maybeSymbol, oneSymbol, orderQuery } from "../../../../schemas/http/common.ts";
import {
  type SpotCancelParameters,
  type SpotOrderParameters,
  spotCancel,
  spotOrder,
} from "../../../../schemas/http/spot.ts";
import type { PlaceOrder } from "../../../core/commands.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { noOptions, OrderType, TimeInForce } from "../../../core/orders.ts";
import type { OrderRecord } from "../../../ports/history-store.ts";
import {
  endpointWeights,
  spotOpenOrdersWeight,
} from "../../../services/access/endpoint-weights.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { OrderFlow, priceOf, qtyOf, reasonOfFigure } from "../order-flow.ts";
import { sidesByWord, timesInForceByWord } from "../order-words.ts";
import { marketOf, parameterReader } from "../read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../route.ts";
import type { HttpCall } from "../server/http-call.ts";
import {
  badRestriction,
  missingParameter,
  orderUnknown,
  precisionExceeded,
  refuse,
  type SurfaceError,
  unneededParameter,
  unsupportedCombination,
} from "../surface-error.ts";
import { spotErrors } from "./error-map.ts";
import { ackText, cancelText, fullText, listText, orderText, resultText } from "./render.ts";

const kind = MarketKind.spot;
const readOrder = parameterReader(spotOrder);
const readCancel = parameterReader(spotCancel);
const readQuery = parameterReader(orderQuery);
const readMaybeSymbol = parameterReader(maybeSymbol);
const readSymbol = parameterReader(oneSymbol);

/** More places than this are beyond any asset (exchangeInfo: precision 8). */
const tooManyPlaces = /\.\d{8}\d*[1-9]/;

/** The first parameter that is missing or does not belong beside the others. */
function shapeFault(asked: SpotOrderParameters): SurfaceError | undefined {
  if (asked.quoteOrderQty !== undefined) return unsupportedCombination;
  if (asked.quantity === undefined) return missingParameter("quantity");
  if (asked.type === "MARKET") {
    if (asked.price !== undefined) return unneededParameter("price");
    return asked.timeInForce === undefined ? undefined : unneededParameter("timeInForce");
  }
  if (asked.price === undefined) return missingParameter("price");
  const needsTime = asked.type === "LIMIT" && asked.timeInForce === undefined;
  return needsTime ? missingParameter("timeInForce") : undefined;
}

const orderTypes = {
  LIMIT: OrderType.limit,
  MARKET: OrderType.market,
  LIMIT_MAKER: OrderType.limitMaker,
} as const;

function timeInForceOf(asked: SpotOrderParameters): TimeInForce {
  if (asked.type === "MARKET") return TimeInForce.ioc;
  if (asked.type === "LIMIT_MAKER") return TimeInForce.gtx;
  return timesInForceByWord[asked.timeInForce ?? "GTC"];
}

type OrderAsk = Omit<PlaceOrder, "kind" | "source" | "correlation" | "atUs" | "deadlineUs">;

/** The order as integers, or what is wrong with its figures. */
function orderOf(
  asked: SpotOrderParameters,
  market: Market,
  account: number,
): OrderAsk | SurfaceError {
  const { price: priceText = "0", quantity = "0" } = asked;
  if (tooManyPlaces.test(priceText) || tooManyPlaces.test(quantity)) return precisionExceeded;
  const price = priceOf(priceText, market);
  if (price < 0) return spotErrors[reasonOfFigure(price)];
  const qty = qtyOf(quantity, market);
  if (qty < 0) return spotErrors[reasonOfFigure(qty)];
  return {
    account,
    market: market.id,
    side: sidesByWord[asked.side],
    type: orderTypes[asked.type],
    timeInForce: timeInForceOf(asked),
    price,
    qty,
    ...noOptions,
    clientId: asked.newClientOrderId ?? "",
  };
}

/** Both ways to name an order are missing: the fault Binance names after the second. */
function isUnnamed({ orderId, origClientOrderId }: Partial<SpotCancelParameters>): boolean {
  return orderId === undefined && origClientOrderId === undefined;
}

class SpotOrderRoutes {
  readonly #context: RouteContext;
  readonly #flow: OrderFlow;

  constructor(context: RouteContext) {
    this.#context = context;
    this.#flow = new OrderFlow(context, spotErrors);
  }

  place(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    if (this.#flow.bars(call, caller, kind)) return;
    const { account } = caller;
    const asked = readOrder(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const order = shapeFault(asked) ?? orderOf(asked, market, account);
    if ("code" in order) {
      refuse(call, order);
      return;
    }
    this.#flow.place(call, order, (placed) => {
      call.json(this.#placedText(placed, market, asked.newOrderRespType ?? "FULL"));
    });
  }

  query(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const asked = readQuery(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    if (isUnnamed(asked)) {
      refuse(call, missingParameter("orderId"));
      return;
    }
    const { orderId, origClientOrderId: clientId } = asked;
    this.#flow.find(call, caller, { market, orderId, clientId }, (order) => {
      call.json(orderText(order, market));
    });
  }

  cancel(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const asked = readCancel(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    if (isUnnamed(asked) || asked.cancelRestrictions !== undefined) {
      refuse(call, isUnnamed(asked) ? missingParameter("orderId") : badRestriction);
      return;
    }
    const { orderId, origClientOrderId: clientId } = asked;
    this.#flow.cancel(call, caller, { market, orderId, clientId }, (order, lastSeq) => {
      const cancelId = asked.newClientOrderId ?? cancelIdOf(order, lastSeq);
      call.json(cancelText(order, market, cancelId));
    });
  }

  list(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readMaybeSymbol(call, parameters);
    if (asked === null) return;
    const { symbol } = asked;
    const market = symbol === undefined ? null : this.#market(call, symbol);
    if (symbol !== undefined && market === null) return;
    const texts = this.#context.model.openOrderTexts(account, { kind, market }, orderText);
    call.json(listText(texts));
  }

  cancelAll(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const asked = readSymbol(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (market === null) return;
    this.#flow.cancelAll(call, caller, market, (orders, lastSeq) => {
      const texts = orders.map((order) => cancelText(order, market, cancelIdOf(order, lastSeq)));
      if (texts.length === 0) refuse(call, orderUnknown);
      else call.json(listText(texts));
    });
  }

  #market(call: HttpCall, symbol: string): Market | null {
    return marketOf(call, this.#context.table, { symbol, kind });
  }

  #placedText(order: OrderRecord, market: Market, form: "ACK" | "RESULT" | "FULL"): string {
    const fills = this.#context.model.takeFills(order.orderId);
    if (form === "ACK") return ackText(order, market);
    return form === "RESULT" ? resultText(order, market) : fullText(order, market, fills);
  }
}

/** An id for a cancel whose client gave none: derived, so that it needs no memory. */
function cancelIdOf({ orderId }: OrderRecord, lastSeq: number): string {
  return `c-${orderId}-${lastSeq}`;
}

/** The signed order routes of the spot surface. */
export function spotOrderRoutes(context: RouteContext): SignedRoute[] {
  const routes = new SpotOrderRoutes(context);
  return [
    {
      method: "POST",
      path: "/api/v3/order",
      security: "trade",
      weight: endpointWeights["POST /api/v3/order"],
      orders: 1,
      answer: (call, parameters, caller) => routes.place(call, parameters, caller),
    },
    {
      method: "GET",
      path: "/api/v3/order",
      security: "read",
      weight: endpointWeights["GET /api/v3/order"],
      answer: (call, parameters, caller) => routes.query(call, parameters, caller),
    },
    {
      method: "DELETE",
      path: "/api/v3/order",
      security: "trade",
      weight: endpointWeights["DELETE /api/v3/order"],
      answer: (call, parameters, caller) => routes.cancel(call, parameters, caller),
    },
    {
      method: "GET",
      path: "/api/v3/openOrders",
      security: "read",
      weight: (parameters) => spotOpenOrdersWeight(parameters.get("symbol") !== undefined),
      answer: (call, parameters, caller) => routes.list(call, parameters, caller),
    },
    {
      method: "DELETE",
      path: "/api/v3/openOrders",
      security: "trade",
      weight: endpointWeights["DELETE /api/v3/openOrders"],
      answer: (call, parameters, caller) => routes.cancelAll(call, parameters, caller),
    },
  ];
}
