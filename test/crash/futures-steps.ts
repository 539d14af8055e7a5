// What crash clients do with orders of perpetuals besides placing and cancelling them: amend one or several, and place and
// cancel conditional orders through the algo routes.

import { formatScaled } from "../../src/core/money/amounts.ts";
import type { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { type CrashMarket, marketOf, symbolOf } from "./crash-market.ts";
import type { DrawnOrder } from "./drawn-order.ts";
import type { ToldOrder } from "./told-history.ts";

/** The algo routes exist only in this view. */
export const algoPath = "/compat/fapi/v1/algoOrder";
export const futuresBatchPath = "/fapi/v1/batchOrders";

/** Ends the client ids of conditional orders, which are cancelled through the algo routes. */
const algoEnd = "-algo";

export function isAlgo({ clientId }: Pick<ToldOrder, "clientId">): boolean {
  return clientId.endsWith(algoEnd);
}

/** The parameters of an amend to three quarters of the order's quantity, at its price. */
export function amendTerms(order: ToldOrder): Readonly<Record<string, string>> {
  return {
    symbol: order.symbol,
    side: order.side,
    origClientOrderId: order.clientId,
    quantity: threeQuarters(order),
    price: order.price ?? "",
  };
}

/** Three quarters of what the order was amended to, or placed with. */
export function threeQuarters(order: ToldOrder): string {
  const { lotDecimals } = marketOf(order.symbol);
  const lots = Math.floor((Number(order.amendedQty ?? order.qty) * 10 ** lotDecimals * 3) / 4);
  return formatScaled(Math.max(lots, 1), lotDecimals);
}

/** Draws a conditional order whose trigger is a few ticks from the middle, so that some of them trigger. */
export function drawAlgo(
  random: SeededRandom,
  { market, middle, lotsMin }: CrashMarket,
  name: string,
): DrawnOrder {
  const side = random.next() < 0.5 ? "BUY" : "SELL";
  const type = random.next() < 0.5 ? "STOP_MARKET" : "TAKE_PROFIT_MARKET";
  const rises = (side === "BUY") === (type === "STOP_MARKET");
  const away = 1 + random.below(5);
  const trigger = formatScaled(middle + (rises ? away : -away), market.tickDecimals);
  const qty = formatScaled(lotsMin + random.below(lotsMin), market.lotDecimals);
  const told = {
    clientId: name + algoEnd,
    symbol: symbolOf(market),
    side,
    price: null,
    qty,
  } as const;
  return {
    told,
    query:
      `algoType=CONDITIONAL&symbol=${told.symbol}&side=${side}&type=${type}` +
      `&quantity=${qty}&triggerPrice=${trigger}&clientAlgoId=${told.clientId}`,
    // It would trigger at once, or the account has as many as it may have.
    mayRefuse: [-2021, -4045],
  };
}
