// The routes of order lists: place an OCO, OTO, OTOCO, OPO or OPOCO, cancel and query lists. `listed-orders.ts` reads the
// orders of a list.

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
import { CommandKind, type PlaceList, type PlaceOrder } from "../../../core/generated/commands.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import {
  hasWorkingOrder,
  isReservedListClientId,
  joinClientIds,
  OrderListType,
} from "../../../core/order-lists.ts";
import { OrderStatus } from "../../../core/orders.ts";
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
  refuse,
  refused,
  spanTooLong,
} from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";
import { spotErrors } from "./error-map.ts";
import {
  type ListedOrder,
  ocoOrders,
  oldOcoOrders,
  paidByWorking,
  withWorking,
} from "./listed-orders.ts";
import { cancelledListText, orderListText, placedListText } from "./order-list-texts.ts";
import { placedText } from "./order-placing.ts";
import { listText } from "./render.ts";

const kind = MarketKind.spot;

/** The longest allowed span from startTime to endTime (Binance: 24 hours). */
const spanMaxMs = 86_400_000;

function legOf(order: PlaceOrder | undefined): PlaceList["first"] {
  if (order === undefined) return null;
  const { side, type, timeInForce, price, qty, triggerPrice, icebergQty, peg, pegOffset } = order;
  return { side, type, timeInForce, price, qty, triggerPrice, icebergQty, peg, pegOffset };
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

/**
 * The list as its answer shows it. Pending orders become active in a transaction of their own, which may be over by now,
 * so if the working order was filled at once they are shown as they were accepted: the answer does not depend on how far
 * the venue is.
 */
function asPlaced({ list, orders }: FoundList, asked: readonly PlaceOrder[]): FoundList {
  const [working] = orders;
  const isFilled = hasWorkingOrder(list.type) && working?.status === OrderStatus.filled;
  if (!isFilled || working.orderId !== list.listId) return { list, orders };
  const accepted = { status: OrderStatus.open, isPending: true, isRefused: false, triggeredUs: 0 };
  const shown = orders.map((order) => {
    const terms = asked[order.orderId - list.listId];
    if (order === working || terms === undefined) return order;
    const { price, qty } = terms;
    const untouched = { filledQty: 0, filledQuote: 0n, updatedUs: order.acceptedUs };
    return { ...order, ...accepted, ...untouched, price, qty };
  });
  return { list, orders: shown };
}

/** Sends a list of the given orders, and answers with the list and the reports of its orders. */
function place(
  { table, model, lists }: ListParts,
  call: HttpCall,
  params: OfList,
  { account }: Caller,
  read: (book: MarketBook, account: number) => [OrderListType, readonly ListedOrder[]],
): void {
  const market = marketOf(table, kind, params.symbol);
  const [listType, asked] = read({ market, model }, account);
  if (params.cancelOnDisconnect === true) checkDeclared(call, account);
  const { listClientOrderId = "" } = params;
  if (isReservedListClientId(listClientOrderId)) refused(illegalParameter("listClientOrderId"));
  const orders = asked.map(({ order }) => order);
  const command = commandOf(listType, orders, listClientOrderId);
  lists.place(call, command, (outcome) => {
    if ("code" in outcome) {
      refuse(call, outcome);
      return;
    }
    const shown = shownIn(call.view, market);
    const { newOrderRespType = "RESULT" } = params;
    const placed = asPlaced(outcome, orders);
    const reports = placed.orders.map((order) => {
      const peg = asked[order.orderId - outcome.list.listId]?.peg ?? {};
      return placedText(model, order, { market: shown, params: { ...peg, newOrderRespType } });
    });
    call.json(placedListText(placed, shown, reports));
  });
}

function marketOfList({ table }: RouteContext, { list }: FoundList): Market {
  return table.market(list.market);
}

const pairExample =
  "symbol=CC-USDC&side=BUY&quantity=200&aboveType=STOP_LOSS&aboveStopPrice=0.3&belowType=LIMIT_MAKER&belowPrice=0.1";

/** What all routes that place a list have in common. */
const placing = {
  isStrict: true,
  isFreeIfDone: true,
  before: ({ flow }: ListParts, caller: Caller) => flow.refuseIfBarred(caller, kind),
} as const;

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
      place(parts, call, params, caller, (book, account) => {
        return [OrderListType.oco, ocoOrders(params, book, account)];
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
        return [OrderListType.oto, withWorking(params, "one", book, account)];
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
        return [OrderListType.otoco, withWorking(params, "pair", book, account)];
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
        return [OrderListType.opo, paidByWorking(params, "one", book, account)];
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
        return [OrderListType.opoco, paidByWorking(params, "pair", book, account)];
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
