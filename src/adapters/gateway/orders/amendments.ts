// Finds and reads the amendments of one order, for spot and perpetual markets. The routes of each surface render them
// in their own format.

import type { AmendmentRecord, OrderRecord } from "../../../ports/journal/history-store.ts";
import type { Caller } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
import type { OrderFlow, OrderReference } from "./order-flow.ts";

/** Selects which amendments of an order to return. */
export interface AmendmentWindow {
  /** The first amendment to return, by its number in the journal; null starts with the oldest. */
  readonly fromSeq: number | null;
  /** Microseconds UTC; null for no bound. */
  readonly startUs: number | null;
  readonly endUs: number | null;
  readonly limit: number;
}

/** Renders each amendment of an order by `text`, oldest first. */
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
