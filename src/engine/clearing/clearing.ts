// The clearing engine: takes commands and matcher replies one at a time, decides, and gives out
// matcher requests, events and replies. It is the single writer of balances, positions, orders and
// seq. It knows no clock: time is what commands carry.
//
//   command ──admit──▶ reserve (volatile) ──▶ matcher … reply ──▶ release, write the unit, answer
//
// The caller gives it a command only while `canAccept()` holds, and matcher replies first.

import { assert } from "../../core/assert.ts";
import { orderIdOfDerived } from "../../core/client-id.ts";
import {
  type CancelAllOrders,
  type CancelOrder,
  type Command,
  CommandKind,
  type Fence,
  type PlaceOrder,
} from "../../core/commands.ts";
import type { VenueEvent } from "../../core/events.ts";
import {
  MatchLane,
  MatchOutcome,
  type MatchReplySink,
  type MatchRequest,
  MatchRequestKind,
} from "../../core/match-messages.ts";
import { CloseReason, OrderType, type Side, TimeInForce } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { Reply } from "../../core/replies.ts";
import { decideAccountCommand, isAccountCommand } from "./account-commands.ts";
import { type AdmissionContext, admit, type OrderTerms } from "./admission.ts";
import { BestPrices } from "./best-prices.ts";
import { SlotState } from "./order-table.ts";
import { closeReasonOf, FillBuffer, OrderUnit } from "./order-unit.ts";
import { PendingOrders } from "./pending-orders.ts";
import {
  type FenceWait,
  type MassCancel,
  type PendingRequest,
  RequestLane,
} from "./request-lane.ts";
import { UnitWriter } from "./unit-writer.ts";
import type { VenueState } from "./venue-state.ts";

/** Where clearing's decisions go. None of the three may keep what it is given. */
export interface ClearingOutput {
  request(matcher: number, lane: MatchLane, request: MatchRequest): void;
  event(event: VenueEvent): void;
  reply(reply: Reply): void;
}

/** What identifies the asker of a command. */
interface Asker {
  readonly source: number;
  readonly correlation: number;
}

export class Clearing implements MatchReplySink, AdmissionContext {
  readonly best: BestPrices;
  readonly #state: VenueState;
  readonly #output: ClearingOutput;
  readonly #matcherOf: (market: number) => number;
  /** Lanes by matcher × 2 + lane. */
  readonly #lanes: readonly RequestLane[];
  readonly #fills = new FillBuffer();
  readonly #unit: OrderUnit;
  readonly #writer: UnitWriter;
  readonly #pending: PendingOrders;
  /** Orders of mass cancels that still wait for a credit, oldest first. */
  readonly #massBacklog: { slot: number; orderId: number; mass: MassCancel }[] = [];
  readonly #request: MatchRequest;
  readonly #reply: Reply = { source: 0, correlation: 0, reason: 0, lastSeq: 0, subject: 0 };
  #nowUs: number;

