// Mass cancels send one cancel for each of an account's orders that they cover, both open orders and those in flight. The
// venue's own cancels of single orders are sent from here too. Orders waiting for a trigger are not on a book and close
// immediately. A lane has fewer credits than an account may have orders, so the remaining cancels are queued here and
// sent as answers arrive. Until all are sent, clearing takes no command, which bounds the queue.
//
// An order list is cancelled whole: one cancel goes to the order that is on the book or on its way there, and its answer
// closes the others. If that order has ended otherwise meanwhile, the ones that went on are cancelled after it.

import { assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import type { CommandIdentity } from "../../../core/command-identity.ts";
import type { CancelAllOrders, CancelOrders } from "../../../core/generated/commands.ts";
import { marketsMax } from "../../../core/limits.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { CloseReason, type Side } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { OrderFlag, type OrderTable, SlotState } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import {
  type MassCancel,
  type OrderInSlot,
  type PendingRequest,
  RequestKind,
  type RequestLane,
} from "../matchers/request-lane.ts";
import type { Requester, TransactionWriter } from "../transactions/transaction-writer.ts";
import { type CoveredOrders, coveredBy, hasTerms, isIn } from "./covered-orders.ts";
import { closingWith, otherLegs, slotToCancel } from "./list-legs.ts";
import type { OrderTransaction } from "./order-transaction.ts";

/** The orders a mass cancel covers, its reason, and what to do after it. */
export interface MassCancelRequest extends CoveredOrders {
  readonly atUs: number;
  readonly reason: CloseReason;
  readonly done: (cancelled: number) => void;
  /** The gateway's command that asks for it, if one does. */
  readonly identity?: CommandIdentity | null;
  /** Sends all cancels on the lane of orders, so that no later command overtakes them; default false. */
  readonly isOrdered?: boolean;
  /** Orders that the same command cancelled before a change of leader; default 0. They count in the answer. */
  readonly cancelledBefore?: number;
}

interface WaitingCancel extends OrderInSlot {
  readonly mass: MassCancel;
}

export interface MassCancelsParts {
  readonly state: VenueState;
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
   * Cancels the orders that the command covers; answers with their number after the last one, which is 0 for an unknown
   * account or market. For a gateway's command each cancel records how many it was, and a last event the sum. If the
   * leader changes in between, the command comes again and continues: its answer counts all its cancels. Spec CMD-3.
   */
  start(command: CancelAllOrders | CancelOrders): void {
    assert(this.waiting === 0, "clearing must take no command while cancels are waiting");
    const { state, writer } = this.#parts;
    const { source, correlation, atUs, identity = null } = command;
    const requester = { source, correlation, identity };
    const done = (cancelled: number) => {
      if (identity !== null && cancelled > 0) writer.recordAlone(identity, cancelled, atUs);
      writer.answer(requester, RejectReason.none, cancelled);
    };
    const before = identity === null ? null : state.commandResults.resultOf(identity);
    const cancelledBefore = before?.subject ?? 0;
    const covered = coveredBy(state, command);
    if (covered === undefined) {
      writer.answer(requester, RejectReason.unknownGroup, 0);
    } else if (!state.accounts.exists(covered.account)) done(cancelledBefore);
    else {
      const reason = CloseReason.cancelled;
      this.cancelAll({ ...covered, atUs, reason, done, identity, cancelledBefore });
    }
  }

