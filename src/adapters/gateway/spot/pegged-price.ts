// Pegged orders: a limit order that takes its price from a level of the book. The level is read once, from the committed
// book when the request arrives; from then on the order is like any other limit order. Spec SPT-80 to SPT-82.

import type { SpotOrderParameters } from "../../../../schemas/http/spot.ts";
import { OrderType, opposite, Side } from "../../../core/orders.ts";
import { type MarketBook, priceOfLevel } from "../orders/book-level.ts";
import { priceText, type ShownMarket, sidesByName } from "../orders/order-format.ts";
import {
  missingParameter,
  refused,
  unneededParameter,
  unsupportedCombination,
} from "../requests/surface-error.ts";
import { noLevelToPegTo } from "./error-map.ts";

/** The peg of an order; without `pegPriceType` it has none. */
export type Peg = Pick<SpotOrderParameters, "pegPriceType" | "pegOffsetType" | "pegOffsetValue">;

type PegParameters = Peg & Pick<SpotOrderParameters, "side" | "timeInForce">;

/** Refuses an offset without a peg, or without its other half. */
function checkOffset({ pegPriceType, ...offset }: PegParameters): void {
  const halves = ["pegOffsetType", "pegOffsetValue"] as const;
  const sent = halves.find((half) => offset[half] !== undefined);
  const lacking = halves.find((half) => offset[half] === undefined);
  if (sent !== undefined && pegPriceType === undefined) refused(unneededParameter(sent));
  if (sent !== undefined && lacking !== undefined) refused(missingParameter(lacking));
}

/** Refuses a peg of an order that has no price of its own from the start, and combinations that Binance refuses. */
function checkType({ pegPriceType, timeInForce }: PegParameters, type: OrderType): void {
  const isMaker = type === OrderType.limitMaker;
  if (!isMaker && type !== OrderType.limit) refused(unneededParameter("pegPriceType"));
  const canRest = isMaker || timeInForce === "GTC";
  if (pegPriceType === "PRIMARY_PEG" ? !canRest : isMaker) refused(unsupportedCombination);
}

/**
 * Ticks of the price to which an order with a parameter of pegs is pegged. `limit` is the price that the client sent,
 * in ticks, or 0: the order never gets a worse one. Refused: what `checkOffset` and `checkType` say, and a level that
 * the book does not have.
 */
export function peggedPrice(
  params: PegParameters,
  { type, limit }: { readonly type: OrderType; readonly limit: number },
  book: MarketBook,
): number {
  const { pegPriceType, pegOffsetValue = 0 } = params;
  checkOffset(params);
  checkType(params, type);
  const own = sidesByName[params.side];
  const side = pegPriceType === "PRIMARY_PEG" ? own : opposite(own);
  const price = priceOfLevel(book, side, 1 + pegOffsetValue);
  if (price === 0) refused(noLevelToPegTo);
  if (limit === 0) return price;
  return own === Side.buy ? Math.min(price, limit) : Math.max(price, limit);
}

/** The fields with which the answer to a pegged order shows its peg. */
export function pegText(peg: Peg, price: number, market: ShownMarket): string {
  const { pegPriceType, pegOffsetType, pegOffsetValue } = peg;
  const offset =
    pegOffsetType === undefined
      ? ""
      : `,"pegOffsetType":"${pegOffsetType}","pegOffsetValue":${pegOffsetValue}`;
  return `,"pegPriceType":"${pegPriceType}"${offset},"peggedPrice":"${priceText(market, price)}"`;
}
