// New order lists: the checks of each order and of the list as a whole, the reservation while the order that goes to the
// book is with its matcher, and one transaction for the whole list. If any of its orders is refused, no order exists.
// Spec SPT-83 to SPT-87.

import { numberAt, present } from "../../../core/assert.ts";
import type { PlaceList, PlaceOrder } from "../../../core/generated/commands.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { MatchOutcome } from "../../../core/match-messages.ts";
import {
  hasPair,
  hasWorkingOrder,
  isPaidByWorking,
  isReservedListClientId,
  type ListLeg,
  legCountOf,
  type OrderListType,
  orderListsPerMarketPerAccountMax,
  splitClientIds,
} from "../../../core/order-lists.ts";
import { isConditional, OrderType, Side, tradedType } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { listOf } from "../../state/apply/list-posting.ts";
import { OrderFlag } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { ConnectedOrders } from "../connections/connected-orders.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import {
  emptyOrder,
  FillBuffer,
  OrderTerms,
  type PendingRequest,
  type PlacedLeg,
  type PlacedList,
  RequestKind,
} from "../matchers/request-lane.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";
import type { Admission } from "./admission.ts";
import type { ConditionalOrders } from "./conditional-orders.ts";
import { closeReasonOf, type OrderTransaction } from "./order-transaction.ts";
import type { PendingOrders } from "./pending-orders.ts";

export interface ListPlacementParts {
  readonly state: VenueState;
  readonly lanes: MatcherLanes;
  readonly writer: TransactionWriter;
  readonly orderTransaction: OrderTransaction;
  readonly pending: PendingOrders;
  readonly admission: Admission;
  readonly conditional: ConditionalOrders;
  readonly connected: ConnectedOrders;
}

function isStopLoss(type: OrderType): boolean {
  return type === OrderType.stop || type === OrderType.stopMarket;
}

function isTakeProfit(type: OrderType): boolean {
  return type === OrderType.takeProfit || type === OrderType.takeProfitMarket;
}

/** The orders of the list as commands of their own. */
function ordersOf(command: PlaceList, clientIds: readonly string[]): PlaceOrder[] {
  const legs = [command.first, command.second, command.third];
  const own = legs.filter((leg): leg is ListLeg => leg !== null);
  return own.map((leg, place) => {
    const order = emptyOrder();
    const { source, correlation, atUs, deadlineUs, account, market, stpMode } = command;
    const { connection = 0 } = command;
    const attached = connection === 0 ? null : { key: null, leverage: 0, connection };
    const clientId = clientIds[place + 1] ?? "";
    Object.assign(order, { source, correlation, atUs, deadlineUs, account, market, stpMode });
    return Object.assign(order, leg, { identity: command.identity ?? null, clientId, attached });
  });
}

/** Whether the first order buys and the others sell without a quantity of their own. Spec SPT-104. */
function sellsWhatItBuys([working, ...pending]: readonly PlaceOrder[]): boolean {
  return (
    working?.side === Side.buy && pending.every(({ side, qty }) => side === Side.sell && qty === 0)
  );
}

/** Whether the types of the orders make up a list of this type. The order of a pair is: the stop loss, the other one. */
function hasForm({ listType }: PlaceList, orders: readonly PlaceOrder[]): boolean {
  if (orders.length !== legCountOf(listType)) return false;
  const [working] = orders;
  if (hasWorkingOrder(listType)) {
    const type = working?.type;
    if (type !== OrderType.limit && type !== OrderType.limitMaker) return false;
  }
  if (isPaidByWorking(listType) && !sellsWhatItBuys(orders)) return false;
  const [stop, other] = orders.slice(-2);
  if (!hasPair(listType) || stop === undefined || other === undefined) return !hasPair(listType);
  const isOther = other.type === OrderType.limitMaker || isTakeProfit(other.type);
  return isStopLoss(stop.type) && isOther && stop.side === other.side && stop.qty === other.qty;
}

/**
 * Whether the last price lies between the two orders of a pair, each on the side that its type needs; without a last
 * price, whether the orders themselves are on these sides of each other. An order that gets its price later is not
 * compared. Spec SPT-84.
 */
