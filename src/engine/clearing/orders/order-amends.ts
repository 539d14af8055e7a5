// Amends: a new price and quantity for an open limit order, which keeps its id. The matcher decides whether the order
// keeps its queue priority. While an amend is in flight, clearing reserves what the new terms need beyond the order's
// own hold, whatever number of lots trades meanwhile. One amend per order at a time.

import { Wallet } from "../../../core/accounts.ts";
import { amountAt, byteAt, numberAt, present, wordAt } from "../../../core/assert.ts";
import type { AmendOrder, PlaceOrder } from "../../../core/generated/commands.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { MatchOutcome } from "../../../core/match-messages.ts";
import { asPriceTicks, asQtyLots } from "../../../core/money/amounts.ts";
import {
  CloseReason,
  OrderType,
  type Side,
  type StpMode,
  type TimeInForce,
  tradedType,
} from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { heldAsset, spotHold, walletOf } from "../../state/apply/holds.ts";
import { closableLots } from "../../state/apply/position-coverage.ts";
import { OrderFlag } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { ConnectedOrders } from "../connections/connected-orders.ts";
import type { BestPrices, MatcherLanes } from "../matchers/matcher-lanes.ts";
import {
  emptyOrder,
  type FillBuffer,
  type PendingRequest,
  RequestKind,
} from "../matchers/request-lane.ts";
import type { MarginFloor } from "../perpetuals/margin-floor.ts";
import type { PerpetualTerms } from "../perpetuals/perpetual-terms.ts";
import type { Requester, TransactionWriter } from "../transactions/transaction-writer.ts";
import type { Admission } from "./admission.ts";
import { openPartner } from "./list-legs.ts";
import { closeReasonOf, type OrderTransaction } from "./order-transaction.ts";
import type { PendingOrders } from "./pending-orders.ts";

export interface OrderAmendsParts {
  readonly state: VenueState;
  readonly best: BestPrices;
  readonly admission: Admission;
  readonly perpetual: PerpetualTerms;
  readonly floor: MarginFloor;
  readonly lanes: MatcherLanes;
  readonly pending: PendingOrders;
  readonly orderTransaction: OrderTransaction;
  readonly writer: TransactionWriter;
  readonly connected: ConnectedOrders;
}

/**
 * What an amend in flight adds to the counts in `PendingOrders`. `lots` and `loss` are the increases over the values of
 * the order before the amend.
 */
interface Gained {
  readonly lots: number;
  readonly loss: bigint;
  /** All lots with which the amended order may open a position. */
  readonly opening: number;
}

/** An amend of an order that is known, and its requester. */
interface AmendTerms
  extends Requester,
    Pick<AmendOrder, "account" | "market" | "price" | "qty" | "atUs"> {
  /** The order is one side of a quote, whose quantity is what is open: only that is checked. Default false. */
  readonly isQuote?: boolean;
}

export class OrderAmends {
  readonly #parts: OrderAmendsParts;
  /** What each amend in flight has added, by order id, so that it can be subtracted after the answer. */
  readonly #underWay = new Map<number, Gained>();

  constructor(parts: OrderAmendsParts) {
    this.#parts = parts;
  }

  /** Sends an amend to the matcher, or refuses. */
  amend(command: AmendOrder): void {
    const { pending, writer, connected } = this.#parts;
    const { connection = 0, account } = command;
    const fenced = connected.check(connection, account);
    const slot = pending.find(command);
    if (fenced !== RejectReason.none || slot < 0) {
      writer.answer(command, fenced || RejectReason.unknownOrder, 0);
      return;
    }
    const misnamed = this.#checkNamed(slot, command);
    const reason = misnamed === RejectReason.none ? this.request(slot, command) : misnamed;
    if (reason !== RejectReason.none) writer.answer(command, reason, 0);
  }

  /** Sends an amend of the order in `slot` to the matcher; returns the refusal if it may not be sent. */
  request(slot: number, terms: AmendTerms): RejectReason {
    const order = this.#orderOf(slot, terms);
    const reason = this.#check(slot, order, terms.isQuote ?? false);
    return reason === RejectReason.none ? this.#send(slot, order) : reason;
  }

  /** Whether an amend of the order is in flight. */
  isUnderWay(orderId: number): boolean {
    return this.#underWay.has(orderId);
  }