  /** Makes the transaction of the next cancel, of the order in `slot`, end with the progress of its command. */
  records({ identity, cancelled, reason }: MassCancel, slot: number): void {
    const closing = 1 + closingWith(this.#parts.state, slot, reason).length;
    this.#parts.writer.records(identity, cancelled + closing, false);
  }

  /** Cancels the orders that the request covers, then calls `done` of the request with their number. */
  cancelAll(request: MassCancelRequest): void {
    const { account, atUs, reason, done, identity = null, isOrdered = false } = request;
    const { cancelledBefore: cancelled = 0 } = request;
    const mass = { ...this.#massOf({ atUs, reason, done }), identity, isOrdered, cancelled };
    const counted = this.#countIn(request);
    // Found first, because the close of one order of a list closes others.
    const found = this.#ordersOf(account).filter(({ slot }) =>
      isIn(request, byteAt(this.#parts.orders.market, slot)),
    );
    let seen = found.length;
    if (counted > seen) seen += this.#addPending(request, mass);
    assert(seen === counted, "a mass cancel must see every order of the account in its markets");
    const amended = this.#amendedPrices(request);
    const covered = found.filter(({ slot }) => this.#covers(request, slot, amended.get(slot)));
    this.#addAll(covered, mass);
    if (mass.remaining === 0) mass.done(mass.cancelled);
    else this.pump();
  }

  /**
   * Cancels the order in `slot`, open or waiting, for the venue's `reason`, and with it the others of its list; then calls
   * `done`.
   */
  cancelOne(slot: number, reason: CloseReason, atUs: number, done = nothing): void {
    const mass = this.#massOf({ atUs, reason, done });
    this.#addAll([this.#orderIn(slot)], mass);
    if (mass.remaining === 0) done();
    else this.pump();
  }

  /**
   * Cancels the order in `slot`, which is on its book, if nothing of it has traded on the way; `done` is called in any
   * case.
   */
  cancelUntraded(slot: number, reason: CloseReason, atUs: number, done: () => void): void {
    const seen = this.#parts.orders.remaining(slot);
    const mass = { ...this.#massOf({ atUs, reason, done }), remaining: 1, seen };
    this.#waiting.push({ ...this.#orderIn(slot), mass });
    this.pump();
  }

  /** Sends queued cancels as far as credits allow. */
  pump(): void {
    if (this.#waiting.length === 0) return;
    const { orders, lanes } = this.#parts;
    for (let next = this.#waiting[this.#head]; next; next = this.#waiting[this.#head]) {
      const { slot, mass } = next;
      if (this.#isThere(next)) {
        const lane = mass.isOrdered ? MatchLane.orders : laneOfCancel(orders, slot);
        if (!lanes.lane(byteAt(orders.market, slot), lane).hasCredit()) return;
        this.#head++;
        lanes.sendCancel(slot, lane, mass, { atUs: mass.atUs, mass, seen: mass.seen ?? 0 });
      } else {
        // The order was filled while its cancel was queued.
        this.#head++;
        this.count(mass, 0);
      }
    }
    this.#waiting.length = 0;
    this.#head = 0;
  }

  /** Counts one finished cancel of the mass cancel, which closed so many orders. */
  count(mass: MassCancel, closed: number): void {
    mass.remaining--;
    mass.cancelled += closed;
    assert(mass.remaining >= 0, "a mass cancel must count each order only once");
    if (mass.remaining > 0) return;
    // What follows must be done even if the answer wrote nothing, because the order was gone.
    this.#parts.writer.mayHaveWork = true;
    this.#addAll(mass.endingWith.splice(0), mass);
    if (mass.remaining === 0) mass.done(mass.cancelled);
  }

  #massOf(terms: Pick<MassCancel, "atUs" | "reason" | "done">): MassCancel {
    return { ...nobody, ...terms, isOrdered: false, endingWith: [], remaining: 0, cancelled: 0 };
  }

  #ordersOf(account: number): OrderInSlot[] {
    const { orders } = this.#parts;
    const found: OrderInSlot[] = [];
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
      found.push(this.#orderIn(slot));
    }
    return found;
  }

  #orderIn(slot: number): OrderInSlot {
    return { slot, generation: wordAt(this.#parts.orders.generation, slot) };
  }

  #isThere({ slot, generation }: OrderInSlot): boolean {
    return this.#parts.orders.generation[slot] === generation;
  }

  /** Orders of the account in the markets, also those in flight. */
  #countIn(covered: CoveredOrders): number {
    let count = 0;
    for (let market = 0; market < marketsMax; market++) {
      if (isIn(covered, market)) count += this.#parts.orders.countOf(covered.account, market);
    }
    return count;
  }

  /** New prices of the account's orders whose amends are with their matchers, by slot, if prices matter. */
  #amendedPrices(covered: CoveredOrders): ReadonlyMap<number, number> {
    const prices = new Map<number, number>();
    const { minPrice = 0, maxPrice = 0 } = covered;
    if (minPrice === 0 && maxPrice === 0) return prices;
    for (const lane of this.#lanesOf(covered)) {
      for (let place = 0; place < lane.inFlight; place++) {
        const { kind, order, slot } = lane.at(place);
        if (kind === RequestKind.amend && order.account === covered.account)
          prices.set(slot, order.price);
      }
    }
    return prices;
  }

  /** `amended` is the price of an amend under way. It counts, because its client sent the cancel after it. */
  #covers(covered: CoveredOrders, slot: number, amended: number | undefined): boolean {
    const { orders } = this.#parts;
    if (covered.keepsWaiting === true && orders.state[slot] === SlotState.waiting) return false;
    const side = byteAt(orders.side, slot) as Side;
    const isReduceOnly = orders.has(slot, OrderFlag.reduceOnly);
    const price = amended ?? wordAt(orders.price, slot);
    return hasTerms(covered, { side, isReduceOnly, price });
  }

  /** The lanes of orders to the matchers of the markets. */
  #lanesOf(covered: CoveredOrders): ReadonlySet<RequestLane> {
    const lanes = new Set<RequestLane>();
    for (let market = 0; market < marketsMax; market++) {
      if (isIn(covered, market)) lanes.add(this.#parts.lanes.lane(market, MatchLane.orders));
    }
    return lanes;
  }

  /** Adds the covered orders that are in flight to their books; returns how many it has seen in the markets. */
  #addPending(covered: CoveredOrders, mass: MassCancel): number {
    let seen = 0;
    for (const lane of this.#lanesOf(covered)) {
      for (let place = 0; place < lane.inFlight; place++) {
        seen += this.#addPlaced(covered, lane.at(place), mass);
      }
    }
    return seen;
  }