function areOnTheirSides(
  lastPrice: number,
  stop: Pick<PlaceOrder, "side" | "triggerPrice">,
  other: Pick<PlaceOrder, "type" | "price" | "triggerPrice">,
): boolean {
  const sign = stop.side === Side.sell ? 1 : -1;
  // Binance compares the trigger of an order that trades at the market, and the limit of any other.
  const isAtMarket = tradedType(other.type) === OrderType.market;
  const goal = isAtMarket ? other.triggerPrice : other.price || other.triggerPrice;
  const between = lastPrice === 0 ? stop.triggerPrice : lastPrice;
  const isStopRight = lastPrice === 0 || sign * (between - stop.triggerPrice) > 0;
  return isStopRight && (goal === 0 || sign * (goal - between) > 0);
}

/**
 * The pending order with the largest quantity that it can get: what is too small even then never becomes active, and is
 * refused at once. Spec SPT-109.
 */
function atMost(
  listType: OrderListType,
  order: PlaceOrder,
  [working]: readonly PlaceOrder[],
): PlaceOrder {
  return isPaidByWorking(listType) ? { ...order, qty: working?.qty ?? 0 } : order;
}

export class ListPlacement {
  readonly #parts: ListPlacementParts;
  readonly #noFills = new FillBuffer();
  /** The lists in flight. They are few: each one takes a credit of its lane. */
  readonly #coming = new Set<PlacedList>();

  constructor(parts: ListPlacementParts) {
    this.#parts = parts;
  }

  /** Refuses a list, writes its transaction at once, or sends the order that goes to the book to its matcher. */
  place(command: PlaceList): void {
    const { lanes, writer, state, pending, connected } = this.#parts;
    const { connection = 0, account } = command;
    const clientIds = splitClientIds(command.clientIds);
    const orders = ordersOf(command, clientIds);
    const terms = orders.map(() => new OrderTerms());
    const reason =
      connected.check(connection, account) || this.#admit(command, orders, { terms, clientIds });
    if (reason !== RejectReason.none) {
      writer.answer(command, reason, 0);
      return;
    }
    const legs = orders.map((order, place) => {
      const slot = state.orders.allocate();
      return { slot, order, terms: present(terms[place], "each order must have terms") };
    });
    const list = { type: command.listType, clientId: clientIds[0] ?? "", legs };
    const placed = this.#placed(list);
    if (isConditional(placed.order.type)) {
      this.#accept(list, placed, this.#noFills, null);
      return;
    }
    lanes.terms = placed.terms;
    const request = lanes.prepare(RequestKind.place, placed.slot, placed.order);
    request.list = list;
    for (const leg of legs) pending.reserve(leg, placed.slot);
    this.#coming.add(list);
    lanes.sendPlace(request);
  }

  /** Writes the transaction from the matcher's answer, or drops a list whose order the matcher refused; then replies. */
  finish(
    request: PendingRequest,
    list: PlacedList,
    fills: FillBuffer,
    { outcome, remaining }: { outcome: MatchOutcome; remaining: number },
  ): void {
    const { state, pending, writer, connected } = this.#parts;
    const placed = this.#placed(list);
    this.#coming.delete(list);
    if (outcome === MatchOutcome.wouldTake) {
      for (const leg of list.legs) {
        pending.refuse(leg);
        state.orders.free(leg.slot);
      }
      writer.answer(request, RejectReason.wouldTake, 0);
      return;
    }
    for (const leg of list.legs) pending.accept(leg);
    const listId = this.#accept(list, placed, fills, closeReasonOf(outcome, remaining));
    request.orderId = listId + list.legs.indexOf(placed);
    for (const place of list.legs.keys()) connected.rested(listId + place);
  }

