// What became of an order or a cancel, as the spot surface tells it: the chosen form of an accepted
// order, a refusal with its hint, the report of a cancel.

import type { Market } from "../../../core/markets.ts";
import { CancelCondition } from "../../../core/orders.ts";
import type { RejectReason } from "../../../core/reject-reason.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";
import type { ShownMarket } from "../market-data/shown-market.ts";
import type { OrderAsk } from "../orders/order-ask.ts";
import type { ReadModel } from "../read-model.ts";
import {
  badRestriction,
  hinted,
  missingParameter,
  type SurfaceError,
} from "../requests/surface-error.ts";
import type { SurfaceView } from "../requests/surface-view.ts";
import { spotErrors } from "./error-map.ts";
import { filterHint } from "./filter-hints.ts";
import { ackText, cancelText, fullText, resultText } from "./render.ts";

/** How much an answer to an order says. */
export type AnswerForm = "ACK" | "RESULT" | "FULL";

/** The reasons behind the errors of this surface: each reason has an error of its own. */
const reasonsByError: ReadonlyMap<SurfaceError, RejectReason> = new Map(
  Object.entries(spotErrors).map(([reason, error]) => [error, Number(reason) as RejectReason]),
);

/** An accepted order in the form asked for; its fills are told once. */
export function placedText(
  model: ReadModel,
  order: OrderRecord,
  { market, form = "FULL" }: { market: ShownMarket; form?: AnswerForm | undefined },
): string {
  const fills = model.takeFills(order.orderId);
  if (form === "ACK") return ackText(order, market);
  return form === "RESULT" ? resultText(order, market) : fullText(order, market, fills);
}

/** A refusal of `order` with what would have passed, where the view shows it. */
export function explained(
  error: SurfaceError,
  order: OrderAsk,
  { market, model, view }: { market: Market; model: ReadModel; view: SurfaceView },
): SurfaceError {
  const reason = view === "root" ? undefined : reasonsByError.get(error);
  const hint = reason === undefined ? undefined : filterHint(reason, order, { market, model });
  return hint === undefined ? error : hinted(error, hint);
}

/** The report of a cancel; an id for a cancel whose client gave none needs no memory. */
export function cancelledText(
  order: OrderRecord,
  market: ShownMarket,
  { cancelId, lastSeq }: { cancelId?: string | undefined; lastSeq: number },
): string {
  return cancelText(order, market, cancelId ?? `c-${order.orderId}-${lastSeq}`);
}

/** Which order a cancel means, and in which state alone. */
export interface CancelTerms {
  readonly orderId: number | undefined;
  readonly clientId: string | undefined;
  readonly onlyIf: CancelCondition;
}

const conditionsByWord: ReadonlyMap<string | undefined, CancelCondition> = new Map([
  [undefined, CancelCondition.always],
  ["ONLY_NEW", CancelCondition.untouched],
  ["ONLY_PARTIALLY_FILLED", CancelCondition.partlyFilled],
]);

/** What a cancel asks for, or what is wrong with it; `name` is the parameter of the order's id. */
export function cancelTermsOf(
  asked: {
    orderId: number | undefined;
    clientId: string | undefined;
    restrictions: string | undefined;
  },
  name: string,
): CancelTerms | SurfaceError {
  const { orderId, clientId, restrictions } = asked;
  if (orderId === undefined && clientId === undefined) return missingParameter(name);
  const onlyIf = conditionsByWord.get(restrictions);
  return onlyIf === undefined ? badRestriction : { orderId, clientId, onlyIf };
}
