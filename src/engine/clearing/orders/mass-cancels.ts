// Mass cancels send one cancel for each of an account's orders that they cover, both open orders and those in flight. The
// venue's own cancels of single orders are sent from here too. Orders waiting for a trigger are not on a book and close
// immediately. A lane has fewer credits than an account may have orders, so the remaining cancels are queued here and
// sent as answers arrive. Until all are sent, clearing takes no command, which bounds the queue.

import { assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import type { CommandIdentity } from "../../../core/command-identity.ts";
import {
  type CancelAllOrders,
  type CancelOrders,
  CommandKind,
} from "../../../core/generated/commands.ts";
import { marketsMax } from "../../../core/limits.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { CloseReason, type Side } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { OrderFlag, type OrderTable, SlotState } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import { type MassCancel, RequestKind, type RequestLane } from "../matchers/request-lane.ts";
import type { Requester, TransactionWriter } from "../transactions/transaction-writer.ts";
import type { OrderTransaction } from "./order-transaction.ts";

/** The orders of an account that a mass cancel covers. A band of prices leaves out orders without a limit price. */
export interface CoveredOrders {
  readonly account: number;
  /** One bit for each market, by its number. */
  readonly markets: number;
  /** Null or absent for both sides. */
  readonly side?: Side | null | undefined;
  /** Bounds of the limit price in ticks, inclusive; 0 or absent for none. */
  readonly minPrice?: number;
  readonly maxPrice?: number;
  /** Keeps orders that wait for a trigger; default false. */
  readonly keepsWaiting?: boolean;
  /** Keeps reduce-only orders; default false. */
  readonly sparesReducing?: boolean;
}

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

interface WaitingCancel {
  readonly slot: number;
  readonly generation: number;
  readonly mass: MassCancel;
}

export interface MassCancelsParts {
  readonly state: Pick<VenueState, "accounts" | "commandResults" | "makerGroups">;
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
    const covered = this.#coveredBy(command);
    if (covered === undefined) {
      writer.answer(requester, RejectReason.unknownGroup, 0);
    } else if (!state.accounts.exists(covered.account)) done(cancelledBefore);
    else {
      const reason = CloseReason.cancelled;
      this.cancelAll({ ...covered, atUs, reason, done, identity, cancelledBefore });
    }
  }

  /** What the command covers; undefined for a group that does not exist. */
  #coveredBy(command: CancelAllOrders | CancelOrders): CoveredOrders | undefined {
    const { account } = command;
    if (command.kind === CommandKind.cancelAllOrders) {
      const { market } = command;
      return { account, markets: market >= 0 && market < marketsMax ? 1 << market : 0 };
    }
    if (command.group === 0) return command;
    const group = this.#parts.state.makerGroups.get(account, command.group);
    return group && { ...command, markets: group.terms.markets, sparesReducing: true };
  }

  /** Makes the transaction of the next cancel end with the progress of its command. */
  records({ identity, cancelled }: MassCancel): void {
    this.#parts.writer.records(identity, cancelled + 1, false);
  }

  /** Cancels the orders that the request covers, then calls `done` of the request with their number. */
  cancelAll(request: MassCancelRequest): void {
    const { orders } = this.#parts;
    const { account, atUs, reason, done, identity = null, isOrdered = false } = request;
    const { cancelledBefore: cancelled = 0 } = request;
    const mass = { ...nobody, identity, atUs, reason, done, isOrdered, remaining: 0, cancelled };
    const counted = this.#countIn(request);
    let seen = 0;
    let next = -1;
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = next) {
      next = orders.nextOfAccount(slot);
      if (!isIn(request, byteAt(orders.market, slot))) continue;
      seen++;
      if (this.#covers(request, slot)) this.#add(slot, mass);
    }
    if (counted > seen) seen += this.#addPending(request, mass);
    assert(seen === counted, "a mass cancel must see every order of the account in its markets");
    if (mass.remaining === 0) mass.done(mass.cancelled);
    else this.pump();
  }

  /** Cancels the order in `slot`, open or waiting, for the venue's `reason`; then calls `done`. */
  cancelOne(slot: number, reason: CloseReason, atUs: number, done = nothing): void {
    const mass = { ...nobody, isOrdered: false, atUs, reason, done, remaining: 0, cancelled: 0 };
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
        const lane = mass.isOrdered ? MatchLane.orders : laneOfCancel(orders, slot);
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

  /** Orders of the account in the markets, also those in flight. */
  #countIn(covered: CoveredOrders): number {
    let count = 0;
    for (let market = 0; market < marketsMax; market++) {
      if (isIn(covered, market)) count += this.#parts.orders.countOf(covered.account, market);
    }
    return count;
  }

  #covers(covered: CoveredOrders, slot: number): boolean {
    const { orders } = this.#parts;
    if (covered.keepsWaiting === true && orders.state[slot] === SlotState.waiting) return false;
    const side = byteAt(orders.side, slot) as Side;
    const isReduceOnly = orders.has(slot, OrderFlag.reduceOnly);
    return hasTerms(covered, { side, isReduceOnly, price: wordAt(orders.price, slot) });
  }

  /** Adds the covered orders that are in flight to their books; returns how many it has seen in the markets. */
  #addPending(covered: CoveredOrders, mass: MassCancel): number {
    const lanes = new Set<RequestLane>();
    for (let market = 0; market < marketsMax; market++) {
      if (isIn(covered, market)) lanes.add(this.#parts.lanes.lane(market, MatchLane.orders));
    }
    let seen = 0;
    for (const lane of lanes) {
      for (let place = 0; place < lane.inFlight; place++) {
        const { kind, order, slot } = lane.at(place);
        const isOwn = order.account === covered.account && isIn(covered, order.market);
        const isPlaced = kind === RequestKind.place || kind === RequestKind.liquidate;
        if (!isPlaced || !isOwn) continue;
        seen++;
        if (hasTerms(covered, order)) this.#add(slot, mass);
      }
    }
    return seen;
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

function isIn({ markets }: CoveredOrders, market: number): boolean {
  return ((markets >>> market) & 1) === 1;
}

function hasTerms(
  { side = null, minPrice = 0, maxPrice = 0, sparesReducing = false }: CoveredOrders,
  order: { readonly side: Side; readonly price: number; readonly isReduceOnly: boolean },
): boolean {
  if (sparesReducing && order.isReduceOnly) return false;
  if (side !== null && order.side !== side) return false;
  if (minPrice === 0 && maxPrice === 0) return true;
  if (order.price < Math.max(minPrice, 1)) return false;
  return maxPrice === 0 || order.price <= maxPrice;
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
