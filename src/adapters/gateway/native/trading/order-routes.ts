// Trading under /v1: place, cancel, cancel all. An order placed under an idempotency key is found again by
// it, also by a request whose own fields could not be an order.

import {
  cancelAllQuery,
  type PlaceOrderBody,
  placeOrderBody,
} from "../../../../../schemas/http/native-trading.ts";
import { isUuid, PublicIdKind, parsePublicId } from "../../../../core/ids/public-id.ts";
import type { SessionState } from "../../../../engine/state/tables/session-table.ts";
import type { OrderRecord } from "../../../../ports/journal/history-store.ts";
import { plainOrder } from "../../orders/command-bridge.ts";
import { answering, OrderFlow, type OrderReference } from "../../orders/order-flow.ts";
import { msOf } from "../../orders/order-words.ts";
import { refuse, type SurfaceError } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { nativeErrors, nativeFaults } from "../error-map.ts";
import type { NativeContext } from "../native-context.ts";
import { type NativeAsk, type NativeRoute, sessionRoute } from "../native-route.ts";
import { bodyReader, queryReader } from "../read-body.ts";
import { listedOrder, orderFields, orderIdText } from "./order-record.ts";
import { marketNamed, type OrderAsker, orderOf } from "./order-request.ts";
import { isKeyText, requestKeyOf } from "./request-key.ts";

const readOrder = bodyReader(placeOrderBody);
const readCancelAll = queryReader(cancelAllQuery);

class OrderRoutes {
  readonly #context: NativeContext;
  readonly #flow: OrderFlow;

  constructor(context: NativeContext) {
    this.#context = context;
    this.#flow = new OrderFlow(context, nativeErrors);
  }

  place(call: HttpCall, { account }: SessionState): void {
    const asked = readOrder(call);
    if (asked === null) return;
    const text = asked.idempotency_key ?? null;
    if (text !== null && !isKeyText(text)) {
      refuse(call, nativeFaults.badIdempotencyKey);
      return;
    }
    const key = text === null ? null : requestKeyOf("order", text, JSON.stringify(asked));
    this.#place(call, asked, { account, key });
  }

  #place(call: HttpCall, asked: PlaceOrderBody, asker: OrderAsker): void {
    const ask = orderOf(asked, this.#context.table, asker);
    if (!("status" in ask)) {
      this.#flow.place(ask, (outcome, _, isRepeated) => {
        if ("code" in outcome) refuse(call, outcome);
        else this.#answer(call, outcome, isRepeated);
      });
    } else if (asker.key === null) refuse(call, ask);
    else this.#repeatOr(call, ask, asker);
  }

  /**
   * A replay is answered whatever it asks; only what is none is refused. Clearing looks the key up before the rest,
   * and takes no order without a quantity.
   */
  #repeatOr(call: HttpCall, fault: SurfaceError, asker: OrderAsker): void {
    const keyed = plainOrder(asker.account, 0);
    keyed.attached = { key: asker.key, leverage: 0 };
    this.#flow.place(keyed, (outcome, _, isRepeated) => {
      if (isRepeated && !("code" in outcome)) this.#answer(call, outcome, true);
      else refuse(call, isRepeated && "code" in outcome ? outcome : fault);
    });
  }

  #answer(call: HttpCall, order: OrderRecord, isRepeated: boolean): void {
    call.json(JSON.stringify(orderFields(order, this.#context.model.state, isRepeated)));
  }

  cancel(call: HttpCall, { path }: NativeAsk, { account }: SessionState): void {
    const reference = this.#reference(path["order_id"] ?? "", account);
    if ("status" in reference) {
      refuse(call, reference);
      return;
    }
    const { state } = this.#context.model;
    const settle = answering(call, (order) => call.json(JSON.stringify(listedOrder(order, state))));
    this.#flow.withdraw(account, reference, settle);
  }

  cancelAll(call: HttpCall, { parameters }: NativeAsk, { account }: SessionState): void {
    const asked = readCancelAll(call, parameters);
    if (asked === null) return;
    const { symbol } = asked;
    const market = symbol === undefined ? null : marketNamed(this.#context.table, symbol);
    if (market === undefined || market === null) {
      refuse(call, market === null ? nativeFaults.symbolMissing : nativeFaults.unknownSymbol);
      return;
    }
    this.#flow.cancelAll(call, { account }, market, (orders) => {
      const ids = orders.map(({ orderId, acceptedUs }) => orderIdText(orderId, acceptedUs));
      call.json(JSON.stringify({ cancelled: ids }));
    });
  }

  /** An open order of the account, or why there is none. */
  #reference(id: string, account: number): OrderReference | SurfaceError {
    if (!isUuid(id)) return nativeFaults.badUuid;
    const { orders, table } = this.#context.model.state;
    const named = parsePublicId(PublicIdKind.order, id);
    const slot = named === null ? -1 : orders.slotOf(named.number);
    if (named === null || slot < 0) return nativeFaults.orderUnknown;
    if (msOf(orders.acceptedUs[slot] ?? 0) !== named.bornMs) return nativeFaults.orderUnknown;
    if (orders.account[slot] !== account) return nativeFaults.notOwner;
    const market = table.market(orders.market[slot] ?? 0);
    return { market, orderId: named.number, clientId: undefined };
  }
}

/** Place, cancel, cancel all. */
export function orderRoutes(context: NativeContext): NativeRoute[] {
  const routes = new OrderRoutes(context);
  return [
    sessionRoute("POST /v1/orders", (call, _, session) => routes.place(call, session), {
      orders: 1,
    }),
    sessionRoute("DELETE /v1/orders", (call, asked, session) =>
      routes.cancelAll(call, asked, session),
    ),
    sessionRoute("DELETE /v1/orders/{order_id}", (call, asked, session) =>
      routes.cancel(call, asked, session),
    ),
  ];
}
