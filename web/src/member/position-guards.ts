// Take profit and stop loss of an open position: orders that belong to it, so that the venue ends them when it closes or
// turns.

import { exact } from "../markets/exact.ts";
import type { Market } from "../markets/market.ts";
import { closingSide, type Guard, guardAmong, type Held } from "../markets/positions/guards.ts";
import type { AttachedPrices } from "../markets/ticket/attached-guards.ts";
import { announce, announcingChange } from "../notices/notice-list.ts";
import { changeNotice, guardNotice } from "../notices/notices.ts";
import { type Order, openOrders } from "./account.ts";
import { cancelOrder, cancelReplaced, placeInstead, placeOrder } from "./order-actions.ts";
import { endsWithPosition, termsOf } from "./order-terms.ts";

function guardOf(position: Held, type: Guard): Order | undefined {
  const triggerOf = (order: Order) => {
    const terms = termsOf(order);
    return terms?.closePosition === true ? terms.stopPrice : undefined;
  };
  return guardAmong(openOrders.value, position, type, triggerOf);
}

/** The trigger of the position's take profit or stop loss; empty without one. */
export function guardPrice(position: Held, type: Guard): string {
  const order = guardOf(position, type);
  return (order === undefined ? undefined : termsOf(order)?.stopPrice) ?? "";
}

/** The triggers of both; empty without one, and without a position. */
export function guardPrices(position: Held | undefined): AttachedPrices {
  const price = (type: Guard) => (position === undefined ? "" : guardPrice(position, type));
  return { takeProfit: price("TAKE_PROFIT_MARKET"), stopLoss: price("STOP_MARKET") };
}

/** Whether the venue's answer is still missing that says which of the market's open orders close the position. */
function isGuardUnknown({ symbol }: Held, type: Guard): boolean {
  return openOrders.value.some(
    (order) => order.symbol === symbol && order.type === type && termsOf(order) === undefined,
  );
}

/** Places, changes or removes one of the two orders, so that it has that price; empty for none. */
export async function setGuard(
  position: Held,
  market: Market,
  type: Guard,
  price: string,
): Promise<void> {
  if (isGuardUnknown(position, type)) {
    throw new Error("Your open orders are still being read. Try again in a moment.");
  }
  const order = guardOf(position, type);
  const isOfPosition = order !== undefined && endsWithPosition(termsOf(order));
  if (price === "") {
    if (order !== undefined) await cancelOrder(order);
    return;
  }
  if (isOfPosition && exact(price) === exact(guardPrice(position, type))) return;
  const parameters = {
    symbol: market.listed,
    side: closingSide(position),
    type,
    closePosition: "true",
    timeInForce: "GTE_GTC",
    triggerPrice: price,
    workingType: "MARK_PRICE",
  };
  const terms = order === undefined ? undefined : termsOf(order);
  const { side } = parameters;
  const { symbol, pricePlaces } = market;
  const spoken = { symbol, side, type, quantity: "0", price, pricePlaces };
  if (order === undefined || terms === undefined) {
    await placeOrder({ route: "conditional", parameters });
    announce(guardNotice(spoken, Date.now()));
    return;
  }
  const changed = { ...spoken, orderNo: terms.orderId };
  await announcingChange(changeNotice(changed, Date.now()), async () => {
    await placeInstead(terms.orderId, parameters);
    // The venue replaces only an order that belongs to the position.
    if (!isOfPosition) await cancelReplaced(order);
    return "replaced";
  });
}
