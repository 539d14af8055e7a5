// Amends: new price and quantity for an open limit order, which keeps its id. The matcher decides what
// becomes of its place in the queue. While an amend is with its matcher, what the new terms need beyond
// the order's own hold is reserved beside it, for every number of lots that may trade meanwhile; one
// amend of an order at a time.

import { Wallet } from "../../core/accounts.ts";
import { asPriceTicks, asQtyLots } from "../../core/amounts.ts";
import { amountAt, byteAt, numberAt, wordAt } from "../../core/cells.ts";
import type { AmendOrder, PlaceOrder } from "../../core/commands.ts";
import { type Market, MarketKind } from "../../core/markets.ts";
import { MatchLane, MatchOutcome } from "../../core/match-messages.ts";
import {
  CloseReason,
  OrderType,
  Side,
  type StpMode,
  type TimeInForce,
  tradedType,
} from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { Admission } from "./admission.ts";
import type { BestPrices } from "./best-prices.ts";
import { closableLots } from "./closing-lots.ts";
import type { FillBuffer } from "./fill-buffer.ts";
import { available } from "./margin.ts";
import type { MatcherLanes } from "./matcher-lanes.ts";
import { findOrder } from "./order-lookup.ts";
import { OrderFlag } from "./order-table.ts";
import { closeReasonOf, type OrderUnit } from "./order-unit.ts";
import type { PendingOrders } from "./pending-orders.ts";
import type { ReplyWriter } from "./reply-writer.ts";
import { copyOrder, emptyOrder, type PendingRequest, RequestKind } from "./request-lane.ts";
import { heldAsset, marginHold, spotHold, walletOf } from "./reservations.ts";
import type { VenueState } from "./venue-state.ts";

export interface OrderAmendsParts {
  readonly state: VenueState;
  readonly best: BestPrices;
  readonly admission: Admission;
  readonly lanes: MatcherLanes;
  readonly pending: PendingOrders;
  readonly unit: OrderUnit;
  readonly replies: ReplyWriter;
}

export class OrderAmends {
  readonly #parts: OrderAmendsParts;
  /** Orders whose amend is with a matcher: the lots each gains by it, by id. */
  readonly #underWay = new Map<number, number>();

  constructor(parts: OrderAmendsParts) {
    this.#parts = parts;
  }

  /** Asks the matcher to amend the order, or refuses. */
  amend(command: AmendOrder): void {
    const { state, pending, replies } = this.#parts;
    const slot = findOrder(state, pending, command);
    if (slot < 0) {
      replies.answer(command, RejectReason.unknownOrder, 0);
      return;
    }
    const order = this.#orderOf(slot, command);
    const reason = this.#check(slot, order);
    if (reason !== RejectReason.none) replies.answer(command, reason, 0);
    else this.#send(slot, order);
  }

