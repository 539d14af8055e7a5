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

type PegParameters = Pick<
  SpotOrderParameters,
  "pegPriceType" | "pegOffsetType" | "pegOffsetValue" | "side" | "timeInForce"
>;

/**
 * Ticks of the price to which an order is pegged; 0 if it is not pegged. `limit` is the price that the client sent, in
 * ticks, or 0: the order never gets a worse one. Refused: an offset without a peg or without its other half, a peg of
 * another type than LIMIT and LIMIT_MAKER, combinations that Binance refuses, and a level that the book does not have.
 */
export function peggedPrice(
  params: PegParameters,
  { type, limit }: { readonly type: OrderType; readonly limit: number },
  book: MarketBook,
): number {
  const { pegPriceType, pegOffsetType, pegOffsetValue } = params;
  if (pegPriceType === undefined) {
    if (pegOffsetType !== undefined) refused(unneededParameter("pegOffsetType"));
    return pegOffsetValue === undefined ? 0 : refused(unneededParameter("pegOffsetValue"));
  }
  if (type !== OrderType.limit && type !== OrderType.limitMaker)
    refused(unneededParameter("pegPriceType"));
  if (pegOffsetType !== undefined && pegOffsetValue === undefined)
    refused(missingParameter("pegOffsetValue"));
  if (pegOffsetValue !== undefined && pegOffsetType === undefined)
    refused(missingParameter("pegOffsetType"));
  const isPrimary = pegPriceType === "PRIMARY_PEG";
  const canRest = type === OrderType.limitMaker || params.timeInForce === "GTC";
  if (isPrimary ? !canRest : type === OrderType.limitMaker) refused(unsupportedCombination);
  const side = sidesByName[params.side];
  const price = priceOfLevel(book, isPrimary ? side : opposite(side), 1 + (pegOffsetValue ?? 0));
  if (price === 0) refused(noLevelToPegTo);
  if (limit === 0) return price;
  return side === Side.buy ? Math.min(price, limit) : Math.max(price, limit);
}

/** The fields with which the answer to a pegged order shows its peg; empty for other orders. */
export function pegText(params: PegParameters, price: number, market: ShownMarket): string {
  const { pegPriceType, pegOffsetType, pegOffsetValue } = params;
  if (pegPriceType === undefined) return "";
  const offset =
    pegOffsetType === undefined
      ? ""
      : `,"pegOffsetType":"${pegOffsetType}","pegOffsetValue":${pegOffsetValue}`;
  return `,"pegPriceType":"${pegPriceType}"${offset},"peggedPrice":"${priceText(market, price)}"`;
}
