// The transaction of one placed, triggered or amended order: the order's own event, then the events of each resting
// order it met, and a close if the remainder does not rest. Written after the matcher has answered, so an order that
// the matcher refused leaves no trace, and order ids are gapless in journal order.

import { assert, byteAt, numberAt, present, wordAt } from "../../../core/assert.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import {
  EventKind,
  emptyIcebergAccepted,
  emptyMatchPrevented,
  emptyOrderAccepted,
  emptyOrderAmended,
  emptyOrderClosed,
  emptyOrderReduced,
  emptyOrderTriggered,
  emptySpecialAccepted,
  emptyTraded,
  type IcebergAccepted,
  type MatchPrevented,
  type OrderAccepted,
  type OrderAmended,
  type OrderClosed,
  type OrderReduced,
  type OrderTriggered,
  type SpecialAccepted,
  type Traded,
} from "../../../core/generated/events.ts";
import { MarketKind } from "../../../core/markets.ts";
import { MatchOutcome, RemovalReason } from "../../../core/match-messages.ts";
import { CloseReason, isConditional, Peg, StpMode } from "../../../core/orders.ts";
import type { RequestKey } from "../../../core/request-keys.ts";
import type { AcceptedOrder } from "../../state/apply/order-posting.ts";
import { openingLots } from "../../state/apply/position-coverage.ts";
import { SlotState } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import {
  type FillBuffer,
  MatchKind,
  type OrderTerms,
  type PendingRequest,
  type PlacedList,
} from "../matchers/request-lane.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";
import { decideFill } from "./fill-charges.ts";
import { closingWith, openPartner, reasonOfOther } from "./list-legs.ts";
import { isSpecial } from "./order-filters.ts";

/**
 * The close reason of an order's remainder for this outcome; null if the remainder rests or nothing remains. Asserts
 * that a placed order can have this outcome.
 */
export function closeReasonOf(outcome: MatchOutcome, remaining: number): CloseReason | null {
  switch (outcome) {
    case MatchOutcome.rested:
      assert(remaining > 0, "a resting order must have a remaining quantity");
      return null;
    case MatchOutcome.filled:
      assert(remaining === 0, "a filled order must not have a remaining quantity");
      return null;
    case MatchOutcome.unfilled:
      return CloseReason.unfilled;
    case MatchOutcome.fillOrKill:
      return CloseReason.fillOrKill;
    case MatchOutcome.matchesPerOrderMax:
      return CloseReason.matchesPerOrderMax;
    case MatchOutcome.selfTrade:
      return CloseReason.selfTrade;
    case MatchOutcome.reduceOnly:
      return CloseReason.reduceOnly;
    case MatchOutcome.budgetSpent:
      return CloseReason.unfilled;
    default:
      assert(outcome === MatchOutcome.ownSkipsMax, "the outcome of a place request must be known");
      return CloseReason.ownSkipsMax;
  }
}

export interface OrderClose {
  readonly orderId: number;
  readonly account: number;
  readonly market: number;
  readonly reason: CloseReason;
}

const unnumbered = { seq: 0, tsUs: 0, isTransactionEnd: false };

export class OrderTransaction {
  readonly #state: VenueState;
  readonly #writer: TransactionWriter;
  readonly #onTrade: (event: Traded) => void;
  readonly #accepted: OrderAccepted = emptyOrderAccepted();
  readonly #special: SpecialAccepted = emptySpecialAccepted();
  readonly #iceberg: IcebergAccepted = emptyIcebergAccepted();
  readonly #triggered: OrderTriggered = emptyOrderTriggered();
  readonly #amended: OrderAmended = emptyOrderAmended();
  readonly #reduced: OrderReduced = emptyOrderReduced();
  readonly #prevented: MatchPrevented = emptyMatchPrevented();
  readonly #traded: Traded = emptyTraded();
  readonly #closed: OrderClosed = emptyOrderClosed();

  /**
   * `onTrade` receives each trade after it is written, inside its transaction; it must not keep the event.
   */
  constructor(state: VenueState, writer: TransactionWriter, onTrade: (event: Traded) => void) {
    this.#state = state;
    this.#writer = writer;
    this.#onTrade = onTrade;
  }

