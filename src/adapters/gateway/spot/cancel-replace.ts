// POST order/cancelReplace: one order leaves and another comes (binance-compat 4.4). What the filters
// would refuse of the new one is refused before anything is cancelled. The new order is sent when
// the cancel is committed, so that what the cancel frees is there for it: in both modes.
//
//   cancel ──done──▶ order ──done──▶ 200
//      │               └──refused──▶ 409 -2021
//      └──refused─▶ STOP_ON_FAILURE 400 -2022 │ ALLOW_FAILURE: order ──done──▶ 409 -2021
//                                             │                  └──refused──▶ 400 -2022

import {
  type SpotCancelReplaceParameters,
  spotCancelReplace,
} from "../../../../schemas/http/spot.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { shownIn } from "../market-data/shown-market.ts";
import { foreseenRefusal } from "../orders/foreseen-refusal.ts";
import type { OrderAsk } from "../orders/order-ask.ts";
import type { OrderFlow } from "../orders/order-flow.ts";
import { marketOf, orderReader } from "../requests/read-parameters.ts";
import type { Caller, RouteContext } from "../requests/route.ts";
import { errorBody, refuse, type SurfaceError } from "../requests/surface-error.ts";
import { contentTypes, type HttpCall } from "../server/http-call.ts";
import { spotErrors } from "./error-map.ts";
import {
  type CancelTerms,
  cancelledText,
  cancelTermsOf,
  explained,
  placedText,
} from "./order-outcome.ts";
import { orderAskOf } from "./order-request.ts";

const kind = MarketKind.spot;
const readCancelReplace = orderReader(spotCancelReplace);

type HalfResult = "SUCCESS" | "FAILURE" | "NOT_ATTEMPTED";

/** One half as it is answered. */
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
  const body = (code: number, words: string) =>
    `{"code":${code},"msg":"Order cancel-replace ${words}failed.","data":${data}}`;
  if (done === 1) call.answer(409, contentTypes.json, body(-2021, "partially "));
  else call.answer(400, contentTypes.json, body(-2022, ""));
}

/** What is asked, checked. */
interface Replacement {
  readonly call: HttpCall;
  readonly asked: SpotCancelReplaceParameters;
  readonly market: Market;
  readonly order: OrderAsk;
  readonly terms: CancelTerms;
}

export class CancelReplace {
  readonly #context: RouteContext;
  readonly #flow: OrderFlow;

  constructor(context: RouteContext, flow: OrderFlow) {
    this.#context = context;
    this.#flow = flow;
  }

  run(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    if (this.#flow.bars(call, caller, kind)) return;
    const { table } = this.#context;
    const asked = readCancelReplace(call, parameters);
    const market = asked && marketOf(call, table, { symbol: asked.symbol, kind });
    if (asked === null || market === null) return;
    const terms = cancelTermsOf(
      {
        orderId: asked.cancelOrderId,
        clientId: asked.cancelOrigClientOrderId,
        restrictions: asked.cancelRestrictions,
      },
      "cancelOrderId",
    );
    const order = "code" in terms ? terms : orderAskOf(asked, market, caller.account);
    const fault = "code" in order ? order : this.#foreseen(call, order, market);
    if (fault !== undefined) refuse(call, fault);
    else if (!("code" in order || "code" in terms)) {
      this.#cancel({ call, asked, market, order, terms });
    }
  }

  #foreseen(call: HttpCall, order: OrderAsk, market: Market): SurfaceError | undefined {
    const { model } = this.#context;
    const reason = foreseenRefusal(order, { market, model, freed: 1 });
    if (reason === RejectReason.none) return undefined;
    return explained(spotErrors[reason], order, { market, model, view: call.view });
  }

  #cancel(replacement: Replacement): void {
    const { call, asked, market, order, terms } = replacement;
    this.#flow.withdraw(order.account, { market, ...terms }, (outcome, lastSeq) => {
      const cancelId = asked.cancelNewClientOrderId;
      const half: Half =
        "code" in outcome
          ? { result: "FAILURE", text: errorBody(outcome, call.view) }
          : {
              result: "SUCCESS",
              text: cancelledText(outcome, shownIn(call.view, market), { cancelId, lastSeq }),
            };
      this.#cancelled(replacement, half);
    });
  }

  #cancelled(replacement: Replacement, cancel: Half): void {
    const { call, asked } = replacement;
    const goesOn = cancel.result === "SUCCESS" || asked.cancelReplaceMode === "ALLOW_FAILURE";
    if (goesOn) this.#place(replacement, cancel);
    else answer(call, cancel, notAttempted);
  }

  #place({ call, asked, market, order }: Replacement, cancel: Half): void {
    const { model } = this.#context;
    const { view } = call;
    const form = asked.newOrderRespType;
    this.#flow.submit(order, (outcome) => {
      const isRefused = "code" in outcome;
      const text = isRefused
        ? errorBody(explained(outcome, order, { market, model, view }), view)
        : placedText(model, outcome, { market: shownIn(view, market), form });
      answer(call, cancel, { result: isRefused ? "FAILURE" : "SUCCESS", text });
    });
  }
}
