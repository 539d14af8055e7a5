// Signed order routes of the spot surface: replace, amend, query, cancel, list, cancel all. order-placing.ts
// places orders.

import { maybeSymbol, oneSymbol, orderQuery } from "../../../../schemas/http/common.ts";
import { spotAmend, spotCancel, spotCancelReplace } from "../../../../schemas/http/spot.ts";
import { MarketKind } from "../../../core/markets.ts";
import { OrderStatus } from "../../../core/orders.ts";
import { bySymbol } from "../../../services/access/request-weight.ts";
import { ListFlow } from "../orders/list-flow.ts";
import { OrderFlow } from "../orders/order-flow.ts";
import { shownIn } from "../orders/order-format.ts";
import { spotOrderExample } from "../requests/example.ts";
import { marketOf } from "../requests/read-request.ts";
import { readRoute, routeGroup, tradeRoute } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
import {
  illegalParameter,
  missingParameter,
  orderUnknown,
  orderUnknownToAmend,
  Refusal,
  refuse,
  refused,
} from "../requests/surface-error.ts";
import { CancelReplace, cancelTermsOf } from "./cancel-replace.ts";
import { spotErrors } from "./error-map.ts";
import { cancelledListText } from "./order-list-texts.ts";
import { cancelMessage } from "./order-messages.ts";
import { lotsOf } from "./order-placing.ts";
import { amendedText, cancelText, listText, orderText } from "./render.ts";

const kind = MarketKind.spot;

interface OrderParts extends RouteContext {
  readonly flow: OrderFlow;
  readonly replacing: CancelReplace;
  readonly lists: ListFlow;
}

/** The signed order routes of the spot surface. */
export const spotOrderRoutes = routeGroup((context): OrderParts => {
  const flow = new OrderFlow(context, spotErrors, orderUnknownToAmend);
  const lists = new ListFlow(context, flow, spotErrors);
  return { ...context, flow, lists, replacing: new CancelReplace(context, flow) };
})([
  tradeRoute("POST /api/v3/order/cancelReplace", {
    summary: "Cancels one order and places another.",
    isFreeIfDone: true,
    reads: spotCancelReplace,
    session: "order.cancelReplace",
    example: `${spotOrderExample}&cancelReplaceMode=STOP_ON_FAILURE&cancelOrigClientOrderId=spot-1&newClientOrderId=spot-2`,
    orders: 1,
    isStrict: true,
    faults: { 409: "One or both parts failed: both answers are in `data`." },
    before: ({ flow }, caller) => flow.refuseIfBarred(caller, kind),
    handle: ({ replacing }, call, params, caller) => replacing.run(call, params, caller),
  }),
  tradeRoute("PUT /api/v3/order/amend/keepPriority", {
    summary: "Reduces the quantity of an order, which keeps its queue position.",
    reads: spotAmend,
    session: "order.amend.keepPriority",
    example: "symbol=CC-USDC&origClientOrderId=spot-1&newQty=150",
    isStrict: true,
    answer: async ({ table, flow }, call, params, caller) => {
      const { view } = call;
      const market = marketOf(table, kind, params.symbol);
      const { orderId, origClientOrderId: clientId } = params;
      const qty = lotsOf(params.newQty, "newQty", market);
      if (orderId === undefined && clientId === undefined) refused(missingParameter("orderId"));
      const reference = { market, orderId, clientId };
      const order = await flow.find(caller, reference, orderUnknownToAmend);
      const isRenamed = (params.newClientOrderId ?? order.clientId) !== order.clientId;
      if (order.status !== OrderStatus.open) refused(orderUnknownToAmend);
      if (isRenamed) refused(illegalParameter("newClientOrderId"));
      const named = { market, orderId: order.orderId, clientId: undefined };
      return new Promise((resolve, reject) => {
        const terms = { price: 0, qty, growsNot: true };
        flow.amend(call, order.account, named, terms, (outcome, lastSeq) => {
          if ("code" in outcome) reject(new Refusal(outcome));
          else resolve(amendedText(outcome, shownIn(view, market), lastSeq));
        });
      });
    },
  }),
  readRoute("GET /api/v3/order", {
    summary: "One order of the account.",
    weight: 2,
    reads: orderQuery,
    session: "order.status",
    example: "symbol=CC-USDC&origClientOrderId=spot-1",
    answer: async ({ table, flow }, { view }, params, caller) => {
      const market = marketOf(table, kind, params.symbol);
      const { orderId, origClientOrderId: clientId } = params;
      if (orderId === undefined && clientId === undefined) refused(missingParameter("orderId"));
      const order = await flow.find(caller, { market, orderId, clientId });
      return orderText(order, shownIn(view, market));
    },
  }),
  tradeRoute("DELETE /api/v3/order", {
    summary: "Cancels one order.",
    isFreeIfDone: true,
    reads: spotCancel,
    session: "order.cancel",
    example: "symbol=CC-USDC&origClientOrderId=spot-2",
    handle: ({ table, flow, lists }, call, params, caller) => {
      const market = marketOf(table, kind, params.symbol);
      const { orderId, origClientOrderId: clientId, newClientOrderId: cancelId } = params;
      const restrictions = params.cancelRestrictions;
      const terms = cancelTermsOf({ orderId, clientId, restrictions }, "orderId");
      flow.cancel(call, caller, { market, ...terms }, (order, lastSeq) => {
        const shown = shownIn(call.view, market);
        const answered = { cancelId, lastSeq };
        if (order.listId === 0 && call.sbe !== null)
          call.message(call.sbe, "CancelOrderResponse", cancelMessage(order, shown, answered));
        else if (order.listId === 0) call.json(cancelText(order, shown, answered));
        else {
          lists.report(caller.account, order.listId, (found) => {
            if ("code" in found) refuse(call, found);
            else call.json(cancelledListText(found, shown, answered));
          });
        }
      });
    },
  }),
  readRoute("GET /api/v3/openOrders", {
    summary: "The account's open orders.",
    weight: bySymbol(3, 40),
    reads: maybeSymbol,
    session: "openOrders.status",
    example: "symbol=CC-USDC",
    answer: ({ table, model }, { view }, { symbol }, { account }) => {
      const market = symbol === undefined ? null : marketOf(table, kind, symbol);
      return model.openOrders.list(account, { kind, market, view }, orderText);
    },
  }),
  tradeRoute("DELETE /api/v3/openOrders", {
    summary: "Cancels all open orders of the account in a market.",
    isFreeIfDone: true,
    reads: oneSymbol,
    session: "openOrders.cancelAll",
    exampleLine: `signed POST /api/v3/order "${spotOrderExample}" > /dev/null && signed DELETE /api/v3/openOrders "symbol=CC-USDC"`,
    handle: ({ table, flow, model }, call, { symbol }, caller) => {
      const market = marketOf(table, kind, symbol);
      flow.cancelAll(call, caller, market, (orders, lastSeq) => {
        const shown = shownIn(call.view, market);
        const texts = orders.flatMap((order) => {
          if (order.listId === 0) return [cancelText(order, shown, { lastSeq })];
          // A list is shown once, in the place of its first order.
          const list = model.list(caller.account, order.listId);
          const own = orders.filter(({ listId }) => listId === order.listId);
          if (list === undefined || own[0] !== order) return [];
          const all = model.listedOrders(caller.account, order.listId);
          return [cancelledListText({ list, orders: all }, shown, { lastSeq })];
        });
        if (texts.length === 0) refuse(call, orderUnknown);
        else call.json(listText(texts));
      });
    },
  }),
]);