  /** Adds the order or list that the request places, if it is covered; returns how many orders it has in the markets. */
  #addPlaced(
    covered: CoveredOrders,
    { kind, order, slot, list }: PendingRequest,
    mass: MassCancel,
  ): number {
    const isPlaced = kind === RequestKind.place || kind === RequestKind.liquidate;
    const isOwn = order.account === covered.account && isIn(covered, order.market);
    if (!isPlaced || !isOwn) return 0;
    const legs = list?.legs ?? [{ slot, order }];
    if (legs.some((leg) => hasTerms(covered, leg.order))) {
      this.#queue(slot, mass);
      for (const leg of legs) if (leg.slot !== slot) mass.endingWith.push(this.#orderIn(leg.slot));
    }
    return legs.length;
  }

  /** Closes the orders that wait, and queues the cancels of the others; of each list only one. */
  #addAll(found: readonly OrderInSlot[], mass: MassCancel): void {
    const { orders, orderTransaction, state } = this.#parts;
    const added = new Set<number>();
    for (const one of found) {
      if (!this.#isThere(one)) continue;
      const slot = slotToCancel(state, one.slot);
      if (added.has(slot)) continue;
      added.add(slot);
      if (orders.state[slot] === SlotState.waiting) {
        const orderId = numberAt(orders.orderId, slot);
        const account = wordAt(orders.account, slot);
        const market = byteAt(orders.market, slot);
        this.records(mass, slot);
        const { reason, atUs } = mass;
        mass.cancelled += orderTransaction.close({ orderId, account, market, reason }, atUs);
      } else {
        for (const other of otherLegs(state, slot)) mass.endingWith.push(this.#orderIn(other));
        this.#queue(slot, mass);
      }
    }
  }

  #queue(slot: number, mass: MassCancel): void {
    mass.remaining++;
    this.#waiting.push({ ...this.#orderIn(slot), mass });
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
