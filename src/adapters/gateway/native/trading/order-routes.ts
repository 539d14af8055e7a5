// Trading under /v1: place, cancel, cancel all. A request with a known idempotency key returns the earlier
// order, even if its own fields are invalid.

import {
  cancelAllQuery,
  type PlaceOrderBody,
  placeOrderBody,
} from "../../../../../schemas/http/native.ts";
import { PublicIdKind, parsePublicId } from "../../../../core/ids/public-id.ts";
import type { SessionState } from "../../../../engine/state/tables/session-table.ts";
import type { OrderRecord } from "../../../../ports/journal/history-store.ts";
import { plainOrder } from "../../orders/command-bridge.ts";
import { answering, OrderFlow, type OrderReference } from "../../orders/order-flow.ts";
import { msOf } from "../../orders/order-format.ts";
import { nativeOrderExample } from "../../requests/example.ts";
import { requestKeyOf } from "../../requests/request-key.ts";
import { routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { refuse, refused, type SurfaceError } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { nativeErrors, nativeFaults } from "../error-map.ts";
import { isKeyText } from "../native-context.ts";
import { listedOrder, orderFields, orderIdText } from "./order-record.ts";
import { marketNamed, type OrderRequester, orderOf } from "./order-request.ts";

class Orders {
  readonly #context: RouteContext;
  readonly #flow: OrderFlow;

  constructor(context: RouteContext) {
    this.#context = context;
    this.#flow = new OrderFlow(context, nativeErrors);
  }

  place(call: HttpCall, params: PlaceOrderBody, { account }: SessionState): void {
    const text = params.idempotency_key ?? null;
    if (text !== null && !isKeyText(text)) refused(nativeFaults.badIdempotencyKey);
    const key = text === null ? null : requestKeyOf("order", text, JSON.stringify(params));
    this.#place(call, params, { account, key });
  }

  #place(call: HttpCall, params: PlaceOrderBody, requester: OrderRequester): void {
    const command = orderOf(params, this.#context.table, requester);
    if (!("status" in command)) {
      this.#flow.place(call, command, (outcome, _, isRepeated) => {
        if ("code" in outcome) refuse(call, outcome);
        else this.#answer(call, outcome, isRepeated);
      });
    } else if (requester.key === null) refuse(call, command);
    else this.#repeatOr(call, command, requester);
  }

  /**
   * Returns the earlier order with the idempotency key, or `fault` if there is none. It sends a placeholder order:
   * clearing looks the key up before it checks anything else, and never accepts an order without a quantity.
   */
  #repeatOr(call: HttpCall, fault: SurfaceError, requester: OrderRequester): void {
    const keyed = plainOrder(requester.account, 0);
    keyed.attached = { key: requester.key, leverage: 0 };
    this.#flow.place(call, keyed, (outcome, _, isRepeated) => {
      if (isRepeated && !("code" in outcome)) this.#answer(call, outcome, true);
      else refuse(call, isRepeated && "code" in outcome ? outcome : fault);
    });
  }

  #answer(call: HttpCall, order: OrderRecord, isRepeated: boolean): void {
    call.json(JSON.stringify(orderFields(order, this.#context.model.state, isRepeated)));
  }

  cancel(call: HttpCall, id: string, { account }: SessionState): void {
    const { state } = this.#context.model;
    const onOutcome = answering(call, (order) =>
      call.json(JSON.stringify(listedOrder(order, state))),
    );
    this.#flow.withdraw(call, account, this.#reference(id, account), onOutcome);
  }

  cancelAll(call: HttpCall, symbol: string | undefined, session: SessionState): void {
    if (symbol === undefined) refused(nativeFaults.symbolMissing);
    const market = marketNamed(this.#context.table, symbol) ?? refused(nativeFaults.unknownSymbol);
    this.#flow.cancelAll(call, session, market, (orders) => {
      const ids = orders.map(({ orderId, acceptedUs }) => orderIdText(orderId, acceptedUs));
      call.json(JSON.stringify({ cancelled: ids }));
    });
  }

  /** A reference to an open order of the account, by its public id. */
  #reference(id: string, account: number): OrderReference {
    const { orders, table } = this.#context.model.state;
    const named = parsePublicId(PublicIdKind.order, id);
    const slot = named === null ? -1 : orders.slotOf(named.number);
    if (named === null || slot < 0) return refused(nativeFaults.orderUnknown);
    if (msOf(orders.acceptedUs[slot] ?? 0) !== named.bornMs) refused(nativeFaults.orderUnknown);
    if (orders.account[slot] !== account) refused(nativeFaults.notOwner);
    const market = table.market(orders.market[slot] ?? 0);
    return { market, orderId: named.number, clientId: undefined };
  }
}

/** Place, cancel, cancel all. */
export const orderRoutes = routeGroup((context) => new Orders(context))([
  sessionRoute("POST /v1/orders", {
    summary: "Places an order.",
    body: placeOrderBody,
    faults: {
      403: "The account is frozen, or its enrollment is not complete.",
      "409":
        "AlreadyExists or Aborted: the idempotency_key belongs to another order, or is still in flight.",
    },
    example: nativeOrderExample,
    orders: 1,
    handle: (orders, call, params, session) => orders.place(call, params, session),
  }),
  sessionRoute("DELETE /v1/orders", {
    summary: "Cancels all open orders in a market.",
    reads: cancelAllQuery,
    example: "?symbol=BTC-PERP",
    handle: (orders, call, { symbol }, session) => orders.cancelAll(call, symbol, session),
  }),
  sessionRoute("DELETE /v1/orders/{order_id}", {
    summary: "Cancels an open order.",
    faults: { 403: "The order belongs to another account." },
    exampleName: `$(own POST /v1/orders '${nativeOrderExample}' | field .order_id)`,
    isByUuid: true,
    handle: (orders, call, { order_id: id }, session) => orders.cancel(call, id, session),
  }),
]);
