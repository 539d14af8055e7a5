// Conditional orders from their trigger to their transaction. When a price reaches triggers, their orders become due
// in a fixed order. Each due order passes admission again and goes to its matcher without a requester; if refused, it
// closes as expired. One step sends a bounded number of orders, limited by lane credits; the others stay due.
//
// A pegged order goes twice: its matcher first reads the price of the order's level, with which the order is then
// admitted. Only the matcher knows the levels of a book; only clearing knows what the order may cost.
//
// A crash before the transaction is written loses the trigger: the order waits again, and the first tick checks it
// against the last prices.

import { byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import type { Traded } from "../../../core/generated/events.ts";
import { ownStepsMax } from "../../../core/limits.ts";
import { MatchLane, MatchOutcome } from "../../../core/match-messages.ts";
import {
  CloseReason,
  type OrderType,
  Peg,
  type Side,
  type TimeInForce,
  WorkingPrice,
  withinLimit,
} from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { OrderFlag, SlotState } from "../../state/orders/order-table.ts";
import { isReached, isRising } from "../../state/orders/trigger-terms.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import {
  emptyOrder,
  FillBuffer,
  type PendingRequest,
  RequestKind,
} from "../matchers/request-lane.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";
import type { Admission } from "./admission.ts";
import { ListActivation } from "./list-activation.ts";
import { activeLots, dueLegs } from "./list-legs.ts";
import type { MassCancels } from "./mass-cancels.ts";
import { closeReasonOf, type OrderTransaction } from "./order-transaction.ts";
import type { PendingOrders } from "./pending-orders.ts";
import { TriggerWatch } from "./trigger-watch.ts";

export interface ConditionalOrdersParts {
  readonly state: VenueState;
  readonly admission: Admission;
  readonly lanes: MatcherLanes;
  readonly pending: PendingOrders;
  readonly writer: TransactionWriter;
  readonly orderTransaction: OrderTransaction;
  readonly massCancels: MassCancels;
}

/** The price of a level that has not been read, or that its order does not need. */
const unread = -1;

