// Mass cancels send one cancel for each of an account's orders in a market, both open orders and those in flight. The
// venue's own cancels of single orders are sent from here too. Orders waiting for a trigger are not on a book and close
// immediately. A lane has fewer credits than an account may have orders, so the remaining cancels are queued here and
// sent as answers arrive. Until all are sent, clearing takes no command, which bounds the queue.

import { assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import type { CommandIdentity } from "../../../core/command-identity.ts";
import type { CancelAllOrders } from "../../../core/generated/commands.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { CloseReason } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { type OrderTable, SlotState } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import { type MassCancel, RequestKind } from "../matchers/request-lane.ts";
import type { Requester, TransactionWriter } from "../transactions/transaction-writer.ts";
import type { OrderTransaction } from "./order-transaction.ts";

/** The orders a mass cancel covers, its reason, and what to do after it. */
export interface MassCancelRequest {
  readonly account: number;
  readonly market: number;
  readonly atUs: number;
  readonly reason: CloseReason;
  readonly done: (cancelled: number) => void;
  /** Keeps orders that wait for a trigger; default false. */
  readonly keepsWaiting?: boolean;
  /** The gateway's command that asks for it, if one does. */
  readonly identity?: CommandIdentity | null;
  /** Orders that the same command cancelled before a change of leader; default 0. They count in the answer. */
  readonly cancelledBefore?: number;
}

interface WaitingCancel {
  readonly slot: number;
  readonly generation: number;
  readonly mass: MassCancel;
}

export interface MassCancelsParts {
  readonly state: Pick<VenueState, "commandResults">;
  readonly orders: OrderTable;
  readonly lanes: MatcherLanes;
  readonly writer: TransactionWriter;
  readonly orderTransaction: OrderTransaction;
}

const nothing = () => {};

const nobody: Requester = { source: 0, correlation: 0, identity: null };

export class MassCancels {
  readonly #parts: MassCancelsParts;
  /** Cancels waiting for a credit, oldest first, starting at #head. */
  readonly #waiting: WaitingCancel[] = [];
  #head = 0;

  constructor(parts: MassCancelsParts) {
    this.#parts = parts;
  }

  /** Cancels not sent yet. */
  get waiting(): number {
    return this.#waiting.length - this.#head;
  }

  /**
   * Cancels all orders of the account in the market; answers with their number after the last one. For a gateway's
   * command each cancel records how many it was, and a last event the sum. If the leader changes in between, the command
   * comes again and continues: its answer counts all its cancels. Spec CMD-3.
   */
  start(command: CancelAllOrders): void {
    assert(this.waiting === 0, "clearing must take no command while cancels are waiting");
    const { state, writer } = this.#parts;
    const { source, correlation, account, market, atUs, identity = null } = command;
    const requester = { source, correlation, identity };
    const done = (cancelled: number) => {
      if (identity !== null && cancelled > 0) writer.recordAlone(identity, cancelled, atUs);
      writer.answer(requester, RejectReason.none, cancelled);
    };
    const before = identity === null ? null : state.commandResults.resultOf(identity);
    const cancelledBefore = before?.subject ?? 0;
    const reason = CloseReason.cancelled;
    this.cancelAll({ account, market, atUs, reason, done, identity, cancelledBefore });
  }

  /** Makes the transaction of the next cancel end with the progress of its command. */
  records({ identity, cancelled }: MassCancel): void {
    this.#parts.writer.records(identity, cancelled + 1, false);
  }

  /** Cancels the account's orders in the market, then calls `done` of the request with their number. */
  cancelAll(request: MassCancelRequest): void {
    const { orders } = this.#parts;
    const { account, market, atUs, reason, done, keepsWaiting = false, identity = null } = request;
    const { cancelledBefore: cancelled = 0 } = request;
    let kept = 0;
    const mass = { ...nobody, identity, atUs, reason, done, remaining: 0, cancelled };
    const counted = orders.countOf(account, market);
    let next = -1;
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = next) {
      next = orders.nextOfAccount(slot);
      if (orders.market[slot] !== market) continue;
      if (keepsWaiting && orders.state[slot] === SlotState.waiting) kept++;
      else this.#add(slot, mass);
    }
    const found = () => mass.remaining + mass.cancelled - cancelled + kept;
    if (counted > found()) this.#addPending(account, market, mass);
    assert(
      found() === counted,
      "every order of a mass cancel must be cancelled, still to be cancelled, or left waiting for its trigger",
    );
    if (mass.remaining === 0) mass.done(mass.cancelled);
    else this.pump();
  }

  /** Cancels the order in `slot`, open or waiting, for the venue's `reason`; then calls `done`. */
  cancelOne(slot: number, reason: CloseReason, atUs: number, done = nothing): void {
    const mass = { ...nobody, atUs, reason, done, remaining: 0, cancelled: 0 };
    this.#add(slot, mass);
    if (mass.remaining === 0) done();
    else this.pump();
  }

  /** Sends queued cancels as far as credits allow. */
  pump(): void {
    if (this.#waiting.length === 0) return;
    const { orders, lanes } = this.#parts;
    for (let next = this.#waiting[this.#head]; next; next = this.#waiting[this.#head]) {
      const { slot, generation, mass } = next;
      if (orders.generation[slot] === generation) {
        const lane = laneOfCancel(orders, slot);
        if (!lanes.lane(byteAt(orders.market, slot), lane).hasCredit()) return;
        this.#head++;
        lanes.sendCancel(slot, lane, mass, { atUs: mass.atUs, mass });
      } else {
        // The order was filled while its cancel was queued.
        this.#head++;
        this.count(mass, false);
      }
    }
    this.#waiting.length = 0;
    this.#head = 0;
  }

  /** Counts one finished cancel of the mass cancel. */
  count(mass: MassCancel, isCancelled: boolean): void {
    mass.remaining--;
    if (isCancelled) mass.cancelled++;
    assert(mass.remaining >= 0, "a mass cancel must count each order only once");
    if (mass.remaining === 0) mass.done(mass.cancelled);
  }

  #addPending(account: number, market: number, mass: MassCancel): void {
    const lane = this.#parts.lanes.lane(market, MatchLane.orders);
    for (let place = 0; place < lane.inFlight; place++) {
      const { kind, order, slot } = lane.at(place);
      const isOwn = order.account === account && order.market === market;
      const isPlaced = kind === RequestKind.place || kind === RequestKind.liquidate;
      if (isPlaced && isOwn) this.#add(slot, mass);
    }
  }

  #add(slot: number, mass: MassCancel): void {
    const { orders, orderTransaction } = this.#parts;
    if (orders.state[slot] === SlotState.waiting) {
      const orderId = numberAt(orders.orderId, slot);
      const account = wordAt(orders.account, slot);
      const market = byteAt(orders.market, slot);
      this.records(mass);
      orderTransaction.close({ orderId, account, market, reason: mass.reason }, mass.atUs);
      mass.cancelled++;
      return;
    }
    mass.remaining++;
    this.#waiting.push({ slot, generation: wordAt(orders.generation, slot), mass });
  }
}

/**
 * The lane for a cancel. Normally it is the cancel lane, whose requests overtake all requests on the order lane. An
 * order that is itself in flight is cancelled on the order lane, because a cancel that overtakes it would find nothing.
 */
export function laneOfCancel(orders: OrderTable, slot: number): MatchLane {
  const state = orders.state[slot];
  const isWithMatcher = state === SlotState.pending || state === SlotState.sent;
  return isWithMatcher ? MatchLane.orders : MatchLane.cancels;
}
