// Batches of the perpetual surface: up to five orders placed or amended, or up to ten cancelled. They arrive as JSON in
// one parameter. Each element is parsed, counted against the order limits and decided separately. The answer lists the
// outcomes in the order of the elements, with refusals as {code, msg}.

import {
  fapiAmend,
  fapiBatch,
  fapiBatchCancel,
  fapiOrder,
} from "../../../../../schemas/http/fapi.ts";
import { batchCancelsMax, batchOrdersMax } from "../../../../core/limits.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import { isClientId } from "../../../../core/orders.ts";
import type { RequestParameters } from "../../../../services/access/signed-request.ts";
import { checkDeclared } from "../../orders/cancel-on-disconnect.ts";
import {
  OrderFlow,
  type OrderOutcomeHandler,
  type OrderReference,
} from "../../orders/order-flow.ts";
import { elementReader, marketOf } from "../../requests/read-request.ts";
import { routeGroup, tradeRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import {
  badList,
  errorBody,
  illegalParameter,
  missingParameter,
  orderUnknownToQuery,
  orRefusal,
  refused,
} from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { badClientId, fapiErrors, tooManyInBatch } from "../error-map.ts";
import { checkOffered, orderOf } from "./order-request.ts";
import { amendOf, referenceOf } from "./order-routes.ts";
import { orderText } from "./order-text.ts";

const kind = MarketKind.perpetual;
const readOrder = elementReader(fapiOrder);
const readAmend = elementReader(fapiAmend);

/** Parameters of one element by name, without empty texts and nulls. */
type ElementTexts = ReadonlyMap<string, string>;

function listOf(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.length > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

function scalarText(value: unknown): string | undefined {
  const isScalar = typeof value === "string" || typeof value === "boolean";
  if (isScalar || typeof value === "number") return String(value);
  return value === null ? "" : undefined;
}

/** An element's parameters as texts; undefined unless it is a flat object of scalars. */
function textsOfElement(element: unknown): ElementTexts | undefined {
  if (typeof element !== "object" || element === null || Array.isArray(element)) return undefined;
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(element)) {
    const text = scalarText(value);
    if (text === undefined) return undefined;
    if (text !== "") texts.set(name, text);
  }
  return texts;
}

/**
 * Number of orders that a batch adds to the order counts of the rate limits. An empty or unreadable list counts as one
 * order, although the request will be refused.
 */
function batchCount(parameters: RequestParameters): number {
  const list = listOf(parameters.get("batchOrders") ?? "");
  return Math.min(Math.max(list?.length ?? 1, 1), batchOrdersMax);
}

/** The orders of `batchOrders`, each as texts. */
function batchElements(text: string): ElementTexts[] {
  const list = listOf(text);
  if (list === undefined) refused(badList("batchOrders"));
  if (list.length > batchOrdersMax) refused(tooManyInBatch);
  const elements = list.map(textsOfElement);
  const whole = elements.filter((element) => element !== undefined);
  return whole.length === list.length ? whole : refused(badList("batchOrders"));
}

/** The entries of a list of ids as texts. */
function idTexts(text: string, name: string): string[] {
  const list = listOf(text);
  if (list === undefined) refused(badList(name));
  if (list.length > batchCancelsMax) refused(tooManyInBatch);
  const ids = list.map((id) => (typeof id === "number" || typeof id === "string" ? `${id}` : ""));
  return ids.every((id) => id !== "") ? ids : refused(badList(name));
}

/** Executes one element and reports its outcome. */
type BatchAction = (onOutcome: OrderOutcomeHandler) => void;

interface BatchParts extends RouteContext {
  readonly flow: OrderFlow;
}

/** Order references for the requested ids: `orderIdList` if it is given, otherwise `origClientOrderIdList`. */
function namedOrders(
  params: { orderIdList?: string | undefined; origClientOrderIdList?: string | undefined },
  market: Market,
): OrderReference[] {
  const { orderIdList, origClientOrderIdList } = params;
  if (orderIdList !== undefined) {
    const ids = idTexts(orderIdList, "orderIdList");
    const isWhole = ids.every((id) => /^\d{1,16}$/.test(id) && Number.isSafeInteger(Number(id)));
    if (!isWhole) refused(illegalParameter("orderIdList"));
    return ids.map((id) => ({ market, orderId: Number(id), clientId: undefined }));
  }
  if (origClientOrderIdList === undefined) refused(missingParameter("orderIdList"));
  const ids = idTexts(origClientOrderIdList, "origClientOrderIdList");
  if (!ids.every(isClientId)) refused(badClientId);
  return ids.map((clientId) => ({ market, orderId: undefined, clientId }));
}

/**
 * Executes every element and answers after the last outcome. An unreadable element is refused without affecting the
 * others.
 */
function doEach<T>(
  { table }: BatchParts,
  call: HttpCall,
  elements: readonly T[],
  actionOf: (one: T) => BatchAction,
): void {
  const texts: string[] = [];
  let missing = elements.length;
  for (const [index, element] of elements.entries()) {
    const onOutcome: OrderOutcomeHandler = (outcome) => {
      texts[index] =
        "code" in outcome
          ? errorBody(outcome, call.view)
          : orderText(outcome, table.market(outcome.market));
      missing--;
      if (missing === 0) call.json(`[${texts.join(",")}]`);
    };
    const action = orRefusal(() => actionOf(element));
    if (typeof action === "function") action(onOutcome);
    else onOutcome(action, 0, false);
  }
}

function placing(
  parts: BatchParts,
  call: HttpCall,
  texts: ElementTexts,
  account: number,
): BatchAction {
  const params = readOrder(texts);
  const market = marketOf(parts.table, kind, params.symbol);
  const { view } = call;
  const order = orderOf(params, { market, view, model: parts.model }, account);
  checkOffered(call, parts, order);
  if (params.cancelOnDisconnect === true) checkDeclared(call, account);
  return (onOutcome) => parts.flow.place(call, order, onOutcome);
}

function changing(
  { table, flow, model }: BatchParts,
  call: HttpCall,
  texts: ElementTexts,
  account: number,
): BatchAction {
  const params = readAmend(texts);
  const market = marketOf(table, kind, params.symbol);
  const reference = referenceOf(params, market);
  const terms = amendOf(params, { market, view: call.view, model });
  return (onOutcome) => flow.amend(call, account, reference, terms, onOutcome);
}

/** The signed batch routes of the perpetual surface. */
export const fapiBatchRoutes = routeGroup(
  (context): BatchParts => ({
    ...context,
    flow: new OrderFlow(context, fapiErrors, orderUnknownToQuery),
  }),
)([
  tradeRoute("POST /fapi/v1/batchOrders", {
    summary: "Places up to five orders.",
    weight: 5,
    reads: fapiBatch,
    example:
      'batchOrders=$(encoded \'[{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":"0.010","price":"49000","newClientOrderId":"batch-1"}]\')',
    orders: batchCount,
    before: ({ flow }, caller) => flow.refuseIfBarred(caller, kind),
    handle: (parts, call, { batchOrders }, { account }) =>
      doEach(parts, call, batchElements(batchOrders), (texts) =>
        placing(parts, call, texts, account),
      ),
  }),
  tradeRoute("PUT /fapi/v1/batchOrders", {
    summary: "Amends up to five orders.",
    weight: 5,
    reads: fapiBatch,
    example:
      'batchOrders=$(encoded \'[{"symbol":"BTCUSDT","side":"BUY","origClientOrderId":"batch-1","quantity":"0.010","price":"49500"}]\')',
    orders: batchCount,
    handle: (parts, call, { batchOrders }, { account }) =>
      doEach(parts, call, batchElements(batchOrders), (texts) =>
        changing(parts, call, texts, account),
      ),
  }),
  tradeRoute("DELETE /fapi/v1/batchOrders", {
    summary: "Cancels up to ten orders in a market.",
    reads: fapiBatchCancel,
    example: "symbol=BTCUSDT&origClientOrderIdList=$(encoded '[\"batch-1\"]')",
    handle: (parts, call, params, { account }) => {
      const market = marketOf(parts.table, kind, params.symbol);
      // One client library writes the list parameter names in lower case.
      const orderIdList = params.orderIdList ?? params.orderidlist;
      const origClientOrderIdList = params.origClientOrderIdList ?? params.origclientorderidlist;
      const references = namedOrders({ orderIdList, origClientOrderIdList }, market);
      doEach(parts, call, references, (reference) => (onOutcome) => {
        parts.flow.withdraw(call, account, reference, onOutcome);
      });
    },
  }),
]);
