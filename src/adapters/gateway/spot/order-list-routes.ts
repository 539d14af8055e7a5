// The routes of order lists: place an OCO, OTO, OTOCO, OPO or OPOCO, cancel and query lists. The orders of a list are
// converted like single orders, so that they get the same refusals; the names of their parameters have a prefix.

import type * as z from "zod";
import {
  spotAllLists,
  spotListCancel,
  spotListQuery,
  spotOco,
  spotOldOco,
  spotOpo,
  spotOpoco,
  spotOto,
  spotOtoco,
} from "../../../../schemas/http/order-lists.ts";
import type { SpotOrderParameters } from "../../../../schemas/http/spot.ts";
import { CommandKind, type PlaceList, type PlaceOrder } from "../../../core/generated/commands.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { isReservedListClientId, joinClientIds, OrderListType } from "../../../core/order-lists.ts";
import { isReservedClientId, OrderType } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { MarketBook } from "../orders/book-level.ts";
import { checkDeclared } from "../orders/cancel-on-disconnect.ts";
import { type FoundList, ListFlow } from "../orders/list-flow.ts";
import { OrderFlow } from "../orders/order-flow.ts";
import { shownIn } from "../orders/order-format.ts";
import { boundsOf, marketOf } from "../requests/read-request.ts";
import { type Caller, readRoute, routeGroup, tradeRoute } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
import {
  badCombination,
  illegalParameter,
  missingParameter,
  orderUnknownToQuery,
  pendingMustSell,
  refuse,
  refused,
  spanTooLong,
  workingMustBuy,
} from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";
import { spotErrors } from "./error-map.ts";
import { cancelledListText, orderListText, placedListText } from "./order-list-texts.ts";
import { orderOf, placedText } from "./order-placing.ts";
import { listText } from "./render.ts";

const kind = MarketKind.spot;

/** The longest allowed span from startTime to endTime (Binance: 24 hours). */
const spanMaxMs = 86_400_000;

/** Parameters that orders and lists share, as they are read; the schemas know the names of each list. */
type Given = Readonly<Record<string, string | number | boolean | undefined>>;

