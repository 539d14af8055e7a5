// How one order was amended, found and read for the routes of both kinds of markets; each has its own words for it.

import type { AmendmentRecord, OrderRecord } from "../../../ports/journal/history-store.ts";
import { answerLater } from "../requests/answer-later.ts";
import type { Caller, RouteContext } from "../requests/route.ts";
import type { HttpCall } from "../server/http-call.ts";
import type { OrderFlow, OrderReference } from "./order-flow.ts";

/** Which amends of an order are asked for. */
export interface AmendmentWindow {
  /** The first by its number in the journal; null for the oldest. */
  readonly fromSeq: number | null;
  /** Microseconds UTC; null where there is no bound. */
  readonly startUs: number | null;
  readonly endUs: number | null;
  readonly limit: number;
}

export interface AskedAmendments {
  readonly call: HttpCall;
  readonly caller: Caller;
  readonly reference: OrderReference;
  readonly window: AmendmentWindow;
}

/** Answers with what `text` makes of an order's amends, oldest first; an order that is none is refused by `flow`. */
export function answerAmendments(
  context: RouteContext,
  flow: OrderFlow,
  { call, caller, reference, window }: AskedAmendments,
  text: (rows: readonly AmendmentRecord[], order: OrderRecord) => string,
): void {
  flow.find(call, caller, reference, (order) => {
    const { orderId, acceptedUs } = order;
    const query = { account: caller.account, orderId, acceptedUs, ...window };
    answerLater(context, call, context.history.amendments(query), (rows) =>
      call.json(text(rows, order)),
    );
  });
}