  /** `matcherOf` says which of `matcherCount` matchers owns a market. */
  constructor(
    state: VenueState,
    output: ClearingOutput,
    matcherCount: number,
    matcherOf: (market: number) => number,
  ) {
    assert(state.clientIds !== null, "clearing remembers client ids");
    this.#state = state;
    this.#output = output;
    this.#matcherOf = matcherOf;
    this.#lanes = Array.from({ length: matcherCount * 2 }, () => new RequestLane());
    this.#writer = new UnitWriter(state, (event) => output.event(event));
    this.#unit = new OrderUnit(state, this.#writer);
    this.#pending = new PendingOrders(state);
    this.#request = {
      kind: MatchRequestKind.place,
      market: 0,
      slot: 0,
      generation: 0,
      account: 0,
      side: 0,
      type: 0,
      timeInForce: 0,
      price: 0,
      qty: 0,
    };
    this.#nowUs = state.tsUs;
    this.best = new BestPrices(state.table.markets.length);
    this.best.derive(state.orders);
  }

  /** True while every lane has a credit: any command may then be taken. */
  canAccept(): boolean {
    return this.#lanes.every((lane) => lane.hasCredit());
  }

  /** Requests that matchers have not answered yet, and mass cancels not yet sent. */
  get inFlight(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.inFlight, this.#massBacklog.length);
  }

  /** Takes one command; asserts `canAccept()`. */
  handle(command: Command): void {
    assert(this.canAccept(), "a command is taken only with credit on every lane");
    this.#nowUs = Math.max(this.#nowUs, command.atUs);
    if (command.kind === CommandKind.tick) return;
    if (command.deadlineUs < this.#nowUs) {
      this.#answer(command, RejectReason.deadlinePassed, 0);
      return;
    }
    if (isAccountCommand(command)) {
      const reason = decideAccountCommand(this.#state, this.#writer, command);
      const isOpened = command.kind === CommandKind.openAccount && reason === RejectReason.none;
      this.#answer(command, reason, isOpened ? this.#state.accounts.next - 1 : command.account);
    } else if (command.kind === CommandKind.placeOrder) this.#place(command);
    else if (command.kind === CommandKind.cancelOrder) this.#cancel(command);
    else if (command.kind === CommandKind.cancelAllOrders) this.#cancelAll(command);
    else this.#fence(command);
  }

  /** Spec of AdmissionContext: lots of the order's account and side still with a matcher. */
  pendingLots(order: PlaceOrder): number {
    const matcher = this.#matcherOf(order.market);
    return this.#pending.lots(order, this.#lane(matcher, MatchLane.orders));
  }

  /** Spec of AdmissionContext. */
  isPendingClientId(account: number, clientId: string): boolean {
    return this.#pending.slotOf(account, clientId) >= 0;
  }

  /** A fill of the request that the next `ended` answers. */
  filled(_takerSlot: number, makerSlot: number, price: number, qty: number): void {
    this.#fills.add(makerSlot, price, qty);
  }

  /** A matcher's last word on a request: writes the unit and answers. */
  ended(
    market: number,
    slot: number,
    generation: number,
    lane: MatchLane,
    outcome: MatchOutcome,
    remaining: number,
    bestBid: number,
    bestAsk: number,
  ): void {
    const pending = this.#lane(this.#matcherOf(market), lane).shift(slot);
    this.best.set(market, bestBid, bestAsk);
    if (pending.place === null) {
      assert(this.#fills.count === 0, "a cancel trades nothing");
      this.#finishCancel(pending, market, outcome);
    } else {
      assert(this.#state.orders.generation[slot] === generation, "the answer is about this order");
      this.#finishPlace(pending, outcome, remaining);
    }
    this.#fills.clear();
    this.#passFences(pending);
    this.#pumpMassCancels();
  }

  #lane(matcher: number, lane: MatchLane): RequestLane {
    const found = this.#lanes[matcher * 2 + lane];
    assert(found !== undefined, "a market belongs to a known matcher");
    return found;
  }

  #answer(asker: Asker, reason: RejectReason, subject: number): void {
    const reply = this.#reply;
    reply.source = asker.source;
    reply.correlation = asker.correlation;
    reply.reason = reason;
    reply.lastSeq = this.#state.seq;
    reply.subject = subject;
    this.#output.reply(reply);
  }

  #place(order: PlaceOrder): void {
    const terms: OrderTerms = { price: 0, marginPrice: 0, marginLots: 0, hold: 0n };
    const reason = admit(this.#state, this, order, terms);
    if (reason !== RejectReason.none) {
      this.#answer(order, reason, 0);
      return;
    }
    const slot = this.#state.orders.allocate();
    const place = { order, terms };
    if (terms.price === 0) {
      this.#fills.clear();
      const orderId = this.#unit.write(slot, place, this.#fills, CloseReason.unfilled);
      this.#answer(order, RejectReason.none, orderId);
      return;
    }
    this.#pending.reserve(slot, place);
    const request = this.#request;
    request.kind = MatchRequestKind.place;
    request.market = order.market;
    request.slot = slot;
    request.generation = this.#state.orders.generation[slot] ?? 0;
    request.account = order.account;
    request.side = order.side;
    request.type = order.type;
    request.timeInForce = order.type === OrderType.market ? TimeInForce.ioc : order.timeInForce;
    request.price = terms.price;
    request.qty = order.qty;
    this.#send(MatchLane.orders, {
      slot,
      source: order.source,
      correlation: order.correlation,
      atUs: order.atUs,
      place,
      mass: null,
      fences: null,
    });
  }

  /** Sends the prepared request and remembers who waits for its answer. */
  #send(lane: MatchLane, pending: PendingRequest): void {
    const matcher = this.#matcherOf(this.#request.market);
    this.#lane(matcher, lane).push(pending);
    this.#output.request(matcher, lane, this.#request);
  }

  #finishPlace(pending: PendingRequest, outcome: MatchOutcome, remaining: number): void {
    const { slot, place } = pending;
    assert(place !== null, "only a placed order finishes placing");
    this.#pending.release(slot, place);
    if (outcome === MatchOutcome.wouldTake) {
      assert(this.#fills.count === 0, "a refused order traded nothing");
      this.#state.orders.free(slot);
      this.#answer(pending, RejectReason.wouldTake, 0);
      return;
    }
    const reason = closeReasonOf(outcome);
    assert(
      reason !== null || remaining === 0 || outcome === MatchOutcome.rested,
      "outcome is whole",
    );
    const orderId = this.#unit.write(slot, place, this.#fills, reason);
    this.#answer(pending, RejectReason.none, orderId);
  }

  #cancel(command: CancelOrder): void {
    const orders = this.#state.orders;
    const slot = this.#findSlot(command);
    if (slot < 0 || orders.market[slot] !== command.market) {
      this.#answer(command, RejectReason.unknownOrder, 0);
      return;
    }
    // An order still with its matcher is cancelled behind itself, on the same lane.
    const lane = orders.state[slot] === SlotState.pending ? MatchLane.orders : MatchLane.cancels;
    this.#sendCancel(slot, lane, command, command.atUs, null);
  }

  /** The slot of the account's open or pending order the command names, or −1. */
  #findSlot(command: CancelOrder): number {
    const { orders, clientIds } = this.#state;
    const { account, clientId } = command;
    let orderId = command.orderId;
    if (orderId === 0) {
      const pendingSlot = this.#pending.slotOf(account, clientId);
      if (pendingSlot >= 0) return pendingSlot;
      orderId = orderIdOfDerived(clientId) || (clientIds?.orderOf(account, clientId) ?? 0);
    }
    const slot = orders.slotOf(orderId);
    if (slot < 0 || orders.account[slot] !== account) return -1;
    const isNamed = command.orderId !== 0 || orders.clientId(slot) === clientId;
    return isNamed ? slot : -1;
  }

  #sendCancel(
    slot: number,
    lane: MatchLane,
    asker: Asker,
    atUs: number,
    mass: MassCancel | null,
  ): void {
    const orders = this.#state.orders;
    const request = this.#request;
    request.kind = MatchRequestKind.cancel;
    request.market = orders.market[slot] ?? 0;
    request.slot = slot;
    request.generation = orders.generation[slot] ?? 0;
    request.account = orders.account[slot] ?? 0;
    request.side = orders.side[slot] as Side;
    const { source, correlation } = asker;
    this.#send(lane, { slot, source, correlation, atUs, place: null, mass, fences: null });
  }

  #finishCancel(pending: PendingRequest, market: number, outcome: MatchOutcome): void {
    const orders = this.#state.orders;
    const isCancelled = outcome === MatchOutcome.cancelled;
    const orderId = isCancelled ? (orders.orderId[pending.slot] ?? 0) : 0;
    if (isCancelled) {
      const account = orders.account[pending.slot] ?? 0;
      const reason = CloseReason.cancelled;
      this.#unit.close({ orderId, account, market, reason }, pending.atUs);
    }
    if (pending.mass !== null) this.#countMass(pending.mass, isCancelled);
    else
      this.#answer(pending, isCancelled ? RejectReason.none : RejectReason.unknownOrder, orderId);
  }

  #cancelAll(command: CancelAllOrders): void {
    const orders = this.#state.orders;
    const { source, correlation, atUs } = command;
    const mass: MassCancel = { source, correlation, atUs, remaining: 0, cancelled: 0 };
    for (
      let slot = orders.firstOfAccount(command.account);
      slot >= 0;
      slot = orders.nextOfAccount(slot)
    ) {
      if (orders.market[slot] !== command.market) continue;
      mass.remaining++;
      this.#massBacklog.push({ slot, orderId: orders.orderId[slot] ?? 0, mass });
    }
    if (mass.remaining === 0) this.#answer(command, RejectReason.none, 0);
    else this.#pumpMassCancels();
  }

  /** Sends what waits of mass cancels, as far as the credits go. */
  #pumpMassCancels(): void {
    const orders = this.#state.orders;
    for (let next = this.#massBacklog[0]; next !== undefined; next = this.#massBacklog[0]) {
      const { slot, orderId, mass } = next;
      if (orders.slotOf(orderId) !== slot) {
        this.#massBacklog.shift();
        this.#countMass(mass, false);
        continue;
      }
      const matcher = this.#matcherOf(orders.market[slot] ?? 0);
      if (!this.#lane(matcher, MatchLane.cancels).hasCredit()) return;
      this.#massBacklog.shift();
      this.#sendCancel(slot, MatchLane.cancels, mass, mass.atUs, mass);
    }
  }

  #countMass(mass: MassCancel, isCancelled: boolean): void {
    mass.remaining--;
    if (isCancelled) mass.cancelled++;
    if (mass.remaining === 0) this.#answer(mass, RejectReason.none, mass.cancelled);
  }

  /** Answers once every request now in flight has been answered. */
  #fence(command: Fence): void {
    const wait: FenceWait = {
      source: command.source,
      correlation: command.correlation,
      remaining: 0,
    };
    for (const lane of this.#lanes) {
      const last = lane.last();
      if (last === undefined) continue;
      last.fences ??= [];
      last.fences.push(wait);
      wait.remaining++;
    }
    if (wait.remaining === 0) this.#answer(command, RejectReason.none, 0);
  }

  #passFences(pending: PendingRequest): void {
    for (const wait of pending.fences ?? []) {
      wait.remaining--;
      if (wait.remaining === 0) this.#answer(wait, RejectReason.none, 0);
    }
  }
}
