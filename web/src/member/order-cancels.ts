// Cancels many orders at once, as planned from the open orders that the user sees.

import { surfaceOf } from "../markets/market.ts";
import { markets } from "../markets/markets.ts";
import type { Order } from "./account.ts";
import { cancelOrder, unknownOrder } from "./order-actions.ts";
import type { CancelPlan } from "./order-lists.ts";
import { requestOwn } from "./session.ts";
import { requestSigned } from "./signed-request.ts";
import { VenueFault } from "./venue-api.ts";

async function cancelEach(orders: readonly Order[]): Promise<void> {
  const ended = (fault: unknown): void => {
    if (!(fault instanceof VenueFault && fault.status === unknownOrder)) throw fault;
  };
  await Promise.all(orders.map((order) => cancelOrder(order).catch(ended)));
}

/**
 * Cancels what the plan says. The venue cancels one side in one request, but with it the lists that have any order of this
 * side; while some of those must stay, orders are cancelled one by one.
 */
export async function cancelPlanned(plan: CancelPlan<Order>): Promise<void> {
  const { symbol, side, chosen, staying } = plan;
  const market = markets.value.find((one) => one.symbol === symbol);
  if (side === null) {
    await requestOwn("DELETE", `/v1/orders?symbol=${encodeURIComponent(symbol)}`);
  } else if (staying > 0 || market === undefined) {
    await cancelEach(chosen);
  } else {
    const path = `${surfaceOf(market)}/massCancel`;
    await requestSigned("DELETE", path, { symbol: market.listed, side });
  }
}
