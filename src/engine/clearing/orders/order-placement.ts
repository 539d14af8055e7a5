// New orders: admission, a reservation while the order is with its matcher, and the transaction written from the
// matcher's answer. The reservation itself is not journaled. Three cases need no matcher and are decided at once: a
// refusal, an order that waits for its trigger, and a market order without an opposite side.

import { assert } from "../../../core/assert.ts";
import { CommandKind, type PlaceList, type PlaceOrder } from "../../../core/generated/commands.ts";
import { MatchLane, MatchOutcome } from "../../../core/match-messages.ts";
import { CloseReason, isConditional } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { ConnectedOrders } from "../connections/connected-orders.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import {
  FillBuffer,
  type OrderTerms,
  type PendingRequest,
  RequestKind,
} from "../matchers/request-lane.ts";
import { rescalePending } from "../perpetuals/leverage-change.ts";
import type { TpSlOrders } from "../perpetuals/tp-sl-orders.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";
import type { Admission } from "./admission.ts";
import type { ConditionalOrders } from "./conditional-orders.ts";
import type { Deadlines } from "./deadlines.ts";
import type { KeyedRequests } from "./keyed-requests.ts";
import type { ListPlacement } from "./list-placement.ts";
import { closeReasonOf, type OrderTransaction } from "./order-transaction.ts";
import type { PendingOrders } from "./pending-orders.ts";
import { type AdmittedBefore, noneBefore } from "./waiting-orders.ts";

export interface OrderPlacementParts {
  readonly state: VenueState;
  readonly lanes: MatcherLanes;
  readonly writer: TransactionWriter;
  readonly orderTransaction: OrderTransaction;
  readonly pending: PendingOrders;
  readonly admission: Admission;
  readonly keyed: KeyedRequests;
  readonly conditional: ConditionalOrders;
  readonly deadlines: Deadlines;
  readonly tpSl: TpSlOrders;
  readonly connected: ConnectedOrders;
  readonly lists: ListPlacement;
}

export class OrderPlacement {
  readonly #parts: OrderPlacementParts;
  readonly #noFills = new FillBuffer();

  constructor(parts: OrderPlacementParts) {
    this.#parts = parts;
  }

  /** Refuses an order or a list, writes its transaction at once, or sends it to its matcher. */
  place(command: PlaceOrder | PlaceList): void {
    if (command.kind === CommandKind.placeOrder) this.#placeOrder(command);
    else this.#parts.lists.place(command);
  }

  #placeOrder(order: PlaceOrder): void {
    const { state, lanes, writer, pending, admission, keyed, connected } = this.#parts;
    const key = order.attached?.key ?? null;
    if (key !== null && keyed.answers(order, key)) return;
    const connection = order.attached?.connection ?? 0;
    // Most orders have no connection; the path of those does not pass through its file.
    const fenced =
      connection === 0 ? RejectReason.none : connected.check(connection, order.account);
    const reason =
      fenced === RejectReason.none
        ? admission.admit(order, lanes.terms, this.#comingWith(order))
        : fenced;
    if (reason !== RejectReason.none) {
      writer.answer(order, reason, 0);
      return;
    }
    const slot = state.orders.allocate();
    if (isConditional(order.type)) {
      this.#answerAtOnce(slot, order, null);
      return;
    }
    const { price, qty } = lanes.terms;
    if (price === 0) {
      this.#answerAtOnce(slot, order, CloseReason.unfilled);
      return;
    }
    assert(qty > 0 || order.quoteQty > 0n, "an order must have a quantity or a quote amount");
    const request = lanes.prepare(RequestKind.place, slot, order);
    pending.reserve(request);
    lanes.sendPlace(request);
  }

  /** What counts against the order's limits besides what the state has: the conditional orders of lists in flight. */
  #comingWith({ type, account, market }: PlaceOrder): AdmittedBefore {
    if (!isConditional(type)) return noneBefore;
    return { orders: 0, conditional: this.#parts.lists.conditionalComing(account, market) };
  }

  /** Writes the transaction of an order that needs no matcher. */
  #answerAtOnce(slot: number, order: PlaceOrder, reason: CloseReason | null): void {
    const { conditional, deadlines, lanes, writer } = this.#parts;
    const orderId = this.#write(slot, order, lanes.terms, this.#noFills, reason);
    if (reason === null) {
      conditional.wait(slot);
      deadlines.watchOrder(slot);
    }
    writer.answer(order, RejectReason.none, orderId);
  }

  /**
   * Writes the transaction of a new order. Then updates the account's TP/SL legs if they changed, and the holds of its
   * orders in flight if the order set the leverage.
   */
  #write(
    slot: number,
    order: PlaceOrder,
    terms: OrderTerms,
    fills: FillBuffer,
    reason: CloseReason | null,
  ): number {
    const { state, lanes, orderTransaction, tpSl } = this.#parts;
    const orderId = orderTransaction.write(slot, order, terms, fills, reason);
    if (state.tpSl.changed.size > 0) {
      tpSl.settle(order.account, order.market, order.atUs);
    }
    if ((order.attached?.leverage ?? 0) > 0) {
      const lane = lanes.lane(order.market, MatchLane.orders);
      rescalePending(state, lane, order.account, state.table.market(order.market));
    }
    return orderId;
  }

  /** Writes the transaction from the matcher's answer, or drops an order that the matcher refused; then replies. */
  finish(
    request: PendingRequest,
    fills: FillBuffer,
    outcome: MatchOutcome,
    remaining: number,
  ): void {
    const { state, pending, writer, deadlines, connected } = this.#parts;
    const { slot, order, terms } = request;
    assert(
      fills.qty + remaining === terms.qty,
      "the filled and the remaining quantity must add up to the quantity of the order",
    );
    if (request.list !== null) {
      this.#parts.lists.finish(request, request.list, fills, { outcome, remaining });
      return;
    }
    if (outcome === MatchOutcome.wouldTake) {
      pending.refuse(request);
      assert(fills.count === 0, "a refused order must not have fills");
      state.orders.free(slot);
      writer.answer(request, RejectReason.wouldTake, 0);
      return;
    }
    pending.accept(request);
    let reason = closeReasonOf(outcome, remaining);
    if (outcome === MatchOutcome.budgetSpent && fills.qty > 0) {
      // An order by quote amount is filled when its amount is spent; its quantity is set to the lots that it traded.
      terms.qty = fills.qty;
      reason = null;
    }
    const orderId = this.#write(slot, order, terms, fills, reason);
    request.orderId = orderId;
    if (outcome === MatchOutcome.rested && order.goodTillUs > 0) deadlines.watchOrder(slot);
    if ((order.attached?.connection ?? 0) > 0) connected.rested(orderId);
    writer.answer(request, RejectReason.none, orderId);
  }
}