  /** The matcher has answered: writes the unit, if there is one, and answers. */
  finish(
    request: PendingRequest,
    fills: FillBuffer,
    outcome: MatchOutcome,
    remaining: number,
  ): void {
    const { state, pending, unit, replies } = this.#parts;
    const { slot, order, terms, orderId } = request;
    const market = state.table.market(order.market);
    const asset = heldAsset(market, order.side);
    state.balances.release(order.account, walletOf(market), asset, terms.hold);
    pending.countAmended(order, -(this.#underWay.get(orderId) ?? 0));
    this.#underWay.delete(orderId);
    if (outcome === MatchOutcome.unknown || outcome === MatchOutcome.wouldTake) {
      const isGone = outcome === MatchOutcome.unknown;
      replies.answer(request, isGone ? RejectReason.unknownOrder : RejectReason.wouldTake, 0);
      return;
    }
    if (outcome === MatchOutcome.cancelled) {
      const reason = CloseReason.cancelled;
      const { account } = order;
      unit.close({ orderId, account, market: order.market, reason }, request.atUs);
    } else {
      order.qty = numberAt(state.orders.filledQty, slot) + fills.qty + remaining;
      const amended = { ...terms, isRequeued: request.isRequeued };
      unit.amend(orderId, order, amended, fills, closeReasonOf(outcome, remaining));
    }
    replies.answer(request, RejectReason.none, orderId);
  }

  /** The order as it will be. */
  #orderOf(slot: number, command: AmendOrder): PlaceOrder {
    const { orders } = this.#parts.state;
    return {
      ...emptyOrder(),
      source: command.source,
      correlation: command.correlation,
      atUs: command.atUs,
      account: command.account,
      market: command.market,
      side: byteAt(orders.side, slot) as Side,
      type: tradedType(byteAt(orders.type, slot) as OrderType),
      timeInForce: byteAt(orders.timeInForce, slot) as TimeInForce,
      isReduceOnly: orders.has(slot, OrderFlag.reduceOnly),
      stpMode: byteAt(orders.stpMode, slot) as StpMode,
      price: command.price === 0 ? wordAt(orders.price, slot) : command.price,
      qty: command.qty,
    };
  }

  #check(slot: number, order: PlaceOrder): RejectReason {
    const { orders } = this.#parts.state;
    const orderId = numberAt(orders.orderId, slot);
    if (!orders.isOnBook(slot) || order.type === OrderType.market) return RejectReason.notAmendable;
    if (this.#underWay.has(orderId)) return RejectReason.notAmendable;
    const more = order.qty - numberAt(orders.qty, slot);
    const refusal = this.#parts.admission.checkAmended(order, more);
    if (refusal !== RejectReason.none) return refusal;
    if (order.qty <= numberAt(orders.filledQty, slot)) return RejectReason.notAmendable;
    const isSame = orders.price[slot] === order.price && orders.qty[slot] === order.qty;
    return isSame ? RejectReason.amendsNothing : RejectReason.none;
  }

  #send(slot: number, order: PlaceOrder): void {
    const { state, best, lanes, pending, replies } = this.#parts;
    const { orders, balances } = state;
    const market = state.table.market(order.market);
    const seen = orders.remaining(slot);
    const open = order.qty - numberAt(orders.filledQty, slot);
    const opposite = best.opposite(market.id, order.side);
    const marginPrice = order.side === Side.sell ? Math.max(order.price, opposite) : order.price;
    const extra =
      market.kind === MarketKind.perpetual
        ? this.#extraMargin(slot, market, order, open - seen, marginPrice)
        : this.#extraSpot(slot, market, order, open);
    const asset = heldAsset(market, order.side);
    const free =
      market.kind === MarketKind.perpetual
        ? available(state, order.account)
        : balances.free(order.account, Wallet.spot, asset);
    if (extra > 0n && free < extra) {
      replies.answer(order, RejectReason.insufficientBalance, 0);
      return;
    }
    const request = lanes.lane(order.market, MatchLane.orders).push();
    request.slot = slot;
    request.generation = wordAt(orders.generation, slot);
    request.source = order.source;
    request.correlation = order.correlation;
    request.atUs = order.atUs;
    request.kind = RequestKind.amend;
    request.orderId = numberAt(orders.orderId, slot);
    request.isRequeued = order.price !== orders.price[slot] || open > seen;
    request.mass = null;
    request.fences = null;
    copyOrder(order, request.order);
    request.terms.price = order.price;
    request.terms.qty = open;
    request.terms.marginPrice = marginPrice;
    request.terms.marginLots = 0;
    request.terms.budget = 0;
    request.terms.hold = extra;
    balances.reserve(order.account, walletOf(market), asset, extra);
    const gained = Math.max(open - seen, 0);
    this.#underWay.set(request.orderId, gained);
    pending.countAmended(order, gained);
    lanes.sendAmend(request, open, seen);
  }

  /**
   * What a spot order needs beyond its hold, whatever trades until the matcher decides: lots that
   * trade at the old price leave the same number fewer at the new one, so the need is linear in them
   * and largest at either end.
   */
  #extraSpot(slot: number, market: Market, order: PlaceOrder, open: number): bigint {
    const { orders } = this.#parts.state;
    const seen = orders.remaining(slot);
    const lost = Math.min(seen, open);
    const hold = (price: number, lots: number) =>
      spotHold(market, order.side, asPriceTicks(price), asQtyLots(lots));
    const before = wordAt(orders.price, slot);
    const now = hold(order.price, open) - hold(before, seen);
    const atWorst = hold(order.price, open - lost) - hold(before, seen - lost);
    let extra = 0n;
    for (const need of [now, atWorst]) if (need > extra) extra = need;
    return extra;
  }

  /** What a perpetual order needs beyond its margin; lots more may close what of a position is free. */
  #extraMargin(
    slot: number,
    market: Market,
    order: PlaceOrder,
    change: number,
    marginPrice: number,
  ): bigint {
    if (order.isReduceOnly) return 0n;
    const { state, pending } = this.#parts;
    const { account, side } = order;
    const { orders, sideLots, positions } = state;
    const spokenFor =
      sideLots.open(account, market.id, side) + pending.lots(account, market.id, side);
    const closable = closableLots(state, account, market.id, side);
    const spare = Math.max(closable - spokenFor, 0);
    const more = change > 0 ? Math.max(change - spare, 0) : change;
    const lots = Math.max(numberAt(orders.marginLots, slot) + more, 0);
    const leverage = positions.leverage(account, market.id);
    const hold = marginHold(market, asPriceTicks(marginPrice), asQtyLots(lots), leverage);
    const extra = hold - amountAt(orders.reserved, slot);
    return extra > 0n ? extra : 0n;
  }
}
