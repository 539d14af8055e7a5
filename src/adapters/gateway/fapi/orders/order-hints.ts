// What would have passed, beside a refusal of an order on compat (decided.md 7): filters are the same
// figures on both surfaces, the errors that stand for them are not.

import type { Market } from "../../../../core/markets.ts";
import type { RejectReason } from "../../../../core/reject-reason.ts";
import type { OrderAsk } from "../../orders/order-ask.ts";
import type { ReadModel } from "../../read-model.ts";
import { hinted, type SurfaceError } from "../../requests/surface-error.ts";
import type { SurfaceView } from "../../requests/surface-view.ts";
import { filterHint } from "../../spot/filter-hints.ts";
import { fapiErrors } from "../error-map.ts";

/** The reason behind an error; where several share one, the last, and none of those has a hint. */
const reasonsByError: ReadonlyMap<SurfaceError, RejectReason> = new Map(
  Object.entries(fapiErrors).map(([reason, error]) => [error, Number(reason) as RejectReason]),
);

/** The refusal of `order` with its hint, where the view shows one and there is one. */
export function explained(
  error: SurfaceError,
  order: OrderAsk,
  { market, model, view }: { market: Market; model: ReadModel; view: SurfaceView },
): SurfaceError {
  const reason = view === "root" ? undefined : reasonsByError.get(error);
  const hint = reason === undefined ? undefined : filterHint(reason, order, { market, model });
  return hint === undefined ? error : hinted(error, hint);
}
