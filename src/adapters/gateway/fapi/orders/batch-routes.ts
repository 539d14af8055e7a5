// Batches of the perpetual surface: up to five orders placed or changed, up to ten cancelled. Each
// element is read, counted and decided for itself; the answer has their outcomes in the order they
// were sent, refusals as {code, msg} (binance-compat 5.4).

import {
  type FapiAmendParameters,
  fapiAmend,
  fapiBatch,
  fapiBatchCancel,
  fapiOrder,
} from "../../../../../schemas/http/fapi.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import { isClientId } from "../../../../core/orders.ts";
import type { RequestParameters } from "../../../../services/access/request-parameters.ts";
import { OrderFlow, type OrderReference, type OrderSettler } from "../../orders/order-flow.ts";
import { elementReader, marketOf, parameterReader } from "../../requests/read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../../requests/route.ts";
import {
  errorBody,
  illegalParameter,
  missingParameter,
  orderUnknownToQuery,
  refuse,
  type SurfaceError,
} from "../../requests/surface-error.ts";
import { tradeRoute } from "../../requests/weighted-routes.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { badClientId, fapiErrors } from "../error-map.ts";
import { amendOf, referenceOf } from "./amend-request.ts";
import { batchCount, batchElements, type ElementTexts, idTexts } from "./order-lists.ts";
import { offeredAt, orderOf } from "./order-request.ts";
import { orderText } from "./order-text.ts";

const kind = MarketKind.perpetual;
const readBatch = parameterReader(fapiBatch);
const readOrder = elementReader(fapiOrder);
const readAmend = elementReader(fapiAmend);
const readBatchCancel = parameterReader(fapiBatchCancel);

/** Does one element and hands over what became of it. */
type Deed = (settle: OrderSettler) => void;

/** An element that is refused before anything is asked of clearing. */
function refusal(error: SurfaceError): Deed {
  return (settle) => settle(error, 0, false);
}

/** Ids of either list as references, or what is wrong with them. */
function namedOrders(
  asked: { orderIdList?: string | undefined; origClientOrderIdList?: string | undefined },
  market: Market,
): OrderReference[] | SurfaceError {
  const { orderIdList, origClientOrderIdList } = asked;
  if (orderIdList !== undefined) {
    const ids = idTexts(orderIdList, "orderIdList");
    if (!Array.isArray(ids)) return ids;
    const isWhole = ids.every((id) => /^\d{1,16}$/.test(id) && Number.isSafeInteger(Number(id)));
    if (!isWhole) return illegalParameter("orderIdList");
    return ids.map((id) => ({ market, orderId: Number(id), clientId: undefined }));
  }
  if (origClientOrderIdList === undefined) return missingParameter("orderIdList");
  const ids = idTexts(origClientOrderIdList, "origClientOrderIdList");
  if (!Array.isArray(ids)) return ids;
  if (!ids.every(isClientId)) return badClientId;
  return ids.map((clientId) => ({ market, orderId: undefined, clientId }));
}

class FapiBatchRoutes {
  readonly #context: RouteContext;
  readonly #flow: OrderFlow;

  constructor(context: RouteContext) {
    this.#context = context;
    this.#flow = new OrderFlow(context, fapiErrors, orderUnknownToQuery);
  }

  place(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    if (this.#flow.bars(call, caller, kind)) return;
    const asked = readBatch(call, parameters);
    if (asked === null) return;
    this.#doEach(call, batchElements(asked.batchOrders), (texts) =>
      this.#placing(call, texts, caller.account),
    );
  }

  change(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const asked = readBatch(call, parameters);
    if (asked === null) return;
    this.#doEach(call, batchElements(asked.batchOrders), (texts) =>
      this.#changing(call, texts, caller.account),
    );
  }

  cancel(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readBatchCancel(call, parameters);
    const { table } = this.#context;
    const market = asked && marketOf(call, table, { symbol: asked.symbol, kind });
    if (asked === null || market === null) return;
    // One client writes the names of its lists without capitals (binance-compat D20).
    const named = namedOrders(
      {
        orderIdList: asked.orderIdList ?? asked.orderidlist,
        origClientOrderIdList: asked.origClientOrderIdList ?? asked.origclientorderidlist,
      },
      market,
    );
    this.#doEach(call, named, (reference) => (settle) => {
      this.#flow.withdraw(account, reference, settle);
    });
  }

  /** Does every element and answers when the last outcome is known; refuses a list that is none. */
  #doEach<T>(
    call: HttpCall,
    elements: readonly T[] | SurfaceError,
    deedOf: (one: T) => Deed,
  ): void {
    if ("code" in elements) {
      refuse(call, elements);
      return;
    }
    const { table } = this.#context;
    const texts: string[] = [];
    let missing = elements.length;
    for (const [place, element] of elements.entries()) {
      deedOf(element)((outcome) => {
        texts[place] =
          "code" in outcome
            ? errorBody(outcome, call.view)
            : orderText(outcome, table.market(outcome.market));
        missing--;
        if (missing === 0) call.json(`[${texts.join(",")}]`);
      });
    }
  }

  #placing(call: HttpCall, texts: ElementTexts, account: number): Deed {
    const asked = readOrder(texts);
    if ("code" in asked) return refusal(asked);
    const market = this.#market(asked.symbol);
    if (market === undefined) return refusal(illegalParameter("symbol"));
    const order = offeredAt(
      call,
      this.#context,
      orderOf(asked, { market, view: call.view }, account),
    );
    if ("code" in order) return refusal(order);
    return (settle) => this.#flow.place(order, settle);
  }

  #changing({ view }: HttpCall, texts: ElementTexts, account: number): Deed {
    const asked: FapiAmendParameters | SurfaceError = readAmend(texts);
    if ("code" in asked) return refusal(asked);
    const market = this.#market(asked.symbol);
    if (market === undefined) return refusal(illegalParameter("symbol"));
    const reference = referenceOf(asked, market);
    if ("code" in reference) return refusal(reference);
    const terms = amendOf(asked, { market, view });
    if ("code" in terms) return refusal(terms);
    return (settle) => this.#flow.amend(account, reference, terms, settle);
  }

  #market(symbol: string): Market | undefined {
    const market = this.#context.table.find(symbol);
    return market?.kind === kind ? market : undefined;
  }
}

/** The signed batch routes of the perpetual surface. */
export function fapiBatchRoutes(context: RouteContext): SignedRoute[] {
  const routes = new FapiBatchRoutes(context);
  return [
    {
      ...tradeRoute("POST /fapi/v1/batchOrders", (call, parameters, caller) =>
        routes.place(call, parameters, caller),
      ),
      orders: batchCount,
    },
    {
      ...tradeRoute("PUT /fapi/v1/batchOrders", (call, parameters, caller) =>
        routes.change(call, parameters, caller),
      ),
      orders: batchCount,
    },
    tradeRoute("DELETE /fapi/v1/batchOrders", (call, parameters, caller) =>
      routes.cancel(call, parameters, caller),
    ),
  ];
}
