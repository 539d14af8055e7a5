// Conditional orders from their trigger to their transaction. A price that reaches some makes them due, in
// order; each then passes the checks of admission again and goes to its matcher as an order of the
// venue's own, whom nobody waits for. What is refused closes as expired. A step sends a bounded number
// and only as the credits go; the rest stays due.
//
// After a crash nothing of a triggered order without its transaction is left: it waits again, and the first
// tick looks at the last prices once more.

import { byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import { ownStepsMax } from "../../../core/limits.ts";
import { MatchLane, MatchOutcome } from "../../../core/match-messages.ts";
import {
  CloseReason,
  type OrderType,
  type Side,
  type TimeInForce,
  WorkingPrice,
} from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { SlotState } from "../../state/orders/order-table.ts";
import { isReached, isRising } from "../../state/orders/trigger-terms.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import {
  emptyOrder,
  FillBuffer,
  type PendingRequest,
  RequestKind,
} from "../matchers/request-lane.ts";
import type { Admission } from "./admission.ts";
import { closeReasonOf, type OrderTransaction } from "./order-transaction.ts";
import type { PendingOrders } from "./pending-orders.ts";
import { TriggerWatch } from "./trigger-watch.ts";

export interface ConditionalOrdersParts {
  readonly state: VenueState;
  readonly admission: Admission;
  readonly lanes: MatcherLanes;
  readonly pending: PendingOrders;
  readonly orderTransaction: OrderTransaction;
}

export class ConditionalOrders {
  readonly #parts: ConditionalOrdersParts;
  readonly #watch: TriggerWatch;
  /** Ids of orders whose trigger has been reached, in the order in which they go. */
  readonly #due = new Set<number>();
  /** Made once: every trade is looked at. */
  readonly #makeDue = (orderId: number) => {
    this.#due.add(orderId);
  };
  /** Whether marks are of this run: before its first tick the stored ones may be old. */
  #isFresh = false;
  readonly #noFills = new FillBuffer();

  constructor(parts: ConditionalOrdersParts) {
    this.#parts = parts;
    this.#watch = new TriggerWatch(parts.state);
  }

  /** Orders that are due and not sent yet. */
  get due(): number {
    return this.#due.size;
  }

  /** Watches the order in `slot`, which has begun to wait. */
  wait(slot: number): void {
    this.#watch.watch(slot);
  }

  /** Watches a leg that the venue placed; one whose trigger the mark has reached is due at once. */
  waitOrFire(slot: number, trigger: number): void {
    this.#watch.watch(slot);
    const { orders, mark } = this.#parts.state;
    const price = this.#isFresh ? numberAt(mark, byteAt(orders.market, slot)) : 0;
    const rising = isRising(orders.type[slot] as OrderType, orders.side[slot] as Side);
    if (price > 0 && isReached(price, trigger, rising)) {
      this.#due.add(numberAt(orders.orderId, slot));
    }
  }

  /** Makes due what a new price triggers. */
  observe(market: number, working: WorkingPrice, price: number): void {
    this.#watch.observe(market, working, price, this.#makeDue);
  }

  /** Makes due what a trade had triggered before a crash. */
  observeLast(): void {
    this.#isFresh = true;
    for (const [market, price] of this.#parts.state.lastPrice.entries()) {
      this.observe(market, WorkingPrice.last, price);
    }
  }

  /** Sends what is due, as far as the credits and the bound of a step go. */
  pump(atUs: number): void {
    if (this.#due.size === 0) return;
    const { orders } = this.#parts.state;
    let steps = 0;
    for (const orderId of this.#due) {
      const slot = orders.slotOf(orderId);
      if (slot >= 0 && orders.state[slot] === SlotState.waiting) {
        const lane = this.#parts.lanes.lane(byteAt(orders.market, slot), MatchLane.orders);
        if (!lane.hasCredit() || steps === ownStepsMax) return;
        steps++;
        this.#fire(slot, atUs);
      }
      this.#due.delete(orderId);
    }
  }

  /** The matcher has answered for an order that was sent: writes its transaction. */
  finish(
    request: PendingRequest,
    fills: FillBuffer,
    outcome: MatchOutcome,
    remaining: number,
  ): void {
    const { pending, orderTransaction } = this.#parts;
    const { order, orderId, terms } = request;
    pending.acceptTriggered(request);
    if (outcome === MatchOutcome.wouldTake) {
      this.#refuse(order, orderId);
      return;
    }
    orderTransaction.trigger(orderId, order, terms, fills, closeReasonOf(outcome, remaining));
  }

  #fire(slot: number, atUs: number): void {
    const { state, admission, lanes, pending, orderTransaction } = this.#parts;
    const { orders } = state;
    const orderId = numberAt(orders.orderId, slot);
    const order = this.#orderOf(slot, atUs);
    if (order.closesPosition) order.qty = admission.closable(order);
    const { terms } = lanes;
    const reason = admission.readmit(order, slot, terms);
    if (reason !== RejectReason.none) {
      this.#refuse(order, orderId);
      return;
    }
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

  /** The order in `slot` as a command of the venue's own. */
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
    order.qty = numberAt(orders.qty, slot);
    return Object.assign(order, orders.optionsOf(slot));
  }
}