export class ConditionalOrders {
  readonly #parts: ConditionalOrdersParts;
  readonly #watch: TriggerWatch;
  readonly #lists: ListActivation;
  /** Ids of triggered orders, in the order in which they will be sent. */
  readonly #due = new Map<number, typeof unread>();
  /** The same, of pegged orders whose matcher has read the price of their level: that price in ticks, 0 for none. */
  readonly #priced = new Map<number, number>();
  /** Created once, so that `observe`, which every trade calls, does not create a function. */
  readonly #makeDue = (orderId: number) => {
    this.#due.set(orderId, unread);
  };
  /** False until the first tick after a start, because until then the stored marks may be old. */
  #isFresh = false;
  readonly #noFills = new FillBuffer();

  constructor(parts: ConditionalOrdersParts) {
    this.#parts = parts;
    this.#watch = new TriggerWatch(parts.state);
    this.#lists = new ListActivation({
      ...parts,
      orderOf: (slot, atUs) => this.#orderOf(slot, atUs),
      refuse: (order, orderId) => this.#refuse(order, orderId),
      onReleased: (slot) => this.#waitOrFireOnLast(slot),
      onDue: this.#makeDue,
    });
  }

  /** Orders that are due and not sent yet. */
  get due(): number {
    return this.#due.size + this.#priced.size;
  }

  /** Watches the order in `slot`, which has just begun to wait. */
  wait(slot: number): void {
    this.#watch.watch(slot);
  }

  /** Watches a TP/SL leg; a leg whose trigger the mark has already reached is due immediately. */
  waitOrFire(slot: number, trigger: number): void {
    this.#watch.watch(slot);
    const { orders, mark } = this.#parts.state;
    const price = this.#isFresh ? numberAt(mark, byteAt(orders.market, slot)) : 0;
    const rising = isRising(orders.type[slot] as OrderType, orders.side[slot] as Side);
    if (price > 0 && isReached(price, trigger, rising)) {
      this.#makeDue(numberAt(orders.orderId, slot));
    }
  }

  /** Watches a released order of a list; one whose trigger the last price has already reached is due immediately. */
  #waitOrFireOnLast(slot: number): void {
    this.#watch.watch(slot);
    const { orders, lastPrice } = this.#parts.state;
    const price = numberAt(lastPrice, byteAt(orders.market, slot));
    const rising = isRising(orders.type[slot] as OrderType, orders.side[slot] as Side);
    if (price > 0 && isReached(price, wordAt(orders.triggerPrice, slot), rising)) {
      this.#makeDue(numberAt(orders.orderId, slot));
    }
  }

  /** Called after each trade: its price may trigger orders, and the pending orders of an order that it filled are due. */
  traded({ market, price, takerOrderId, makerOrderId }: Traded): void {
    this.observe(market, WorkingPrice.last, price);
    if (this.#parts.state.orderLists.count === 0) return;
    this.#lists.traded(takerOrderId);
    this.#lists.traded(makerOrderId);
  }

  /** Finds the orders that a new price triggers, and makes them due. */
  observe(market: number, working: WorkingPrice, price: number): void {
    this.#watch.observe(market, working, price, this.#makeDue);
  }

  /** Called by the first tick: makes orders due whose trigger the last prices reached before a crash. */
  observeLast(): void {
    this.#isFresh = true;
    for (const [market, price] of this.#parts.state.lastPrice.entries()) {
      this.observe(market, WorkingPrice.last, price);
    }
    for (const orderId of dueLegs(this.#parts.state)) this.#makeDue(orderId);
  }

  /** Sends due orders, within the lane credits and the limit per step. */
  pump(atUs: number): void {
    if (this.due === 0) return;
    const { orders } = this.#parts.state;
    let steps = 0;
    // Those with a price come first, so that their books change little in between.
    for (const queue of [this.#priced, this.#due]) {
      for (const [orderId, level] of queue) {
        const slot = orders.slotOf(orderId);
        if (slot >= 0 && orders.state[slot] === SlotState.waiting) {
          const lane = this.#parts.lanes.lane(byteAt(orders.market, slot), MatchLane.orders);
          if (!lane.hasCredit() || steps === ownStepsMax) return;
          steps++;
          queue.delete(orderId);
          this.#fire(slot, atUs, level);
        } else queue.delete(orderId);
      }
    }
  }

  /**
   * Writes the transaction of a sent order after its matcher has answered, or makes an order due again whose level the
   * matcher has read; `remaining` is then the price.
   */
  finish(
    request: PendingRequest,
    fills: FillBuffer,
    outcome: MatchOutcome,
    remaining: number,
  ): void {
    const { pending, orderTransaction, writer } = this.#parts;
    const { order, orderId, terms } = request;
    if (request.kind === RequestKind.readLevel) {
      this.#priced.set(orderId, remaining);
      writer.mayHaveWork = true;
      return;
    }
    pending.acceptTriggered(request);
    if (outcome === MatchOutcome.wouldTake) {
      this.#refuse(order, orderId);
      return;
    }
    this.#lists.releaseBefore(request.slot, order);
    orderTransaction.trigger(orderId, order, terms, fills, closeReasonOf(outcome, remaining));
  }

  /** Sends the order in `slot`, which is due; `level` is the price that its matcher has read for it. */
  #fire(slot: number, atUs: number, level: number): void {
    const { state, admission, lanes, pending, orderTransaction } = this.#parts;
    const { orders } = state;
    const orderId = numberAt(orders.orderId, slot);
    const isListed = orders.has(slot, OrderFlag.listed);
    if (isListed && !this.#lists.mayFire(slot, atUs)) return;
    const order = this.#orderOf(slot, atUs);
    if (order.closesPosition) order.qty = admission.closable(order);
    if (order.peg !== Peg.none) {
      if (level === unread) {
        lanes.sendReadLevel(slot, order);
        return;
      }
      order.price = level === 0 ? 0 : withinLimit(order.side, level, order.price);
    }
    const { terms } = lanes;
    const reason = admission.readmit(order, slot, terms);
    if (reason !== RejectReason.none) {
      this.#refuse(order, orderId);
      return;
    }
    if (isListed) this.#lists.raiseHold(slot, order, terms);
    if (terms.price === 0) {
      orderTransaction.trigger(orderId, order, terms, this.#noFills, CloseReason.unfilled);
      return;
    }
    const request = lanes.prepare(RequestKind.trigger, slot, order);
    request.orderId = orderId;
    pending.reserveTriggered(request);
    lanes.sendPlace(request);
  }

  #refuse({ account, market, atUs }: PlaceOrder, orderId: number): void {
    const reason = CloseReason.triggerRefused;
    this.#parts.orderTransaction.close({ orderId, account, market, reason }, atUs);
  }

  /** The order in `slot` as a command without a requester. */
  #orderOf(slot: number, atUs: number): PlaceOrder {
    const { orders } = this.#parts.state;
    const order = emptyOrder();
    order.atUs = atUs;
    order.account = wordAt(orders.account, slot);
    order.market = byteAt(orders.market, slot);
    order.side = byteAt(orders.side, slot) as Side;
    order.type = byteAt(orders.type, slot) as OrderType;
    order.timeInForce = byteAt(orders.timeInForce, slot) as TimeInForce;
    order.price = wordAt(orders.price, slot);
    order.qty = activeLots(this.#parts.state, slot);
    return Object.assign(order, orders.optionsOf(slot));
  }
}
