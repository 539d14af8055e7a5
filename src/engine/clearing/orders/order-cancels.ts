// Cancels of one order, open or in flight, found by order id or client id. Cancels are accepted in every state of
// account and market. A cancel of an order that is not open, or belongs to another account, is refused as unknown.

import { assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import type { CancelOrder } from "../../../core/generated/commands.ts";
import { MatchLane, MatchOutcome } from "../../../core/match-messages.ts";
import { CancelCondition, CloseReason } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { SlotState } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import type { PendingRequest } from "../matchers/request-lane.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";
import { slotToCancel } from "./list-legs.ts";
import { laneOfCancel, type MassCancels } from "./mass-cancels.ts";
import type { OrderAmends } from "./order-amends.ts";
import type { OrderTransaction } from "./order-transaction.ts";
import type { PendingOrders } from "./pending-orders.ts";

export interface OrderCancelsParts {
  readonly state: VenueState;
  readonly lanes: MatcherLanes;
  readonly pending: PendingOrders;
  readonly orderTransaction: OrderTransaction;
  readonly massCancels: MassCancels;
  readonly amends: OrderAmends;
  readonly writer: TransactionWriter;
}

export class OrderCancels {
  readonly #parts: OrderCancelsParts;

  constructor(parts: OrderCancelsParts) {
    this.#parts = parts;
  }

  /** Sends a cancel to the matcher, closes a waiting order at once, or refuses. Spec ORD-18, ORD-19. */
  cancel(command: CancelOrder): void {
    const { lanes, pending, writer, state, orderTransaction } = this.#parts;
    const { orders } = state;
    const named = pending.find(command);
    const slot = named < 0 ? named : slotToCancel(state, named);
    if (slot < 0) {
      writer.answer(command, RejectReason.unknownOrder, 0);
      return;
    }
    const { onlyIf = CancelCondition.always } = command;
    const lane = laneOfCancel(orders, slot);
    if (onlyIf !== CancelCondition.always && !this.#isIn(onlyIf, slot, lane)) {
      writer.answer(command, RejectReason.cancelRestricted, 0);
      return;
    }
    if (orders.state[slot] === SlotState.waiting) {
      const orderId = numberAt(orders.orderId, slot);
      const { account, market } = command;
      writer.records(command.identity, orderId);
      orderTransaction.close(
        { orderId, account, market, reason: CloseReason.cancelled },
        command.atUs,
      );
      writer.answer(command, RejectReason.none, orderId);
      return;
    }
    // Clearing does not know fills that are still in flight from the matcher, so the matcher checks the condition
    // again.
    const seen = onlyIf === CancelCondition.untouched ? this.#open(slot, lane) : 0;
    const other = named === slot ? 0 : numberAt(orders.orderId, named);
    lanes.sendCancel(slot, lane, command, { atUs: command.atUs, mass: null, seen, named: other });
  }

  /** Whether the order meets the condition according to the journaled state. Spec ORD-51. */
  #isIn(condition: CancelCondition, slot: number, lane: MatchLane): boolean {
    const { amends, state } = this.#parts;
    const { orders } = state;
    // An order in flight has no fills yet.
    const isNew = lane === MatchLane.orders || orders.filledQty[slot] === 0;
    if (condition === CancelCondition.partlyFilled) return !isNew;
    // With an amend in flight the matcher's check is not reliable: it compares open lots, and the amend may add as many
    // as a fill has taken.
    return isNew && !amends.isUnderWay(numberAt(orders.orderId, slot));
  }

  /** Open lots of the order if nothing trades before the cancel arrives. */
  #open(slot: number, lane: MatchLane): number {
    const { lanes, state } = this.#parts;
    const { orders } = state;
    return lane === MatchLane.orders
      ? lanes.qtyOnItsWay(byteAt(orders.market, slot), slot)
      : orders.remaining(slot);
  }

  /**
   * Writes the transaction after the matcher has answered, if the order was still there, and replies to the requester.
   */
  finish(request: PendingRequest, market: number, outcome: MatchOutcome): void {
    const { massCancels, writer } = this.#parts;
    const isCancelled = outcome === MatchOutcome.cancelled;
    const isKept = outcome === MatchOutcome.changed;
    assert(
      isCancelled || isKept || outcome === MatchOutcome.unknown,
      "a cancel must have removed the order, not found it, or left it because of the cancel's condition",
    );
    if (isCancelled && request.orderId === 0) {
      request.orderId = numberAt(this.#parts.state.orders.orderId, request.slot);
    }
    const closed = isCancelled ? this.#close(request, market) : 0;
    if (request.mass !== null) massCancels.count(request.mass, closed);
    else if (isCancelled) writer.answer(request, RejectReason.none, request.orderId);
    else {
      const missed = isKept ? RejectReason.cancelRestricted : RejectReason.unknownOrder;
      writer.answer(request, missed, 0);
    }
  }

  /** Writes the close of the order that left its book, and of those that end with it; returns their number. */
  #close(request: PendingRequest, market: number): number {
    const { state, orderTransaction, massCancels, writer } = this.#parts;
    const { orders } = state;
    const { slot, mass, atUs } = request;
    const isThere = orders.generation[slot] === request.generation;
    assert(isThere, "the slot must still hold the order of the cancel");
    const orderId = numberAt(orders.orderId, slot);
    const account = wordAt(orders.account, slot);
    const reason = mass?.reason ?? CloseReason.cancelled;
    if (mass === null) writer.records(request.identity, request.orderId);
    else massCancels.records(mass, slot);
    return orderTransaction.close({ orderId, account, market, reason }, atUs);
  }
}
