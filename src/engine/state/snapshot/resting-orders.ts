// The orders that are on books as requests that restore them, in priority order: by the time each took
// its place in the queue. That is the order of ids but for those that triggered or were amended.

import { byteAt, numberAt, wordAt } from "../../../core/cells.ts";
import { emptyMatchRequest, type MatchRequest } from "../../../core/match-messages.ts";
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

interface Ranked {
  readonly rankUs: number;
  readonly request: MatchRequest;
}

/** Requests by rank; sorting is stable, and most come sorted. */
function byRank(ranked: Ranked[]): MatchRequest[] {
  return ranked.sort((a, b) => a.rankUs - b.rankUs).map(({ request }) => request);
}

/** Fills in what an order is to its matcher. */
function asTraded(request: MatchRequest): MatchRequest {
  request.timeInForce = tradedTimeInForce(request.type, request.timeInForce);
  request.type = tradedType(request.type);
  return request;
}

/** The orders of a state that are on books. */
export function restingOrders({ orders }: VenueState): MatchRequest[] {
  const onBook = orders.openSlots().filter((slot) => orders.isOnBook(slot));
  return byRank(
    Array.from(onBook, (slot) => ({
      rankUs: orders.rankUs(slot),
      request: asTraded({
        ...emptyMatchRequest(),
        market: byteAt(orders.market, slot),
        slot,
        generation: wordAt(orders.generation, slot),
        account: wordAt(orders.account, slot),
        side: byteAt(orders.side, slot) as Side,
        type: byteAt(orders.type, slot) as OrderType,
        timeInForce: byteAt(orders.timeInForce, slot) as TimeInForce,
        stpMode: byteAt(orders.stpMode, slot) as StpMode,
        isReduceOnly: orders.has(slot, OrderFlag.reduceOnly),
        price: wordAt(orders.price, slot),
        qty: orders.remaining(slot),
      }),
    })),
  );
}

/**
 * The orders of a snapshot that are on books. Slots and generations are those that `restoreState`
 * gives, which needs not be called for it.
 */
export function restingOrdersOf({ orders }: VenueSnapshot): MatchRequest[] {
  const { special } = orders;
  const rows = new Map(Array.from(special.place, (place, row) => [place, row]));
  const ranked: Ranked[] = [];
  for (let place = 0; place < orders.orderId.length; place++) {
    const row = rows.get(place);
    const type = numberAt(orders.type, place) as OrderType;
    const waits = isConditional(type) && row !== undefined && special.triggeredUs[row] === 0;
    if (waits) continue;
    const flags = numberAt(orders.flags, place);
    const isRequeued = row !== undefined && (flags & OrderFlag.requeued) !== 0;
    ranked.push({
      rankUs: isRequeued ? numberAt(special.queuedUs, row) : numberAt(orders.acceptedUs, place),
      request: asTraded({
        ...emptyMatchRequest(),
        market: numberAt(orders.market, place),
        slot: place,
        account: numberAt(orders.account, place),
        side: numberAt(orders.side, place) as Side,
        type,
        timeInForce: numberAt(orders.timeInForce, place) as TimeInForce,
        stpMode: numberAt(orders.stpMode, place) as StpMode,
        isReduceOnly: (flags & OrderFlag.reduceOnly) !== 0,
        price: numberAt(orders.price, place),
        qty: numberAt(orders.qty, place) - numberAt(orders.filledQty, place),
      }),
    });
  }
  return byRank(ranked);
}
