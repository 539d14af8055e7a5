// POST order and order/test of the spot surface: which parameters a type needs, which do not belong beside it,
// figures in ticks, lots and minor units, and how what became of the order is told. The new half of
// cancelReplace is read and told here too, so that all are refused alike (binance-compat 4.3).

import {
  type SpotOrderParameters,
  spotOrder,
  spotOrderTest,
} from "../../../../schemas/http/spot.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { parseAmount } from "../../../core/money/decimal.ts";
import {
  isConditional,
  OrderType,
  TimeInForce,
  timesInForce,
  tradedType,
} from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { plainOrder } from "../orders/command-bridge.ts";
import { foreseenRefusal } from "../orders/foreseen-refusal.ts";
import type { OrderFlow } from "../orders/order-flow.ts";
import {
  priceOf,
  qtyOf,
  reasonOfFigure,
  type ShownMarket,
  shownIn,
  sidesByWord,
  stpModesByWord,
} from "../orders/order-words.ts";
import type { ReadModel } from "../read-model.ts";
import { marketOf, orderReader } from "../requests/read-parameters.ts";
import type { Caller, RouteContext } from "../requests/route.ts";
import {
  badStrategyType,
  hinted,
  illegalParameter,
  missingParameter,
  precisionExceeded,
  refuse,
  type SurfaceError,
  unneededParameter,
} from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";
import { orderCommissionText, ratesOf } from "./commission-text.ts";
import { spotErrors } from "./error-map.ts";
import { explainerOf, priceHint, qtyHint } from "./filter-hints.ts";
import { ackText, fullText, resultText } from "./render.ts";

const kind = MarketKind.spot;
const readOrder = orderReader(spotOrder);
const readTest = orderReader(spotOrderTest);

/** How much an answer to an order says. */
type AnswerForm = "ACK" | "RESULT" | "FULL";

const typesByWord = {
  LIMIT: OrderType.limit,
  MARKET: OrderType.market,
  LIMIT_MAKER: OrderType.limitMaker,
  STOP_LOSS: OrderType.stopMarket,
  STOP_LOSS_LIMIT: OrderType.stop,
  TAKE_PROFIT: OrderType.takeProfitMarket,
  TAKE_PROFIT_LIMIT: OrderType.takeProfit,
} as const;

/** More places than this are beyond any asset (exchangeInfo: precision 8). */
const tooManyPlaces = /\.\d{8}\d*[1-9]/;
const zero = /^0+(\.0*)?$/;

/** Smaller numbers are kept by Binance for itself. */
const strategyTypeMin = 1_000_000;

/** The first parameter that the type needs and does not have. */
function missingFault(asked: SpotOrderParameters, type: OrderType): SurfaceError | undefined {
  const traded = tradedType(type);
  const isByAmount = type === OrderType.market && asked.quoteOrderQty !== undefined;
  if (asked.quantity === undefined && !isByAmount) return missingParameter("quantity");
  if (traded !== OrderType.market && asked.price === undefined) return missingParameter("price");
  if (traded === OrderType.limit && asked.timeInForce === undefined) {
    return missingParameter("timeInForce");
  }
  const needsStop = isConditional(type) && asked.stopPrice === undefined;
  return needsStop ? missingParameter("stopPrice") : undefined;
}

/** The first parameter that does not belong beside the type. */
function unneededFault(asked: SpotOrderParameters, type: OrderType): SurfaceError | undefined {
  const traded = tradedType(type);
  const { timeInForce, stopPrice, quoteOrderQty } = asked;
  if (asked.price !== undefined && traded === OrderType.market) return unneededParameter("price");
  const isGtcMaker = traded === OrderType.limitMaker && timeInForce === "GTC";
  if (timeInForce !== undefined && traded !== OrderType.limit && !isGtcMaker) {
    return unneededParameter("timeInForce");
  }
  // Clients send a zero for a price they do not mean.
  const hasStop = stopPrice !== undefined && !zero.test(stopPrice);
  if (hasStop && !isConditional(type)) return unneededParameter("stopPrice");
  if (quoteOrderQty === undefined) return undefined;
  const isAlone = type === OrderType.market && asked.quantity === undefined;
  return isAlone ? undefined : unneededParameter("quoteOrderQty");
}

function timeInForceOf(asked: SpotOrderParameters, type: OrderType): TimeInForce {
  const traded = tradedType(type);
  if (traded === OrderType.market) return TimeInForce.ioc;
  return traded === OrderType.limitMaker
    ? TimeInForce.gtx
    : timesInForce[asked.timeInForce ?? "GTC"].code;
}