  /** Writes the transaction, if any, after the matcher has answered, and replies to the requester. */
  finish(
    request: PendingRequest,
    fills: FillBuffer,
    outcome: MatchOutcome,
    remaining: number,
  ): void {
    const { state, orderTransaction, writer } = this.#parts;
    const { slot, order, orderId } = request;
    this.release(request);
    if (outcome === MatchOutcome.unknown || outcome === MatchOutcome.wouldTake) {
      const isGone = outcome === MatchOutcome.unknown;
      writer.answer(request, isGone ? RejectReason.unknownOrder : RejectReason.wouldTake, 0);
      return;
    }
    if (outcome === MatchOutcome.cancelled) {
      const reason = CloseReason.cancelled;
      const { account } = order;
      writer.records(order.identity, orderId);
      orderTransaction.close({ orderId, account, market: order.market, reason }, request.atUs);
    } else {
      order.qty = wordAt(state.orders.filledQty, slot) + fills.qty + remaining;
      orderTransaction.amend(request, fills, closeReasonOf(outcome, remaining));
    }
    writer.answer(request, RejectReason.none, orderId);
  }

  /** Releases what the amend reserved while it was in flight. */
  release({ order, terms, orderId }: PendingRequest): void {
    const { state, pending } = this.#parts;
    const market = state.table.market(order.market);
    const asset = heldAsset(market, order.side);
    state.balances.reserve(order.account, walletOf(market), asset, -terms.hold);
    const gained = present(
      this.#underWay.get(orderId),
      "the answer must be for an amend in progress",
    );
    pending.countAmended(order, -gained.lots);
    pending.countLoss(order.account, -gained.loss);
    pending.countOpening(order.market, -gained.opening);
    this.#underWay.delete(orderId);
  }

