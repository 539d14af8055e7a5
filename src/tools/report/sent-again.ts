// Finds orders that a program sent again because it did not know what had become of the first: the same intent within a
// minute of an answer that was lost, before it heard of the first in any other way. Each of them exists. Specification:
// REW-134.

import { OrderType, tradedType } from "../../core/orders.ts";
import type { SeenOrder } from "./client-view.ts";

/** Later orders with the same terms are taken as new ones. */
const againMsMax = 60_000;

/** Orders with one intent, oldest first: two or more. */
export type SentAgain = readonly SeenOrder[];

/** Groups of orders that were sent again, oldest first. `seen` are an account's orders by id. */
export function sentAgain(seen: readonly SeenOrder[]): SentAgain[] {
  const groups: SeenOrder[][] = [];
  /** By intent: the group of the last order whose answer was lost. */
  const open = new Map<string, SeenOrder[]>();
  for (const one of seen) {
    const { sentMs, isAnswered } = one.evidence;
    if (sentMs === null) continue;
    const intent = intentOf(one);
    const group = open.get(intent);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && isBlind(last, sentMs)) {
      if (group.length === 1) groups.push(group);
      group.push(one);
    } else if (!isAnswered) open.set(intent, [one]);
    if (isAnswered) open.delete(intent);
  }
  return groups;
}

/** Whether the program had not heard of an order when it sent another one. */
function isBlind({ evidence: { sentMs, toldMs } }: SeenOrder, nextMs: number): boolean {
  if (sentMs === null || nextMs - sentMs > againMsMax) return false;
  return toldMs === null || toldMs > nextMs;
}

/** What the order was sent for. The price of a market order is the venue's, so it is not part of it. */
function intentOf({ order: { record } }: SeenOrder): string {
  const { market, side, type, timeInForce, price, qty, quoteQty, triggerPrice } = record;
  const limit = tradedType(type) === OrderType.market ? "" : price;
  return [market, side, type, timeInForce, limit, qty, quoteQty, triggerPrice].join(" ");
}