  /** Writes the transaction of a list and replies with the list's id, which it also returns. */
  #accept(
    list: PlacedList,
    placed: PlacedLeg,
    fills: FillBuffer,
    reason: Parameters<OrderTransaction["writeList"]>[3],
  ): number {
    const { orderTransaction, conditional, writer } = this.#parts;
    const listId = orderTransaction.writeList(list, list.legs.indexOf(placed), fills, reason);
    for (const [place, { slot, order }] of list.legs.entries()) {
      if (this.#isWaiting(slot, listId + place) && isConditional(order.type))
        conditional.wait(slot);
    }
    writer.answer(placed.order, RejectReason.none, listId);
    return listId;
  }

  #isWaiting(slot: number, orderId: number): boolean {
    const { orders } = this.#parts.state;
    return orders.slotOf(orderId) === slot && orders.isOffBook(slot);
  }

  /** The order of the list that goes to the book, or the last one if both of a pair wait for triggers. */
  #placed({ type, legs }: PlacedList): PlacedLeg {
    const at = hasWorkingOrder(type) ? 0 : legs.length - 1;
    return present(legs[at], "a list must have orders");
  }

  #admit(
    command: PlaceList,
    orders: readonly PlaceOrder[],
    given: { terms: readonly OrderTerms[]; clientIds: readonly string[] },
  ): RejectReason {
    const { state } = this.#parts;
    const market = state.table.markets[command.market];
    if (market === undefined) return RejectReason.unknownMarket;
    const isWhole = market.kind === MarketKind.spot && hasForm(command, orders);
    if (!isWhole) return RejectReason.unsupportedCombination;
    const naming = this.#checkNames(command, given.clientIds);
    if (naming !== RejectReason.none) return naming;
    if (this.#openLists(command) >= orderListsPerMarketPerAccountMax) {
      return RejectReason.tooManyOrderLists;
    }
    if (!state.orders.hasRoom(orders.length)) return RejectReason.venueFull;
    const [stop, other] = orders.slice(-2);
    if (hasPair(command.listType) && stop !== undefined && other !== undefined) {
      const last = hasWorkingOrder(command.listType) ? 0 : numberAt(state.lastPrice, market.id);
      if (!areOnTheirSides(last, stop, other)) return RejectReason.listPricesWrong;
    }
    return this.#admitOrders(market, command, orders, given.terms);
  }

  /** Admits each order by itself. Of a pair, the last one reserves the larger of both holds. */
  #admitOrders(
    market: Market,
    { account, listType }: PlaceList,
    orders: readonly PlaceOrder[],
    terms: readonly OrderTerms[],
  ): RejectReason {
    const { admission } = this.#parts;
    let conditional = this.conditionalComing(account, market.id);
    for (const [place, order] of orders.entries()) {
      const own = present(terms[place], "each order must have terms");
      const isPending = hasWorkingOrder(listType) && place > 0;
      const before = { orders: place, conditional };
      const reason = isPending
        ? admission.admitPending(market, atMost(listType, order, orders), own, before)
        : admission.admit(order, own, before);
      if (reason !== RejectReason.none) return reason;
      own.qty = order.qty;
      if (isConditional(order.type)) conditional++;
    }
    const [first, second] = terms;
    if (hasWorkingOrder(listType) || first === undefined || second === undefined)
      return RejectReason.none;
    if (first.hold > second.hold) second.hold = first.hold;
    first.hold = 0n;
    return RejectReason.none;
  }

  /** Refuses a client id that an open list of the account has or may get, or that two orders of the list share. */
  #checkNames({ account }: PlaceList, clientIds: readonly string[]): RejectReason {
    const { orderLists } = this.#parts.state;
    const [own = "", ...others] = clientIds;
    if (isReservedListClientId(own)) return RejectReason.clientIdReserved;
    const chosen = others.filter((id) => id !== "");
    const isTwice = new Set(chosen).size < chosen.length;
    const isUsed =
      own !== "" &&
      (orderLists.byClientId(account, own) !== undefined ||
        this.#comingOf(account).some(({ clientId }) => clientId === own));
    return isTwice || isUsed ? RejectReason.duplicateClientId : RejectReason.none;
  }

  /** The account's lists in flight: in the market, or in all. */
  #comingOf(account: number, market: number | null = null): PlacedList[] {
    return [...this.#coming].filter(({ legs: [first] }) => {
      const order = present(first, "a list must have orders").order;
      return order.account === account && (market === null || order.market === market);
    });
  }

  /** Number of conditional orders of the account's lists in flight in the market. */
  conditionalComing(account: number, market: number): number {
    if (this.#coming.size === 0) return 0;
    const legs = this.#comingOf(account, market).flatMap((list) => list.legs);
    return legs.filter(({ order }) => isConditional(order.type)).length;
  }

  /** Number of the account's lists in the market, open or in flight. */
  #openLists({ account, market }: PlaceList): number {
    const { state } = this.#parts;
    const { orders } = state;
    const found = new Set<number>();
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
      if (orders.market[slot] !== market || !orders.has(slot, OrderFlag.listed)) continue;
      found.add(listOf(state, slot).listId);
    }
    return found.size + this.#comingOf(account, market).length;
  }
}
