// Take profit and stop loss of an order that is open: which it brings, and the order that takes its place with others. The
// venue cannot change those of an order that waits.

import { cutTo, exact } from "../../../markets/exact.ts";
import type { Market } from "../../../markets/market.ts";
import { orderRequest } from "../../../markets/order-requests.ts";
import { blankTicket, type Means } from "../../../markets/order-ticket.ts";
import { type AttachedPrices, attachedInList } from "../../../markets/ticket/attached-guards.ts";
import { type Order, openOrders } from "../../../member/account.ts";
import { cancelOrder, placeOrder, unknownOrder } from "../../../member/order-actions.ts";
import { endingWith } from "../../../member/order-lists.ts";
import { listOf, type OrderTerms, termsOf } from "../../../member/order-terms.ts";
import { faultMessage, VenueFault } from "../../../member/venue-api.ts";
import { announcingChange } from "../../../notices/notice-list.ts";
import { changeNotice } from "../../../notices/notices.ts";
import { orderNumber } from "../../../proof-reference.ts";

export interface Attached {
  /** The order that brings them; on spot the working order of the list. */
  readonly order: Order;
  readonly prices: AttachedPrices;
}

/** What an order brings, or what an order of the same list does; null if it brings none that the page can change. */
export function attachedOf(order: Order): Attached | null {
  if (order.leverage !== null) {
    const { type, take_profit: profit, stop_loss: loss } = order;
    // A take profit or stop loss of a position shows its own price in these fields.
    if (type !== "LIMIT" || (profit ?? loss ?? null) === null) return null;
    return { order, prices: { takeProfit: profit ?? "", stopLoss: loss ?? "" } };
  }
  const found = attachedInList(endingWith(order, openOrders.value, listOf), termsOf);
  return found === null ? null : { order: found.working, prices: found.prices };
}

/** A ticket with a quantity in the base asset needs to know nothing else. */
const noMeans: Means = {
  free: undefined,
  positionQuantity: undefined,
  best: undefined,
  reach: null,
  leverage: 1,
};

/** The request that places the rest of an order with other prices. */
function requestWith(
  { side, price }: Order,
  { type, timeInForce, icebergQty = "0" }: OrderTerms,
  market: Market,
  rest: { readonly quantity: string; readonly prices: AttachedPrices },
) {
  const isPostOnly = type === "LIMIT_MAKER" || timeInForce === "GTX";
  const ticket = {
    ...{ ...blankTicket, ...rest.prices, side, price: price ?? "", quantity: rest.quantity },
    lifetime: isPostOnly ? "GTX" : "GTC",
    visible: Number(icebergQty) === 0 ? "" : icebergQty,
  } as const;
  return orderRequest(ticket, market, noMeans, null);
}

/**
 * Cancels the order, with its list, and places what is left of it with the new prices. In this order, because two entry
 * orders could both be filled; what an entry order has opened keeps its own take profit and stop loss. If the new order is
 * refused, the message says that the old one is gone.
 */
export async function replaceAttached(
  order: Order,
  market: Market,
  prices: AttachedPrices,
): Promise<void> {
  const terms = termsOf(order);
  if (terms === undefined) throw new Error("The order is no longer open. Nothing was changed.");
  const cancelled = (await cancelOrder(order).catch((fault: unknown) => {
    const isGone = fault instanceof VenueFault && fault.status === unknownOrder;
    throw isGone ? new Error("The order is no longer open. Nothing was changed.") : fault;
  })) as Pick<Order, "filled_qty">;
  const left = (exact(order.qty) ?? 0n) - (exact(cancelled.filled_qty) ?? 0n);
  const quantity = cutTo(left, market.quantityPlaces);
  await placeOrder(requestWith(order, terms, market, { quantity, prices })).catch(
    (fault: unknown) => {
      const state = "The order was cancelled, but the one in its place was not accepted";
      throw new Error(`${state}: ${faultMessage(fault)}`);
    },
  );
  const bought = (exact(cancelled.filled_qty) ?? 0n) - (exact(order.filled_qty) ?? 0n);
  if (!market.isPerpetual && bought > 0n) {
    const amount = cutTo(bought, market.quantityPlaces);
    throw new Error(
      `Replaced. But ${amount} ${market.base} were bought meanwhile, and these have no take profit or stop loss.`,
    );
  }
}

/** Replaces the order as `replaceAttached` does, and tells of it as one change. */
export async function changeAttached(
  order: Order,
  market: Market,
  prices: AttachedPrices,
): Promise<void> {
  const { symbol, side, type, qty: quantity } = order;
  const orderNo = orderNumber(order.order_id) ?? 0;
  const { pricePlaces } = market;
  const changed = { orderNo, symbol, side, type, quantity, price: order.price ?? "0", pricePlaces };
  const others = endingWith(order, openOrders.peek(), listOf)
    .map(({ order_id: id }) => orderNumber(id) ?? 0)
    .filter((number) => number !== orderNo);
  const notice = changeNotice(changed, Date.now());
  await announcingChange(
    { ...notice, text: notice.text.replace(/ to [\d.,]+$/, ": take profit and stop loss") },
    async () => {
      await replaceAttached(order, market, prices);
      return "replaced";
    },
    others,
  );
}