/** Ticks, or what is wrong with the price. */
function ticksOf(text: string, name: "price" | "stopPrice", market: Market): number | SurfaceError {
  if (tooManyPlaces.test(text)) return precisionExceeded;
  const price = priceOf(text, market);
  if (price >= 0 && !(price === 0 && name === "stopPrice")) return price;
  const reason = price === 0 ? RejectReason.priceNotPositive : reasonOfFigure(price);
  return hinted(spotErrors[reason], priceHint(name, text, market));
}

/** Lots, or what is wrong with the quantity. */
export function lotsOf(text: string, name: string, market: Market): number | SurfaceError {
  if (tooManyPlaces.test(text)) return precisionExceeded;
  const qty = qtyOf(text, market);
  return qty >= 0 ? qty : hinted(spotErrors[reasonOfFigure(qty)], qtyHint(name, text, market));
}

/** Minor units of the quote to spend or to raise, or what is wrong with the amount. */
function amountOf(text: string, market: Market): bigint | SurfaceError {
  const amount = parseAmount(text, market.quote.decimals);
  if (amount !== null && amount > 0n) return amount;
  if (amount === 0n) return spotErrors[RejectReason.notionalTooSmall];
  const isLong = parseAmount(text.replace(/\..*/, ""), market.quote.decimals) === null;
  return isLong ? illegalParameter("quoteOrderQty") : precisionExceeded;
}

/** The order as clearing takes it, or the first thing wrong with it. */
export function orderOf(
  asked: SpotOrderParameters,
  market: Market,
  account: number,
): PlaceOrder | SurfaceError {
  const type = typesByWord[asked.type];
  const fault = missingFault(asked, type) ?? unneededFault(asked, type);
  if (fault !== undefined) return fault;
  if ((asked.strategyType ?? strategyTypeMin) < strategyTypeMin) return badStrategyType;
  const price = asked.price === undefined ? 0 : ticksOf(asked.price, "price", market);
  if (typeof price !== "number") return price;
  const qty = asked.quantity === undefined ? 0 : lotsOf(asked.quantity, "quantity", market);
  if (typeof qty !== "number") return qty;
  const { stopPrice, quoteOrderQty } = asked;
  const triggerPrice = isConditional(type) ? ticksOf(stopPrice ?? "0", "stopPrice", market) : 0;
  if (typeof triggerPrice !== "number") return triggerPrice;
  const quoteQty = quoteOrderQty === undefined ? 0n : amountOf(quoteOrderQty, market);
  if (typeof quoteQty !== "bigint") return quoteQty;
  const order = plainOrder(account, market.id);
  order.side = sidesByWord[asked.side];
  order.type = type;
  order.timeInForce = timeInForceOf(asked, type);
  order.price = price;
  order.qty = qty;
  order.clientId = asked.newClientOrderId ?? "";
  order.stpMode = stpModesByWord[asked.selfTradePreventionMode ?? "NONE"];
  order.triggerPrice = triggerPrice;
  order.quoteQty = quoteQty;
  return order;
}

/** A refusal of `order` with what would have passed, where the view shows it. */
export const explained = explainerOf(spotErrors);

/** An accepted order in the form asked for; its fills are told once. */
export function placedText(
  model: ReadModel,
  order: OrderRecord,
  { market, form = "FULL" }: { market: ShownMarket; form?: AnswerForm | undefined },
): string {
  // Only what has traded has fills to look for.
  const fills = order.filledQty > 0 ? model.takeFills(order.orderId) : [];
  if (form === "ACK") return ackText(order, market);
  return form === "RESULT" ? resultText(order, market) : fullText(order, market, fills);
}

/** The routes that place an order, and try one. */
export class OrderPlacing {
  readonly #context: RouteContext;
  readonly #flow: OrderFlow;

  constructor(context: RouteContext, flow: OrderFlow) {
    this.#context = context;
    this.#flow = flow;
  }

  readonly place = (call: HttpCall, parameters: RequestParameters, caller: Caller): void => {
    if (this.#flow.bars(call, caller, kind)) return;
    const asked = readOrder(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const order = orderOf(asked, market, caller.account);
    if ("code" in order) {
      refuse(call, order);
      return;
    }
    const { model } = this.#context;
    const { view } = call;
    this.#flow.place(order, (outcome) => {
      if ("code" in outcome) refuse(call, explained(outcome, order, { market, model, view }));
      else {
        const shown = shownIn(view, market);
        call.json(placedText(model, outcome, { market: shown, form: asked.newOrderRespType }));
      }
    });
  };

  /** Checks an order as far as this front can; nothing is asked of clearing. */
  readonly try = (call: HttpCall, parameters: RequestParameters, caller: Caller): void => {
    if (this.#flow.bars(call, caller, kind)) return;
    const asked = readTest(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const order = orderOf(asked, market, caller.account);
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
  };

  #market(call: HttpCall, symbol: string): Market | null {
    return marketOf(call, this.#context.table, { symbol, kind });
  }
}