/** One order of a list: the prefix of its parameters, its side, and its quantity and the name of that. */
interface Leg {
  readonly prefix: string;
  readonly side: string;
  readonly quantity: string;
  readonly quantityName: string;
  /** Parameters that have another name than the prefix gives them. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/** The name in a list of a single order's parameter: `abovePrice` for `price`. */
function prefixed(prefix: string, name: string): string {
  const own = name === "newClientOrderId" ? "clientOrderId" : name;
  return prefix + own.slice(0, 1).toUpperCase() + own.slice(1);
}

const ofLeg = [
  ...["type", "price", "stopPrice", "timeInForce", "newClientOrderId"],
  ...["trailingDelta", "icebergQty", "strategyId", "strategyType"],
];

/** The order of a list as a single order. */
function orderOfLeg(given: Given, leg: Leg, book: MarketBook, account: number): PlaceOrder {
  const own = ofLeg.map((name) => [name, given[prefixed(leg.prefix, name)]]);
  const { symbol, selfTradePreventionMode } = given;
  const params = { symbol, selfTradePreventionMode, side: leg.side, quantity: leg.quantity };
  const order = { ...params, ...Object.fromEntries(own) } as SpotOrderParameters;
  const nameOf = (name: string) => {
    const own = name === "quantity" ? leg.quantityName : prefixed(leg.prefix, name);
    return leg.renamed?.[own] ?? own;
  };
  if (isReservedClientId(order.newClientOrderId ?? ""))
    refused(illegalParameter(nameOf("newClientOrderId")));
  return orderOf(order, book, account, nameOf);
}

/** The legs of an OCO, the stop loss first. */
function inPairOrder(orders: readonly PlaceOrder[]): readonly PlaceOrder[] {
  const [first, second] = orders;
  const isStop = (order: PlaceOrder | undefined) =>
    order?.type === OrderType.stop || order?.type === OrderType.stopMarket;
  if (first === undefined || second === undefined) return orders;
  return isStop(first) || !isStop(second) ? [first, second] : [second, first];
}

function legOf(order: PlaceOrder | undefined): PlaceList["first"] {
  if (order === undefined) return null;
  const { side, type, timeInForce, price, qty, triggerPrice } = order;
  return { side, type, timeInForce, price, qty, triggerPrice };
}

function commandOf(
  listType: OrderListType,
  orders: readonly PlaceOrder[],
  listClientOrderId: string,
): PlaceList {
  const [first, second, third] = orders;
  return {
    kind: CommandKind.placeList,
    source: 0,
    correlation: 0,
    atUs: 0,
    deadlineUs: 0,
    account: first?.account ?? 0,
    identity: null,
    market: first?.market ?? 0,
    listType,
    stpMode: first?.stpMode ?? 0,
    first: legOf(first),
    second: legOf(second),
    third: legOf(third),
    clientIds: joinClientIds([listClientOrderId, ...orders.map(({ clientId }) => clientId)]),
  };
}

interface ListParts extends RouteContext {
  readonly flow: OrderFlow;
  readonly lists: ListFlow;
}

type OfList = Pick<
  z.output<typeof spotOco>,
  "symbol" | "listClientOrderId" | "newOrderRespType" | "cancelOnDisconnect"
>;

/** Sends a list of the given orders, and answers with the list and the reports of its orders. */
function place(
  { table, model, lists }: ListParts,
  call: HttpCall,
  params: OfList,
  { account }: Caller,
  read: (book: MarketBook, account: number) => [OrderListType, readonly PlaceOrder[]],
): void {
  const market = marketOf(table, kind, params.symbol);
  const [listType, orders] = read({ market, model }, account);
  if (params.cancelOnDisconnect === true) checkDeclared(call, account);
  const { listClientOrderId = "" } = params;
  if (isReservedListClientId(listClientOrderId)) refused(illegalParameter("listClientOrderId"));
  const command = commandOf(listType, orders, listClientOrderId);
  lists.place(call, command, (outcome) => {
    if ("code" in outcome) {
      refuse(call, outcome);
      return;
    }
    const shown = shownIn(call.view, market);
    const shape = {
      market: shown,
      params: { newOrderRespType: params.newOrderRespType ?? "RESULT" },
    };
    const reports = outcome.orders.map((order) => placedText(model, order, shape));
    call.json(placedListText(outcome, shown, reports));
  });
}

function marketOfList({ table }: RouteContext, { list }: FoundList): Market {
  return table.market(list.market);
}

/** Names of parameters of `POST /order/oco`, by those that the prefixes of its orders give them. */
const oldNames = { limitPrice: "price", stopPrice: "stopLimitPrice", stopStopPrice: "stopPrice" };

/** The orders of `POST /order/oco`, whose LIMIT_MAKER order has parameters without a prefix. */
function oldOcoOrders(
  params: z.output<typeof spotOldOco>,
  book: MarketBook,
  account: number,
): readonly PlaceOrder[] {
  const { side, quantity, price, stopPrice, stopLimitPrice, stopLimitTimeInForce } = params;
  const isLimit = stopLimitPrice !== undefined;
  if (isLimit && stopLimitTimeInForce === undefined)
    refused(missingParameter("stopLimitTimeInForce"));
  const given = {
    ...params,
    limitType: "LIMIT_MAKER",
    limitPrice: price,
    stopType: isLimit ? "STOP_LOSS_LIMIT" : "STOP_LOSS",
    stopPrice: stopLimitPrice,
    stopStopPrice: stopPrice,
    stopTimeInForce: isLimit ? stopLimitTimeInForce : undefined,
  };
  const terms = { side, quantity, quantityName: "quantity", renamed: oldNames };
  return ["stop", "limit"].map((prefix) => orderOfLeg(given, { prefix, ...terms }, book, account));
}

const pairExample =
  "symbol=CC-USDC&side=BUY&quantity=200&aboveType=STOP_LOSS&aboveStopPrice=0.3&belowType=LIMIT_MAKER&belowPrice=0.1";

/** What all routes that place a list have in common. */
const placing = {
  isStrict: true,
  isFreeIfDone: true,
  before: ({ flow }: ListParts, caller: Caller) => flow.refuseIfBarred(caller, kind),
} as const;

type WithWorking = Pick<
  z.output<typeof spotOto>,
  "workingSide" | "workingQuantity" | "pendingSide"
> & { readonly pendingQuantity?: string };

type ListOrders = readonly [working: PlaceOrder, ...pending: PlaceOrder[]];

/** The orders of a list with a working order; `prefixes` of its pending orders. */
function withWorking(
  params: WithWorking & Given,
  prefixes: readonly string[],
  book: MarketBook,
  account: number,
): ListOrders {
  const { workingSide, workingQuantity, pendingSide: side, pendingQuantity } = params;
  const quantityName = "workingQuantity";
  const working = { side: workingSide, quantity: workingQuantity, quantityName };
  const first = orderOfLeg(params, { prefix: "working", ...working }, book, account);
  const pending =
    pendingQuantity === undefined
      ? { ...working, side }
      : { side, quantity: pendingQuantity, quantityName: "pendingQuantity" };
  const others = prefixes.map((prefix) =>
    orderOfLeg(params, { prefix, ...pending }, book, account),
  );
  return [first, ...inPairOrder(others)];
}

/** The orders of a list whose pending orders sell what the working one buys, and get their quantity then. */
function paidByWorking(
  params: WithWorking & Given,
  prefixes: readonly string[],
  book: MarketBook,
  account: number,
): ListOrders {
  if (params.workingSide !== "BUY") refused(workingMustBuy);
  if (params.pendingSide !== "SELL") refused(pendingMustSell);
  const [working, ...pending] = withWorking(params, prefixes, book, account);
  for (const order of pending) order.qty = 0;
  return [working, ...pending];
}

const pair = ["pendingAbove", "pendingBelow"];

/** The routes of order lists. */
export const spotListRoutes = routeGroup((context): ListParts => {
  const flow = new OrderFlow(context, spotErrors);
  return { ...context, flow, lists: new ListFlow(context, flow, spotErrors) };
})([
  tradeRoute("POST /api/v3/orderList/oco", {
    summary: "Places two orders that cancel each other.",
    reads: spotOco,
    session: "orderList.place.oco",
    example: `${pairExample}&listClientOrderId=oco-2`,
    orders: 2,
    ...placing,
    handle: (parts, call, params, caller) => {
      const { side, quantity } = params;
      const terms = { side, quantity, quantityName: "quantity" };
      place(parts, call, params, caller, (book, account) => {
        const orders = ["above", "below"].map((prefix) =>
          orderOfLeg(params, { prefix, ...terms }, book, account),
        );
        return [OrderListType.oco, inPairOrder(orders)];
      });
    },
  }),
  tradeRoute("POST /api/v3/orderList/oto", {
    summary: "Places an order that, once filled, places another.",
    reads: spotOto,
    session: "orderList.place.oto",
    example:
      "symbol=CC-USDC&workingType=LIMIT&workingSide=BUY&workingPrice=0.1&workingQuantity=100&workingTimeInForce=GTC" +
      "&pendingType=LIMIT_MAKER&pendingSide=SELL&pendingPrice=0.3&pendingQuantity=100&listClientOrderId=oto-1",
    orders: 2,
    ...placing,
    handle: (parts, call, params, caller) => {
      place(parts, call, params, caller, (book, account) => {
        return [OrderListType.oto, withWorking(params, ["pending"], book, account)];
      });
    },
  }),
  tradeRoute("POST /api/v3/orderList/otoco", {
    summary: "Places an order that, once filled, places two orders that cancel each other.",
    reads: spotOtoco,
    session: "orderList.place.otoco",
    example:
      "symbol=CC-USDC&workingType=LIMIT&workingSide=BUY&workingPrice=0.1&workingQuantity=400&workingTimeInForce=GTC" +
      "&pendingSide=SELL&pendingQuantity=400&pendingAboveType=LIMIT_MAKER&pendingAbovePrice=0.3" +
      "&pendingBelowType=STOP_LOSS&pendingBelowStopPrice=0.05&listClientOrderId=otoco-1",
    orders: 3,
    ...placing,
    handle: (parts, call, params, caller) => {
      place(parts, call, params, caller, (book, account) => {
        return [OrderListType.otoco, withWorking(params, pair, book, account)];
      });
    },
  }),
  tradeRoute("POST /api/v3/orderList/opo", {
    summary: "Places a buy order that, once filled, places an order that sells what it has bought.",
    reads: spotOpo,
    session: "orderList.place.opo",
    example:
      "symbol=CC-USDC&workingType=LIMIT&workingSide=BUY&workingPrice=0.1&workingQuantity=100&workingTimeInForce=GTC" +
      "&pendingType=LIMIT_MAKER&pendingSide=SELL&pendingPrice=0.3&listClientOrderId=opo-1",
    orders: 2,
    ...placing,
    handle: (parts, call, params, caller) => {
      place(parts, call, params, caller, (book, account) => {
        return [OrderListType.opo, paidByWorking(params, ["pending"], book, account)];
      });
    },
  }),
  tradeRoute("POST /api/v3/orderList/opoco", {
    summary:
      "Places a buy order that, once filled, places two orders that sell what it has bought and cancel each other.",
    reads: spotOpoco,
    session: "orderList.place.opoco",
    example:
      "symbol=CC-USDC&workingType=LIMIT&workingSide=BUY&workingPrice=0.1&workingQuantity=400&workingTimeInForce=GTC" +
      "&pendingSide=SELL&pendingAboveType=LIMIT_MAKER&pendingAbovePrice=0.3" +
      "&pendingBelowType=STOP_LOSS&pendingBelowStopPrice=0.05&listClientOrderId=opoco-1",
    orders: 3,
    ...placing,
    handle: (parts, call, params, caller) => {
      place(parts, call, params, caller, (book, account) => {
        return [OrderListType.opoco, paidByWorking(params, pair, book, account)];
      });
    },
  }),
  tradeRoute("POST /api/v3/order/oco", {
    summary: "Places two orders that cancel each other: the older form of the route.",
    reads: spotOldOco,
    session: "orderList.place",
    example: "symbol=CC-USDC&side=BUY&quantity=200&price=0.1&stopPrice=0.3&listClientOrderId=oco-1",
    orders: 2,
    ...placing,
    handle: (parts, call, params, caller) => {
      place(parts, call, params, caller, (book, account) => {
        return [OrderListType.oco, oldOcoOrders(params, book, account)];
      });
    },
  }),
  tradeRoute("DELETE /api/v3/orderList", {
    summary: "Cancels all orders of a list.",
    reads: spotListCancel,
    session: "orderList.cancel",
    example: "symbol=CC-USDC&listClientOrderId=oco-1",
    isFreeIfDone: true,
    answer: async ({ table, lists }, call, params, { account }) => {
      const market = marketOf(table, kind, params.symbol);
      const {
        orderListId: listId,
        listClientOrderId: clientId,
        newClientOrderId: cancelId,
      } = params;
      if (listId === undefined && clientId === undefined) refused(missingParameter("orderListId"));
      const list = await lists.find(account, { listId, clientId });
      if (list === null || list.market !== market.id) return spotErrors[RejectReason.unknownOrder];
      return new Promise((resolve) => {
        lists.cancel(call, account, { market, listId: list.listId }, (outcome, lastSeq) => {
          const shown = shownIn(call.view, market);
          const isRefused = "code" in outcome;
          resolve(isRefused ? outcome : cancelledListText(outcome, shown, { cancelId, lastSeq }));
        });
      });
    },
  }),
  readRoute("GET /api/v3/orderList", {
    summary: "One order list of the account.",
    weight: 4,
    reads: spotListQuery,
    session: "orderList.status",
    example: "origClientOrderId=oco-1",
    answer: async (parts, { view }, params, { account }) => {
      const { orderListId: listId, origClientOrderId: clientId } = params;
      if (listId === undefined && clientId === undefined) refused(missingParameter("orderListId"));
      const list = await parts.lists.find(account, { listId, clientId });
      if (list === null) return orderUnknownToQuery;
      const found = await parts.lists.withOrders(account, list);
      return orderListText(found, shownIn(view, marketOfList(parts, found)));
    },
  }),
  readRoute("GET /api/v3/allOrderList", {
    summary: "The account's order lists, open and over.",
    weight: 20,
    reads: spotAllLists,
    session: "allOrderLists",
    example: "limit=10",
    answer: async (parts, { view }, params, { account }) => {
      const { fromId, startTime, endTime, limit } = params;
      const hasTimes = startTime !== undefined || endTime !== undefined;
      if (fromId !== undefined && hasTimes) refused(badCombination);
      if (startTime !== undefined && endTime !== undefined) {
        if (endTime < startTime) refused(badCombination);
        if (endTime - startTime > spanMaxMs) refused(spanTooLong(24));
      }
      const range = { fromListId: fromId ?? null, ...boundsOf(params), clientId: null, limit };
      const stored = await parts.history.orderLists({ account, ...range });
      const found = await parts.lists.allWithOrders(account, stored);
      return listText(
        found.map((list) => orderListText(list, shownIn(view, marketOfList(parts, list)))),
      );
    },
  }),
  readRoute("GET /api/v3/openOrderList", {
    summary: "The account's open order lists.",
    weight: 6,
    session: "openOrderLists.status",
    answer: async (parts, { view }, _, { account }) => {
      const open = parts.model.openLists(account);
      const found = await parts.lists.allWithOrders(account, open);
      return listText(
        found.map((list) => orderListText(list, shownIn(view, marketOfList(parts, list)))),
      );
    },
  }),
]);
