// POST order/cancelReplace: cancels one order and places another. If the filters would refuse the new order, the
// request is refused before anything is cancelled. In both modes, the new order is sent only after clearing's reply to
// the cancel, so that it can use the balance which the cancel releases.
//
//   cancel ──done──▶ order ──done──▶ 200
//      │               └──refused──▶ 409 -2021
//      └──refused─▶ STOP_ON_FAILURE 400 -2022 │ ALLOW_FAILURE: order ──done──▶ 409 -2021
//                                             │                  └──refused──▶ 400 -2022

import type { SpotCancelReplaceParameters } from "../../../../schemas/http/spot.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { CancelCondition } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { checkDeclared } from "../orders/cancel-on-disconnect.ts";
import { foreseenRefusal } from "../orders/foreseen-refusal.ts";
import type { OrderFlow } from "../orders/order-flow.ts";
import { shownIn } from "../orders/order-format.ts";
import { marketOf } from "../requests/read-request.ts";
import type { Caller } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
import {
  badRestriction,
  errorBody,
  missingParameter,
  refuse,
  refused,
} from "../requests/surface-error.ts";
import { contentTypes, type HttpCall } from "../server/http-call.ts";
import { spotErrors } from "./error-map.ts";
import { explained, orderOf, placedText } from "./order-placing.ts";
import { cancelText } from "./render.ts";

/** The order to cancel, optionally only if it is in one given state. */
export interface CancelTerms {
  readonly orderId: number | undefined;
  readonly clientId: string | undefined;
  readonly onlyIf: CancelCondition;
}

const conditionsByName: ReadonlyMap<string | undefined, CancelCondition> = new Map([
  [undefined, CancelCondition.always],
  ["ONLY_NEW", CancelCondition.untouched],
  ["ONLY_PARTIALLY_FILLED", CancelCondition.partlyFilled],
]);

/** The terms of a cancel; `name` is the name of the parameter for the order's id. */
export function cancelTermsOf(
  params: {
    orderId: number | undefined;
    clientId: string | undefined;
    restrictions: string | undefined;
  },
  name: string,
): CancelTerms {
  const { orderId, clientId, restrictions } = params;
  if (orderId === undefined && clientId === undefined) refused(missingParameter(name));
  const onlyIf = conditionsByName.get(restrictions);
  return onlyIf === undefined ? refused(badRestriction) : { orderId, clientId, onlyIf };
}

type HalfResult = "SUCCESS" | "FAILURE" | "NOT_ATTEMPTED";

/** One half of the answer: the result of the cancel or of the new order. */
interface Half {
  readonly result: HalfResult;
  readonly text: string;
}

const notAttempted: Half = { result: "NOT_ATTEMPTED", text: "null" };

function halvesText(cancel: Half, placed: Half): string {
  return (
    `{"cancelResult":"${cancel.result}","newOrderResult":"${placed.result}"` +
    `,"cancelResponse":${cancel.text},"newOrderResponse":${placed.text}}`
  );
}

function answer(call: HttpCall, cancel: Half, placed: Half): void {
  const data = halvesText(cancel, placed);
  const done = [cancel, placed].filter(({ result }) => result === "SUCCESS").length;
  if (done === 2) {
    call.json(data);
    return;
  }
  const body = (code: number, outcome: string) =>
    `{"code":${code},"msg":"Order cancel-replace ${outcome}failed.","data":${data}}`;
  if (done === 1) call.answer(409, contentTypes.json, body(-2021, "partially "));
  else call.answer(400, contentTypes.json, body(-2022, ""));
}

/** A request that has passed the checks. */
interface Replacement {
  readonly call: HttpCall;
  readonly params: SpotCancelReplaceParameters;
  readonly market: Market;
  readonly order: PlaceOrder;
  readonly terms: CancelTerms;
}

export class CancelReplace {
  readonly #context: RouteContext;
  readonly #flow: OrderFlow;

  constructor(context: RouteContext, flow: OrderFlow) {
    this.#context = context;
    this.#flow = flow;
  }

  run(call: HttpCall, params: SpotCancelReplaceParameters, { account }: Caller): void {
    const market = marketOf(this.#context.table, MarketKind.spot, params.symbol);
    const terms = cancelTermsOf(
      {
        orderId: params.cancelOrderId,
        clientId: params.cancelOrigClientOrderId,
        restrictions: params.cancelRestrictions,
      },
      "cancelOrderId",
    );
    const order = orderOf(params, { market, model: this.#context.model }, account);
    if (params.cancelOnDisconnect === true) checkDeclared(call, account);
    this.#checkFilters(call, order, market, terms);
    this.#cancel({ call, params, market, order, terms });
  }

  #checkFilters({ view }: HttpCall, order: PlaceOrder, market: Market, terms: CancelTerms): void {
    const { model } = this.#context;
    const reason = foreseenRefusal(order, { market, model, freed: terms });
    if (reason !== RejectReason.none)
      refused(explained(spotErrors[reason], order, { market, model, view }));
  }

  #cancel(replacement: Replacement): void {
    const { call, params, market, order, terms } = replacement;
    this.#flow.withdraw(call, order.account, { market, ...terms }, (outcome, lastSeq) => {
      // The cancel carries the new order's count, so that a limit that is reached costs nobody the old order.
      if ("code" in outcome && outcome.status === 429) {
        refuse(call, outcome);
        return;
      }
      // A new order under the id of the old one is still the same order to a client that changes it in this way.
      if (!("code" in outcome)) order.reusesClientId = outcome.clientId === order.clientId;
      const cancelId = params.cancelNewClientOrderId;
      const half: Half =
        "code" in outcome
          ? { result: "FAILURE", text: errorBody(outcome, call.view) }
          : {
              result: "SUCCESS",
              text: cancelText(outcome, shownIn(call.view, market), { cancelId, lastSeq }),
            };
      this.#cancelled(replacement, half);
    });
  }

  #cancelled(replacement: Replacement, cancel: Half): void {
    const { call, params } = replacement;
    const goesOn = cancel.result === "SUCCESS" || params.cancelReplaceMode === "ALLOW_FAILURE";
    if (goesOn) this.#place(replacement, cancel);
    else answer(call, cancel, notAttempted);
  }

  #place({ call, params, market, order }: Replacement, cancel: Half): void {
    const { model } = this.#context;
    const { view } = call;
    this.#flow.place(call, order, (outcome) => {
      const isRefused = "code" in outcome;
      const text = isRefused
        ? errorBody(explained(outcome, order, { market, model, view }), view)
        : placedText(model, outcome, { market: shownIn(view, market), params });
      answer(call, cancel, { result: isRefused ? "FAILURE" : "SUCCESS", text });
    });
  }
}