  /**
   * Writes the transaction of the order in `slot`; returns the order's id. One that rests without fills may be a part of a
   * longer transaction.
   */
  write(
    slot: number,
    order: PlaceOrder,
    terms: OrderTerms,
    fills: FillBuffer,
    reason: CloseReason | null,
    isTransactionEnd = true,
  ): number {
    const orderId = this.#state.nextOrderId;
    const isAlone = fills.count === 0 && reason === null && isTransactionEnd;
    const key = order.attached?.key ?? null;
    this.#writer.records(order.identity, orderId);
    this.#setLeverage(order);
    const connectionId = order.attached?.connection ?? 0;
    const isUnbound = connectionId === 0;
    const isWhole = isAlone && key === null && isUnbound;
    if (isSpecial(order)) this.#acceptSpecial(slot, order, terms, isWhole);
    else this.#accept(slot, order, terms, isWhole);
    if (key !== null) this.#useKey(orderId, order, key, isAlone && isUnbound);
    if (!isUnbound) this.#bind(orderId, connectionId, order, isAlone);
    this.#finish(orderId, order, fills, reason);
    return orderId;
  }

  /** Writes the transaction of a triggered order that was admitted on these terms. */
  trigger(
    orderId: number,
    order: PlaceOrder,
    terms: OrderTerms,
    fills: FillBuffer,
    reason: CloseReason | null,
  ): void {
    const event = this.#triggered;
    setTerms(event, orderId, order, terms);
    this.#writer.changed(event, order.atUs, fills.count === 0 && reason === null);
    this.#finish(orderId, order, fills, reason);
  }

  /** Writes the transaction of an amended order, which now has the terms of the request. */
  amend(request: PendingRequest, fills: FillBuffer, reason: CloseReason | null): void {
    const { orderId, order, terms, isRequeued } = request;
    this.#writer.records(order.identity, orderId);
    setTerms(this.#amended, orderId, order, terms);
    this.#amended.isRequeued = isRequeued;
    this.#writer.changed(this.#amended, order.atUs, fills.count === 0 && reason === null);
    this.#finish(orderId, order, fills, reason);
  }

  /**
   * Writes the transaction of a list: its acceptance, those of its orders, and the fills and the close of the order at
   * `placed`, which was with the matcher. Returns the list's id.
   */
  writeList(
    { type, clientId, legs }: PlacedList,
    placed: number,
    fills: FillBuffer,
    reason: CloseReason | null,
  ): number {
    const { order } = present(legs[placed], "a list must have the order that was placed");
    const { account, market, identity, atUs } = order;
    const listId = this.#state.nextOrderId;
    const isAlone = fills.count === 0 && reason === null;
    this.#writer.records(identity, listId);
    const kind = EventKind.orderListAccepted;
    const accepted = { ...unnumbered, kind, account, listId, market, listType: type };
    this.#writer.nonOrder({ ...accepted, listClientId: clientId }, atUs, false);
    for (const [place, leg] of legs.entries()) {
      const isEnd = isAlone && place === legs.length - 1;
      const connectionId = leg.order.attached?.connection ?? 0;
      this.#acceptSpecial(leg.slot, leg.order, leg.terms, isEnd && connectionId === 0);
      if (connectionId > 0) this.#bind(listId + place, connectionId, leg.order, isEnd);
    }
    this.#finish(listId + placed, order, fills, reason);
    return listId;
  }

  /** Writes that the pending orders in `slots`, each of `qty` lots, wait for their triggers from now on. */
  release(
    slots: readonly number[],
    { qty, atUs }: Pick<PlaceOrder, "qty" | "atUs">,
    isTransactionEnd: boolean,
  ): void {
    const { orders } = this.#state;
    for (const [place, slot] of slots.entries()) {
      const orderId = numberAt(orders.orderId, slot);
      const account = wordAt(orders.account, slot);
      const market = byteAt(orders.market, slot);
      const event = { ...unnumbered, kind: EventKind.orderReleased, account, orderId, market, qty };
      this.#writer.nonOrder(event, atUs, isTransactionEnd && place === slots.length - 1);
    }
  }

  /**
   * Writes the close of an order that leaves the book or stops waiting, after the closes of the orders of its list that
   * end with it. Returns the number of orders closed.
   */
  close(order: OrderClose, atUs: number, isTransactionEnd = true): number {
    const { orders } = this.#state;
    const slot = orders.slotOf(order.orderId);
    const others = closingWith(this.#state, slot, order.reason);
    for (const other of others) {
      assert(
        orders.state[other] === SlotState.waiting,
        "an order on a book must not close unasked",
      );
      this.#closeOne(other, reasonOfOther(this.#state, other, order.reason), atUs, false);
    }
    this.#writeClose(order, atUs, isTransactionEnd);
    return others.length + 1;
  }

  /** Writes the close of the order in `slot` and of no other order. */
  #closeOne(slot: number, reason: CloseReason, atUs: number, isTransactionEnd: boolean): void {
    const { orders } = this.#state;
    const orderId = numberAt(orders.orderId, slot);
    const account = wordAt(orders.account, slot);
    const market = byteAt(orders.market, slot);
    this.#writeClose({ orderId, account, market, reason }, atUs, isTransactionEnd);
  }

  #writeClose(order: OrderClose, atUs: number, isTransactionEnd: boolean): void {
    const event = this.#closed;
    event.orderId = order.orderId;
    event.account = order.account;
    event.market = order.market;
    event.reason = order.reason;
    this.#writer.closed(event, atUs, isTransactionEnd);
  }

