// The user's own limits on orders, checked for any market before something is sent.

import { orderGuards } from "../../markets/guard-settings.ts";
import type { Market } from "../../markets/market.ts";
import { guardFault } from "../../markets/order-guards.ts";
import { readReference } from "../../member/best-price.ts";

/** Returns why the user's own limits forbid an order in any market, with the newest reference price. */
export async function readOwnFault(
  market: Market,
  order: { readonly value: string | undefined; readonly prices: readonly string[] },
): Promise<string | null> {
  const guards = orderGuards.value;
  const isMeasured = guards.distanceMax !== "" && order.prices.length > 0;
  const reference = isMeasured ? await readReference(market) : undefined;
  return guardFault({ ...order, reference }, guards, market);
}
