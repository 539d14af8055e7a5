// How one order was amended, found and read for the routes of both kinds of markets; each has its own words for it.

import type { AmendmentRecord, OrderRecord } from "../../../ports/journal/history-store.ts";
import type { Caller } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
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

/** What `text` makes of each amend of an order, oldest first. */
export async function amendmentTexts(
  { history, flow }: Pick<RouteContext, "history"> & { readonly flow: OrderFlow },
  caller: Caller,
  { reference, ...window }: AmendmentWindow & { readonly reference: OrderReference },
  text: (amendment: AmendmentRecord, order: OrderRecord) => string,
): Promise<string[]> {
  const order = await flow.find(caller, reference);
  const { orderId, acceptedUs } = order;
  const rows = await history.amendments({
    account: caller.account,
    orderId,
    acceptedUs,
    ...window,
  });
  return rows.map((row) => text(row, order));
}