  /** Writes the leverage that the order sets, if any. It precedes the order's event, whose hold depends on it. */
  #setLeverage({ account, market, attached, atUs }: PlaceOrder): void {
    const leverage = attached?.leverage ?? 0;
    if (leverage === 0 || leverage === this.#state.positions.leverage(account, market)) return;
    const event = { ...unnumbered, kind: EventKind.leverageSet, account, market, leverage };
    this.#writer.nonOrder(event, atUs, false);
  }

  #useKey(
    subject: number,
    { account, atUs }: PlaceOrder,
    { high, low, payload }: RequestKey,
    isTransactionEnd: boolean,
  ): void {
    const kind = EventKind.requestKeyed;
    const event = { ...unnumbered, kind, account, high, low, payload, subject };
    this.#writer.nonOrder(event, atUs, isTransactionEnd);
  }

  #bind(
    orderId: number,
    connectionId: number,
    { account, atUs }: PlaceOrder,
    isTransactionEnd: boolean,
  ): void {
    const event = { ...unnumbered, kind: EventKind.orderBound, account, orderId, connectionId };
    this.#writer.nonOrder(event, atUs, isTransactionEnd);
  }

  #accept(slot: number, order: PlaceOrder, terms: OrderTerms, isTransactionEnd: boolean): void {
    const event = this.#accepted;
    this.#fillIn(event, order, terms);
    this.#writer.accepted(event, slot, order.atUs, isTransactionEnd);
  }

  /** Accepts an order with options: as an iceberg order or with all others, and then its peg. */
  #acceptSpecial(
    slot: number,
    order: PlaceOrder,
    terms: OrderTerms,
    isTransactionEnd: boolean,
  ): void {
    const { peg, pegOffset, account, market, atUs } = order;
    const orderId = this.#state.nextOrderId;
    const isLast = isTransactionEnd && peg === Peg.none;
    if (order.icebergQty !== 0) this.#acceptIceberg(slot, order, terms, isLast);
    else this.#acceptOptions(slot, order, terms, isLast);
    if (peg === Peg.none) return;
    const event = { ...unnumbered, account, orderId, market, peg };
    const pegged =
      pegOffset === 0
        ? { ...event, kind: EventKind.orderPegged }
        : { ...event, kind: EventKind.orderPeggedBehind, pegOffset };
    this.#writer.nonOrder(pegged, atUs, isTransactionEnd);
  }

  #acceptOptions(
    slot: number,
    order: PlaceOrder,
    terms: OrderTerms,
    isTransactionEnd: boolean,
  ): void {
    const event = this.#special;
    this.#fillIn(event, order, terms);
    event.isReduceOnly = order.isReduceOnly || order.closesPosition;
    event.closesPosition = order.closesPosition;
    event.quoteQty = order.quoteQty;
    event.goodTillUs = order.goodTillUs;
    event.triggerPrice = order.triggerPrice;
    event.workingPrice = order.workingPrice;
    event.trailingBps = order.trailingBps;
    event.activationPrice = order.activationPrice;
    this.#writer.special(event, slot, order.atUs, isTransactionEnd);
  }

  #acceptIceberg(
    slot: number,
    order: PlaceOrder,
    terms: OrderTerms,
    isTransactionEnd: boolean,
  ): void {
    const event = this.#iceberg;
    this.#fillIn(event, order, terms);
    event.triggerPrice = order.triggerPrice;
    event.icebergQty = order.icebergQty;
    this.#writer.special(event, slot, order.atUs, isTransactionEnd);
  }

  #fillIn(event: AcceptedOrder, order: PlaceOrder, terms: OrderTerms): void {
    event.orderId = this.#state.nextOrderId;
    event.account = order.account;
    event.market = order.market;
    event.side = order.side;
    event.type = order.type;
    event.timeInForce = order.timeInForce;
    event.price = terms.price;
    event.qty = terms.qty;
    event.marginPrice = terms.marginPrice;
    // Computed now: the position may have changed while the order was with its matcher.
    event.marginLots = this.#needsMargin(order) ? openingLots(this.#state, event, 0) : 0;
    event.isReduceOnly = order.isReduceOnly;
    event.stpMode = order.stpMode;
    event.clientId = order.clientId;
  }

  #needsMargin({ market, type, isReduceOnly }: PlaceOrder): boolean {
    if (isReduceOnly || isConditional(type)) return false;
    return this.#state.table.market(market).kind === MarketKind.perpetual;
  }

  /** Writes the events of the resting orders in `fills`, in order, and the close of the incoming order's remainder. */
  #finish(orderId: number, order: PlaceOrder, fills: FillBuffer, reason: CloseReason | null): void {
    let ending = reason;
    for (let at = 0; at < fills.count; at++) {
      const isLast = at === fills.count - 1 && ending === null;
      const kind = fills.kinds[at];
      if (kind === MatchKind.filled) this.#trade(orderId, order, fills, at, isLast);
      else if (kind === MatchKind.removed) this.#remove(orderId, order, fills, at, isLast);
      else if (kind === MatchKind.met) this.#prevent(orderId, order, fills, at);
      else if (this.#reduce(orderId, order, fills, at, isLast)) ending = CloseReason.selfTrade;
    }
    if (ending === null) return;
    const { account, market, atUs } = order;
    this.close({ orderId, account, market, reason: ending }, atUs);
  }

  #trade(
    orderId: number,
    order: PlaceOrder,
    fills: FillBuffer,
    at: number,
    isTransactionEnd: boolean,
  ): void {
    const event = this.#traded;
    const makerSlot = wordAt(fills.makerSlots, at);
    const orders = this.#state.orders;
    event.tradeId = this.#state.nextTradeId;
    event.account = order.account;
    event.market = order.market;
    event.takerSide = order.side;
    event.takerOrderId = orderId;
    event.makerOrderId = numberAt(orders.orderId, makerSlot);
    event.makerAccount = wordAt(orders.account, makerSlot);
    event.price = wordAt(fills.prices, at);
    event.qty = numberAt(fills.qtys, at);
    assert(orders.slotOf(event.makerOrderId) === makerSlot, "the matched order must be open");
    decideFill(this.#state, this.#state.table.market(order.market), event);
    // Of two orders that cancel each other, only the last one can trade while the other one is open: as a maker.
    const partner = openPartner(this.#state, makerSlot);
    this.#writer.traded(event, order.atUs, isTransactionEnd && partner < 0);
    if (partner >= 0) this.#closeOne(partner, CloseReason.ocoPartner, order.atUs, isTransactionEnd);
    this.#onTrade(event);
  }

  /** Writes the close of a resting order that left its book because the incoming order met it. */
  #remove(
    orderId: number,
    order: PlaceOrder,
    fills: FillBuffer,
    at: number,
    isTransactionEnd: boolean,
  ): void {
    const slot = wordAt(fills.makerSlots, at);
    assert(
      this.#state.orders.remaining(slot) === fills.qtys[at],
      "the remaining quantity must be equal to the matched quantity",
    );
    const isOwn = fills.prices[at] === RemovalReason.selfTrade;
    if (isOwn) this.#prevent(orderId, order, fills, at);
    const reason = isOwn ? CloseReason.selfTrade : CloseReason.reduceOnly;
    this.#closeMet(slot, reason, order.atUs, isTransactionEnd);
  }

  /**
   * Reduces both orders by the same lots and closes the resting order if none is left. Returns true if the
   * incoming order has none left either; the caller then writes its close.
   */
  #reduce(
    orderId: number,
    order: PlaceOrder,
    fills: FillBuffer,
    at: number,
    isLast: boolean,
  ): boolean {
    const { orders } = this.#state;
    const qty = numberAt(fills.qtys, at);
    const makerSlot = wordAt(fills.makerSlots, at);
    const isTakerDone = orders.remaining(orders.slotOf(orderId)) === qty;
    this.#prevent(orderId, order, fills, at);
    if (orders.remaining(makerSlot) === qty) {
      this.#closeMet(makerSlot, CloseReason.selfTrade, order.atUs, false);
    } else {
      const makerId = numberAt(orders.orderId, makerSlot);
      this.#takeOff(makerId, wordAt(orders.account, makerSlot), order, qty, false);
    }
    if (!isTakerDone) this.#takeOff(orderId, order.account, order, qty, isLast);
    return isTakerDone;
  }

  /** Writes that the order met a resting order of its own account; reductions and closes follow as separate events. */
  #prevent(orderId: number, order: PlaceOrder, fills: FillBuffer, at: number): void {
    const { orders } = this.#state;
    const takerSlot = orders.slotOf(orderId);
    const makerSlot = wordAt(fills.makerSlots, at);
    const event = this.#prevented;
    event.account = order.account;
    event.market = order.market;
    event.takerOrderId = orderId;
    event.makerOrderId = numberAt(orders.orderId, makerSlot);
    event.stpMode = byteAt(orders.stpMode, takerSlot) as StpMode;
    event.price = wordAt(orders.price, makerSlot);
    event.makerQty = numberAt(fills.qtys, at);
    // An order by quote amount has no fixed quantity: its computed remainder may be negative, which means none.
    const open = Math.max(orders.remaining(takerSlot), 0);
    const isSpared = event.stpMode === StpMode.expireMaker;
    const lost = event.stpMode === StpMode.decrement ? event.makerQty : open;
    event.takerQty = isSpared ? 0 : lost;
    this.#writer.prevented(event, order.atUs);
  }

  #takeOff(
    orderId: number,
    account: number,
    { market, atUs }: PlaceOrder,
    qty: number,
    isTransactionEnd: boolean,
  ): void {
    const event = this.#reduced;
    event.orderId = orderId;
    event.account = account;
    event.market = market;
    event.qty = qty;
    this.#writer.changed(event, atUs, isTransactionEnd);
  }

  #closeMet(slot: number, reason: CloseReason, atUs: number, isTransactionEnd: boolean): void {
    const { orders } = this.#state;
    const orderId = numberAt(orders.orderId, slot);
    const account = wordAt(orders.account, slot);
    const market = byteAt(orders.market, slot);
    this.close({ orderId, account, market, reason }, atUs, isTransactionEnd);
  }
}

/** Fills in an order whose terms change, with those that it has from now on. */
export function setTerms(
  event: Omit<OrderTriggered, "kind">,
  orderId: number,
  order: PlaceOrder,
  terms: OrderTerms,
): void {
  event.orderId = orderId;
  event.account = order.account;
  event.market = order.market;
  event.price = terms.price;
  event.qty = order.qty;
  event.marginPrice = terms.marginPrice;
}
