// The orders of lists that become active: pending ones whose working order was filled, and an order of an OCO that
// triggers while the other one is open. A pending conditional order is released, so that it waits for its trigger; any
// other goes to its matcher like a triggered order. The two orders of a pair become active in one transaction.
//
// Nothing is lost in a crash: which orders are due follows from the state (`dueLegs`).

import { amountAt, assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import { hasWorkingOrder } from "../../../core/order-lists.ts";
import { CloseReason, isConditional, type OrderType } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { legIdsOf } from "../../state/orders/order-lists.ts";
import { OrderFlag, SlotState } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import { OrderTerms } from "../matchers/request-lane.ts";
import type { Admission } from "./admission.ts";
import { openPartner } from "./list-legs.ts";
import type { MassCancels } from "./mass-cancels.ts";
import type { OrderTransaction } from "./order-transaction.ts";

export interface ListActivationParts {
  readonly state: VenueState;
  readonly admission: Admission;
  readonly massCancels: MassCancels;
  readonly orderTransaction: OrderTransaction;
  /** The order in a slot as a command. */
  readonly orderOf: (slot: number, atUs: number) => PlaceOrder;
  /** Closes an order that cannot become active. */
  readonly refuse: (order: PlaceOrder, orderId: number) => void;
  /** Called for each order that waits for its trigger from now on. */
  readonly onReleased: (slot: number) => void;
  /** Called with the id of an order that is due, or due again. */
  readonly onDue: (orderId: number) => void;
}

export class ListActivation {
  readonly #parts: ListActivationParts;
  readonly #terms = new OrderTerms();

  constructor(parts: ListActivationParts) {
    this.#parts = parts;
  }

  /** Makes the pending orders of a list due if the trade has filled its working order. */
  traded(orderId: number): void {
    const { orders, orderLists } = this.#parts.state;
    const list = orderLists.byId(orderId);
    if (list === undefined || !hasWorkingOrder(list.type) || orders.slotOf(orderId) >= 0) return;
    this.#parts.onDue(legIdsOf(list).at(-1) ?? 0);
  }

  /**
   * Does what must happen before the due order in `slot` goes to its matcher: the other order of its pair ends first. If
   * that one is on its book, its cancel is sent, and the order becomes due again with the answer. Returns false if the
   * order must not go to its matcher now, or only waits for its trigger.
   */
  mayFire(slot: number, atUs: number): boolean {
    const { state, massCancels, orderTransaction, onDue } = this.#parts;
    const { orders } = state;
    assert(orders.state[slot] === SlotState.waiting, "an order that is due must wait");
    if (orders.has(slot, OrderFlag.pending)) return this.#mayActivate(slot, atUs);
    const partner = openPartner(state, slot);
    if (partner < 0) return true;
    const reason = CloseReason.ocoPartner;
    if (orders.state[partner] === SlotState.waiting) {
      const orderId = numberAt(orders.orderId, partner);
      const account = wordAt(orders.account, partner);
      const market = byteAt(orders.market, partner);
      orderTransaction.close({ orderId, account, market, reason }, atUs);
      return true;
    }
    const orderId = numberAt(orders.orderId, slot);
    massCancels.cancelUntraded(partner, reason, atUs, () => onDue(orderId));
    return false;
  }

  /** Releases the pending orders that only wait, or refuses them; true if the last one must go to its matcher. */
  #mayActivate(slot: number, atUs: number): boolean {
    const { state, orderTransaction, onReleased } = this.#parts;
    const { orders } = state;
    const partner = openPartner(state, slot);
    const isWaiting = isConditional(byteAt(orders.type, slot) as OrderType);
    const released = [...(partner < 0 ? [] : [partner]), ...(isWaiting ? [slot] : [])];
    const order = this.#parts.orderOf(slot, atUs);
    if (released.some((one) => !this.#mayRelease(one, slot, atUs))) {
      this.#parts.refuse(order, numberAt(orders.orderId, slot));
      return false;
    }
    if (!isWaiting) return true;
    orderTransaction.release(released, order, true);
    for (const one of released) onReleased(one);
    return false;
  }

  /** Whether the order in `slot` may be released; `last` is the slot of the last order of its list. */
  #mayRelease(slot: number, last: number, atUs: number): boolean {
    const { state, admission, orderOf } = this.#parts;
    const held = amountAt(state.orders.reserved, last);
    return admission.release(orderOf(slot, atUs), held, this.#terms) === RejectReason.none;
  }

  /** Raises the hold of a pending order that goes to its matcher to that of the order that becomes active with it. */
  raiseHold(slot: number, { atUs }: PlaceOrder, terms: OrderTerms): void {
    const { state, admission, orderOf } = this.#parts;
    const partner = openPartner(state, slot);
    if (partner < 0) return;
    admission.release(orderOf(partner, atUs), terms.hold, this.#terms);
    if (this.#terms.hold > terms.hold) terms.hold = this.#terms.hold;
  }

  /** Writes the release of the order that becomes active with `order`, which is in `slot` and whose trigger follows. */
  releaseBefore(slot: number, order: PlaceOrder): void {
    const { state, orderTransaction, onReleased } = this.#parts;
    const partner = openPartner(state, slot);
    if (partner < 0) return;
    orderTransaction.release([partner], order, false);
    onReleased(partner);
  }
}
