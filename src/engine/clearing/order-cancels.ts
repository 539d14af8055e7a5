// Cancels of one order: found by the venue's id, by the client's, or while still with its matcher.
// They pass whatever the standing of account and market. Who asks for an order that is not open, or
// not theirs, is told that it is unknown.

import { assert } from "../../core/assert.ts";
import { numberAt, wordAt } from "../../core/cells.ts";
import { orderIdOfDerived } from "../../core/client-id.ts";
import type { CancelOrder } from "../../core/commands.ts";
import { MatchOutcome } from "../../core/match-messages.ts";
import { CloseReason } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { laneOfCancel, type MassCancels } from "./mass-cancels.ts";
import type { MatcherLanes } from "./matcher-lanes.ts";
import type { OrderUnit } from "./order-unit.ts";
import type { PendingOrders } from "./pending-orders.ts";
import type { ReplyWriter } from "./reply-writer.ts";
import type { PendingRequest } from "./request-lane.ts";
import type { VenueState } from "./venue-state.ts";

export interface OrderCancelsParts {
  readonly state: VenueState;
  readonly lanes: MatcherLanes;
  readonly pending: PendingOrders;
  readonly unit: OrderUnit;
  readonly massCancels: MassCancels;
  readonly replies: ReplyWriter;
}

export class OrderCancels {
  readonly #parts: OrderCancelsParts;

  constructor(parts: OrderCancelsParts) {
    this.#parts = parts;
  }

  /** Asks the matcher to take the order out, or refuses with unknownOrder. Spec ORD-18, ORD-19. */
  cancel(command: CancelOrder): void {
    const { lanes, replies, state } = this.#parts;
    const slot = this.#findSlot(command);
    if (slot < 0 || state.orders.market[slot] !== command.market) {
      replies.answer(command, RejectReason.unknownOrder, 0);
      return;
    }
    lanes.sendCancel(slot, laneOfCancel(state.orders, slot), command, command.atUs, null);
  }

  /** The matcher has answered: writes the unit if the order was still there, and answers. */
  finish(request: PendingRequest, market: number, outcome: MatchOutcome): void {
    const { state, unit, massCancels, replies } = this.#parts;
    const { orders } = state;
    const isCancelled = outcome === MatchOutcome.cancelled;
    assert(isCancelled || outcome === MatchOutcome.unknown, "a cancel takes out or finds nothing");
    let orderId = 0;
    if (isCancelled) {
      const { slot } = request;
      assert(orders.generation[slot] === request.generation, "the order cancelled is still here");
      orderId = numberAt(orders.orderId, slot);
      const account = wordAt(orders.account, slot);
      unit.close({ orderId, account, market, reason: CloseReason.cancelled }, request.atUs);
    }
    if (request.mass !== null) massCancels.count(request.mass, isCancelled);
    else {
      const reason = isCancelled ? RejectReason.none : RejectReason.unknownOrder;
      replies.answer(request, reason, orderId);
    }
  }

  /** The slot of the account's open or pending order the command names, or −1. */
  #findSlot(command: CancelOrder): number {
    const { state, pending } = this.#parts;
    const { orders, clientIds } = state;
    const { account, clientId } = command;
    let orderId = command.orderId;
    if (orderId === 0) {
      const pendingSlot = pending.slotOf(account, clientId);
      if (pendingSlot >= 0) return pendingSlot;
      orderId = orderIdOfDerived(clientId) || (clientIds?.orderOf(account, clientId) ?? 0);
    }
    const slot = orders.slotOf(orderId);
    if (slot < 0 || orders.account[slot] !== account) return -1;
    // Two ids may share the hash they are remembered by, so the text itself decides.
    const isNamed = command.orderId !== 0 || orders.clientId(slot) === clientId;
    return isNamed ? slot : -1;
  }
}