  /** The order with its new terms. */
  #orderOf(slot: number, command: AmendTerms): PlaceOrder {
    const { orders } = this.#parts.state;
    const order = emptyOrder();
    order.source = command.source;
    order.correlation = command.correlation;
    order.identity = command.identity ?? null;
    order.atUs = command.atUs;
    order.account = command.account;
    order.market = command.market;
    order.side = byteAt(orders.side, slot) as Side;
    order.type = tradedType(byteAt(orders.type, slot) as OrderType);
    order.timeInForce = byteAt(orders.timeInForce, slot) as TimeInForce;
    order.isReduceOnly = orders.has(slot, OrderFlag.reduceOnly);
    order.stpMode = byteAt(orders.stpMode, slot) as StpMode;
    order.price = command.price === 0 ? wordAt(orders.price, slot) : command.price;
    order.qty = command.qty;
    order.icebergQty = orders.icebergQtyOf(slot);
    return order;
  }

  /** Refuses an amend whose stated side or direction contradicts the order. Spec ORD-52. */
  #checkNamed(slot: number, { side = null, growsNot = false, qty }: AmendOrder): RejectReason {
    const { orders } = this.#parts.state;
    if (side !== null && orders.side[slot] !== side) return RejectReason.amendWrongSide;
    const grows = growsNot && qty > wordAt(orders.qty, slot);
    return grows ? RejectReason.amendGrows : RejectReason.none;
  }

  #check(slot: number, order: PlaceOrder, isQuote: boolean): RejectReason {
    const { orders } = this.#parts.state;
    const orderId = numberAt(orders.orderId, slot);
    if (!orders.isOnBook(slot) || order.type === OrderType.market) return RejectReason.notAmendable;
    if (this.#underWay.has(orderId)) return RejectReason.notAmendable;
    // Both orders of an OCO have the same quantity, and only one of them could be amended.
    if (openPartner(this.#parts.state, slot) >= 0) return RejectReason.notAmendable;
    const more = order.qty - wordAt(orders.qty, slot);
    const checked = isQuote ? order.qty - wordAt(orders.filledQty, slot) : order.qty;
    const refusal = this.#parts.admission.checkAmended(order, more, checked);
    if (refusal !== RejectReason.none) return refusal;
    if (order.qty <= wordAt(orders.filledQty, slot)) return RejectReason.notAmendable;
    const isSame = orders.price[slot] === order.price && orders.qty[slot] === order.qty;
    return isSame ? RejectReason.amendsNothing : RejectReason.none;
  }

  #send(slot: number, order: PlaceOrder): RejectReason {
    const { state, lanes, pending } = this.#parts;
    const { orders, balances } = state;
    const market = state.table.market(order.market);
    const seen = orders.remaining(slot);
    const open = order.qty - wordAt(orders.filledQty, slot);
    const { terms } = lanes;
    const isCovered =
      market.kind === MarketKind.perpetual
        ? this.#coverPerpetual(slot, market, order, open)
        : this.#coverSpot(slot, market, order, open);
    if (!isCovered) return RejectReason.insufficientBalance;
    const request = lanes.prepare(RequestKind.amend, slot, order);
    request.orderId = numberAt(orders.orderId, slot);
    request.isRequeued = order.price !== orders.price[slot] || open > seen;
    balances.reserve(order.account, walletOf(market), heldAsset(market, order.side), terms.hold);
    const lots = Math.max(open - seen, 0);
    const loss = above(terms.loss - amountAt(orders.lossHeld, slot));
    const opening = terms.marginLots;
    this.#underWay.set(request.orderId, { lots, loss, opening });
    pending.countAmended(order, lots);
    pending.countLoss(order.account, loss);
    pending.countOpening(order.market, opening);
    lanes.sendAmend(request, open, seen);
    return RejectReason.none;
  }

  /** Sets the terms of a spot order; false if the balance is too small. */
  #coverSpot(slot: number, market: Market, order: PlaceOrder, open: number): boolean {
    const { terms } = this.#parts.lanes;
    terms.price = order.price;
    terms.qty = open;
    terms.marginPrice = 0;
    terms.marginLots = 0;
    terms.loss = 0n;
    terms.hold = this.#extraSpot(slot, market, order, open);
    const asset = heldAsset(market, order.side);
    const free = this.#parts.state.balances.free(order.account, Wallet.spot, asset);
    return terms.hold === 0n || free >= terms.hold;
  }

  /**
   * What a spot order needs beyond its hold, however many lots trade before the matcher decides. Each lot that trades
   * at the old price is one lot fewer at the new price. So the need is linear in the traded lots, and largest either
   * if none or if all of them trade.
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

  /**
   * Sets the terms of a perpetual order; false if the account does not cover them. Additional lots need no margin as
   * far as they close a part of the position that no other order would close.
   */
  #coverPerpetual(slot: number, market: Market, order: PlaceOrder, open: number): boolean {
    const { lanes, state, pending, perpetual, best } = this.#parts;
    const { account, side } = order;
    const { orders, sideLots } = state;
    const { terms } = lanes;
    const closable = closableLots(state, account, market.id, side);
    let margined = 0;
    if (!order.isReduceOnly) {
      const spokenFor =
        sideLots.open(account, market.id, side) + pending.lots(account, market.id, side);
      const spare = Math.max(closable - spokenFor, 0);
      const change = open - orders.remaining(slot);
      const more = change > 0 ? Math.max(change - spare, 0) : change;
      margined = Math.max(wordAt(orders.marginLots, slot) + more, 0);
    }
    const losing = order.isReduceOnly ? Math.min(open, closable) : open;
    const opposite = best.opposite(market.id, side);
    terms.qty = open;
    perpetual.fill(market, order, terms, order.price, { margined, losing, opposite });
    terms.hold = above(terms.hold - amountAt(orders.reserved, slot));
    const loss = above(terms.loss - amountAt(orders.lossHeld, slot));
    const isMore = margined > wordAt(orders.marginLots, slot) || terms.hold > 0n;
    const beside = isMore && margined > 0 ? this.#floorOf(slot, market, order) : 0n;
    const need = terms.hold + beside;
    return perpetual.isCovered(market, account, { hold: need, loss, margined, losing });
  }

  /** Margin-floor requirement of the account's positions and orders, including the amended lots. Spec RSK-34. */
  #floorOf(slot: number, market: Market, order: PlaceOrder): bigint {
    const { lanes, state, floor, perpetual } = this.#parts;
    const marginPrice = wordAt(state.orders.marginPrice, slot);
    const marginLots = wordAt(state.orders.marginLots, slot);
    const before = perpetual.floorOf(market, order, { marginPrice, marginLots });
    const after = perpetual.floorOf(market, order, lanes.terms);
    return floor.extraOf(order.account, market.id, 0) + above(after - before);
  }
}

/** `amount`, or 0n if it is negative. */
function above(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}
