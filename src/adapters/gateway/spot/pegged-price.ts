// Pegged orders: a limit order that takes its price from a level of the book. One that goes to its book at once is priced
// here: the level is read once, from the committed book when the request arrives; from then on the order is like any other
// limit order. One that waits, for its trigger or for the working order of its list, goes to clearing with its peg.
// Spec SPT-80 to SPT-82, SPT-112 to SPT-114.

import type { SpotOrderParameters } from "../../../../schemas/http/spot.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import {
  isConditional,
  OrderType,
  opposite,
  Peg,
  tradedType,
  withinLimit,
} from "../../../core/orders.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";
import { type MarketBook, priceOfLevel } from "../orders/book-level.ts";
import { isWaiting, priceText, type ShownMarket, sidesByName } from "../orders/order-format.ts";
import {
  missingParameter,
  refused,
  unneededParameter,
  unsupportedCombination,
} from "../requests/surface-error.ts";
import { noLevelToPegTo } from "./error-map.ts";
import type { OrderRole } from "./order-role.ts";

/** The peg of an order; without `pegPriceType` it has none. */
export type PegParameters = Pick<
  SpotOrderParameters,
  "pegPriceType" | "pegOffsetType" | "pegOffsetValue"
>;

type PeggedParameters = PegParameters & Pick<SpotOrderParameters, "side" | "timeInForce">;

/** Refuses an offset without a peg, or without its other half. */
function checkOffset({ pegPriceType, ...offset }: PegParameters, { nameOf }: OrderRole): void {
  const halves = ["pegOffsetType", "pegOffsetValue"] as const;
  const sent = halves.find((half) => offset[half] !== undefined);
  const lacking = halves.find((half) => offset[half] === undefined);
  if (sent !== undefined && pegPriceType === undefined) refused(unneededParameter(nameOf(sent)));
  if (sent !== undefined && lacking !== undefined) refused(missingParameter(nameOf(lacking)));
}

/** Refuses a peg of an order that trades at the market, and combinations that Binance refuses. */
function checkType(
  { pegPriceType, timeInForce }: PeggedParameters,
  type: OrderType,
  { nameOf }: OrderRole,
): void {
  const traded = tradedType(type);
  if (traded === OrderType.market) refused(unneededParameter(nameOf("pegPriceType")));
  const isMaker = traded === OrderType.limitMaker;
  const canRest = isMaker || timeInForce === "GTC";
  if (pegPriceType === "PRIMARY_PEG" ? !canRest : isMaker) refused(unsupportedCombination);
}

/** The price of an order in ticks, and the peg that it keeps if it waits. */
type Pegged = Pick<PlaceOrder, "price" | "peg" | "pegOffset">;

/**
 * The price of an order with a parameter of pegs, and the peg that it keeps if it waits; then the price is `limit`.
 * `limit` is the price that the client sent, in ticks, or 0: the order never gets a worse one. Refused: what
 * `checkOffset` and `checkType` say, and a level that the book of an order that does not wait does not have.
 */
export function pegged(
  params: PeggedParameters,
  { type, limit }: { readonly type: OrderType; readonly limit: number },
  book: MarketBook,
  role: OrderRole,
): Pegged {
  const { pegPriceType, pegOffsetValue: pegOffset = 0 } = params;
  checkOffset(params, role);
  checkType(params, type, role);
  const isPrimary = pegPriceType === "PRIMARY_PEG";
  if (role.isPending || isConditional(type)) {
    return { price: limit, peg: isPrimary ? Peg.primary : Peg.market, pegOffset };
  }
  const own = sidesByName[params.side];
  const price = priceOfLevel(book, isPrimary ? own : opposite(own), 1 + pegOffset);
  if (price === 0) refused(noLevelToPegTo);
  return { price: withinLimit(own, price, limit), peg: Peg.none, pegOffset: 0 };
}

/** The fields with which the answer to a pegged order shows its peg, and the price that it got if it has got one. */
export function pegText(peg: PegParameters, order: OrderRecord, market: ShownMarket): string {
  const { pegPriceType, pegOffsetType, pegOffsetValue } = peg;
  const offset =
    pegOffsetType === undefined
      ? ""
      : `,"pegOffsetType":"${pegOffsetType}","pegOffsetValue":${pegOffsetValue}`;
  const priced = isWaiting(order) ? "" : `,"peggedPrice":"${priceText(market, order.price)}"`;
  return `,"pegPriceType":"${pegPriceType}"${offset}${priced}`;
}
