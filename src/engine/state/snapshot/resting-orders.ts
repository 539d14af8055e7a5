// The orders on the books as requests that restore them, in priority order: by the time at which each joined the queue
// of its price. Triggered and amended orders may have joined their queue late; the others are in the order of ids.
//
// A start restores all of them, so they are passed one by one in one reused request.

import { ascendingOrder } from "../../../core/ascending-order.ts";
import { assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import { emptyMatchRequest, type MatchRequest } from "../../../core/generated/messages.ts";
import {
  isConditional,
  type OrderType,
  type Side,
  type StpMode,
  type TimeInForce,
  tradedTimeInForce,
  tradedType,
} from "../../../core/orders.ts";
import { OrderFlag } from "../orders/order-table.ts";
import type { VenueState } from "../venue-state.ts";
import type { VenueSnapshot } from "./venue-snapshot.ts";

/** Receives an order on a book; the request object is reused for the next. */
export type RestingTaker = (order: Readonly<MatchRequest>) => void;

/** The orders on books, by their index in a table or a snapshot, with their queue priority. */
interface Ranked {
  /** Indexes of the orders, and the microseconds at which each joined its queue. */
  readonly places: Int32Array;
  readonly ranksUs: Float64Array;
}

/** Passes the orders of a state that are on books to `take`. */
export function restingOrders(state: VenueState, take: RestingTaker): void {
  const { orders, accounts } = state;
  const places = orders.openSlots().filter((slot) => orders.isOnBook(slot));
  const ranksUs = Float64Array.from(places, (slot) => orders.rankUs(slot));
  handOut({ places, ranksUs }, take, (slot, request) => {
    request.market = byteAt(orders.market, slot);
    request.slot = slot;
    request.generation = wordAt(orders.generation, slot);
    request.account = wordAt(orders.account, slot);
    request.owner = accounts.familyOf(request.account);
    request.side = byteAt(orders.side, slot) as Side;
    request.type = byteAt(orders.type, slot) as OrderType;
    request.timeInForce = byteAt(orders.timeInForce, slot) as TimeInForce;
    request.stpMode = byteAt(orders.stpMode, slot) as StpMode;
    request.isReduceOnly = orders.has(slot, OrderFlag.reduceOnly);
    request.price = wordAt(orders.price, slot);
    request.qty = orders.remaining(slot);
    request.icebergQty = orders.icebergQtyOf(slot);
    request.shownQty = request.icebergQty === 0 ? 0 : wordAt(orders.shownQty, slot);
  });
}

/**
 * Passes the orders of a snapshot that are on books to `take`. Slots and generations are those that `restoreState`
 * would assign; the state need not be restored.
 */
export function restingOrdersOf({ orders, subAccounts }: VenueSnapshot, take: RestingTaker): void {
  const owners = new Map<number, number>();
  for (const { account, owner } of subAccounts) owners.set(account, owner).set(owner, owner);
  const { special } = orders;
  const icebergs = new Map<number, number>();
  for (const [row, place] of special.place.entries()) {
    if ((byteAt(orders.flags, place) & OrderFlag.iceberg) !== 0) icebergs.set(place, row);
  }
  handOut(rankedOf(orders), take, (place, request) => {
    request.market = byteAt(orders.market, place);
    request.slot = place;
    request.account = wordAt(orders.account, place);
    request.owner = owners.get(request.account) ?? 0;
    request.side = byteAt(orders.side, place) as Side;
    request.type = byteAt(orders.type, place) as OrderType;
    request.timeInForce = byteAt(orders.timeInForce, place) as TimeInForce;
    request.stpMode = byteAt(orders.stpMode, place) as StpMode;
    request.isReduceOnly = (byteAt(orders.flags, place) & OrderFlag.reduceOnly) !== 0;
    request.price = wordAt(orders.price, place);
    request.qty = numberAt(orders.qty, place) - numberAt(orders.filledQty, place);
    const row = icebergs.get(place);
    request.icebergQty = row === undefined ? 0 : numberAt(special.icebergQty, row);
    request.shownQty = row === undefined ? 0 : numberAt(special.shownQty, row);
  });
}

/** The orders of a snapshot that are on books, with their priorities. */
function rankedOf({ special, ...orders }: VenueSnapshot["orders"]): Ranked {
  const count = orders.orderId.length;
  const ranksUs = orders.acceptedUs.slice();
  const waits = new Uint8Array(count);
  for (const [row, place] of special.place.entries()) {
    const type = byteAt(orders.type, place) as OrderType;
    const flags = byteAt(orders.flags, place);
    const isPending = (flags & OrderFlag.pending) !== 0;
    const isWaiting = isConditional(type) && special.triggeredUs[row] === 0;
    if (isPending || isWaiting) waits[place] = 1;
    const isRequeued = (flags & OrderFlag.requeued) !== 0;
    if (isRequeued) ranksUs[place] = numberAt(special.queuedUs, row);
  }
  const every = new Int32Array(count).map((_, place) => place);
  if (!waits.includes(1)) return { places: every, ranksUs };
  const places = every.filter((place) => waits[place] === 0);
  return { places, ranksUs: Float64Array.from(places, (place) => numberAt(ranksUs, place)) };
}

/** Passes all orders to `take` by priority; `fill` sets the request's fields for the order at an index. */
function handOut(
  { places, ranksUs }: Ranked,
  take: RestingTaker,
  fill: (place: number, request: MatchRequest) => void,
): void {
  const request = emptyMatchRequest();
  for (const at of ascendingOrder(ranksUs)) {
    fill(wordAt(places, at), request);
    const { type, timeInForce } = request;
    request.timeInForce = tradedTimeInForce(type, timeInForce);
    request.type = tradedType(type);
    assert(
      request.shownQty <= request.icebergQty && request.shownQty <= request.qty,
      "an order must show no more than its slice and its open quantity",
    );
    take(request);
  }
}
