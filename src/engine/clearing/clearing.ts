// The clearing engine: takes commands and matcher replies one at a time, decides, and gives out
// matcher requests, events and replies. It is the single writer of balances, positions, orders and
// seq. It knows no clock: time is what commands carry.
//
//   command ──admit──▶ reserve (volatile) ──▶ matcher … reply ──▶ write the unit, answer
//
// The caller gives it a command only while `canAccept()` holds, and matcher replies first.

import { assert, present } from "../../core/assert.ts";
import { byteAt, wordAt } from "../../core/cells.ts";
import {
  type CancelAllOrders,
  type Command,
  CommandKind,
  type PlaceOrder,
} from "../../core/commands.ts";
import type { VenueEvent } from "../../core/events.ts";
import {
  MatchLane,
  MatchOutcome,
  type MatchReplySink,
  type MatchRequest,
} from "../../core/match-messages.ts";
import { CloseReason } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { Reply } from "../../core/replies.ts";
import { type AccountCommand, decideAccountCommand, isAccountCommand } from "./account-commands.ts";
import { Admission, type OrderTerms } from "./admission.ts";
import { BestPrices } from "./best-prices.ts";
import { Fences } from "./fences.ts";
import { FillBuffer } from "./fill-buffer.ts";
import { MassCancels } from "./mass-cancels.ts";
import { MatcherLanes } from "./matcher-lanes.ts";
import { OrderCancels } from "./order-cancels.ts";
import { closeReasonOf, OrderUnit } from "./order-unit.ts";
import { PendingOrders } from "./pending-orders.ts";
import { ReplyWriter } from "./reply-writer.ts";
import { copyOrder, copyTerms, type PendingRequest } from "./request-lane.ts";
import { UnitWriter } from "./unit-writer.ts";
import type { VenueState } from "./venue-state.ts";

/** Where clearing's decisions go. None of the three may keep what it is given. */
export interface ClearingOutput {
  request(matcher: number, lane: MatchLane, request: MatchRequest): void;
  event(event: VenueEvent): void;
  reply(reply: Reply): void;
}

export class Clearing implements MatchReplySink {
  readonly best: BestPrices;
  readonly #state: VenueState;
  readonly #lanes: MatcherLanes;
  readonly #replies: ReplyWriter;
  readonly #writer: UnitWriter;
  readonly #unit: OrderUnit;
  readonly #pending: PendingOrders;
  readonly #admission: Admission;
  readonly #massCancels: MassCancels;
  readonly #cancels: OrderCancels;
  readonly #fences: Fences;
  /** By matcher: replies of two matchers may come interleaved. */
  readonly #fills: readonly FillBuffer[];
  readonly #noFills = new FillBuffer();
  readonly #terms: OrderTerms = { price: 0, marginPrice: 0, marginLots: 0, hold: 0n };
  /** What deadlines are held against. */
  #nowUs: number;
  #tickUs: number;

  /** `matcherOf` says which of `matcherCount` matchers owns a market. */
  constructor(
    state: VenueState,
    output: ClearingOutput,
    matcherCount: number,
    matcherOf: (market: number) => number,
  ) {
    assert(state.clientIds !== null, "clearing remembers client ids");
    this.#state = state;
    this.best = new BestPrices(state.table.markets.length);
    this.best.derive(state.orders);
    this.#nowUs = state.tsUs;
    this.#tickUs = state.tsUs;
    this.#lanes = new MatcherLanes(state.orders, {
      matcherCount,
      matcherOf,
      onRequest: (matcher, lane, request) => output.request(matcher, lane, request),
    });
    this.#replies = new ReplyWriter(state, (reply) => output.reply(reply));
    this.#writer = new UnitWriter(state, (event) => output.event(event));
    this.#unit = new OrderUnit(state, this.#writer);
    this.#pending = new PendingOrders(state);
    this.#admission = new Admission(state, this.best, this.#pending);
    this.#massCancels = new MassCancels(state.orders, this.#lanes, this.#replies);
    this.#fences = new Fences(this.#lanes, this.#replies);
    this.#cancels = new OrderCancels({
      state,
      lanes: this.#lanes,
      pending: this.#pending,
      unit: this.#unit,
      massCancels: this.#massCancels,
      replies: this.#replies,
    });
    this.#fills = Array.from({ length: matcherCount }, () => new FillBuffer());
  }

  /** True while every lane has a credit: any command may then be taken. */
  canAccept(): boolean {
    return this.#lanes.haveCredit();
  }

  /** Requests that matchers have not answered yet, and mass cancels not yet sent. */
  get inFlight(): number {
    return this.#lanes.inFlight + this.#massCancels.waiting;
  }

  /** Takes one command; asserts `canAccept()`. */
  handle(command: Command): void {
    assert(this.canAccept(), "a command is taken only with credit on every lane");
    this.#tellTime(command);
    if (command.kind === CommandKind.tick) return;
    if (command.deadlineUs < this.#nowUs) {
      this.#replies.answer(command, RejectReason.deadlinePassed, 0);
      return;
    }
    if (command.kind === CommandKind.placeOrder) this.#place(command);
    else if (command.kind === CommandKind.cancelOrder) this.#cancels.cancel(command);
    else if (command.kind === CommandKind.cancelAllOrders) this.#cancelAll(command);
    else if (isAccountCommand(command)) this.#decideAccount(command);
    else if (command.kind === CommandKind.fence) this.#fences.raise(command);
    else this.#replies.answer(command, RejectReason.unsupportedCombination, 0);
  }

  /**
   * Ticks come in order from one clock: one that is earlier than the last says that the clock was set
   * back. Deadlines follow it then, or everything would be late until it has caught up; the time of
   * events does not.
   */
  #tellTime({ kind, atUs }: Command): void {
    const isTick = kind === CommandKind.tick;
    this.#nowUs = isTick && atUs < this.#tickUs ? atUs : Math.max(this.#nowUs, atUs);
    if (isTick) this.#tickUs = atUs;
  }

  /** A fill of the request that the next `ended` about `takerSlot` answers. */
  filled(takerSlot: number, makerSlot: number, price: number, qty: number): void {
    const market = byteAt(this.#state.orders.market, takerSlot);
    this.#fillsOf(market).add(takerSlot, makerSlot, price, qty);
  }

  /** Spec of MatchReplySink. Clearing asks for no self-trade prevention yet. */
  reduced(..._reduction: Parameters<MatchReplySink["reduced"]>): void {
    assert(false, "no order in flight prevents self-trades");
  }

  /** Spec of MatchReplySink. Clearing places no reduce-only order yet. */
  removed(..._removal: Parameters<MatchReplySink["removed"]>): void {
    assert(false, "no order removes another");
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
    const request = this.#lanes.lane(market, lane).shift(slot);
    assert(request.generation === generation, "the answer is about this order");
    const fills = this.#fillsOf(market);
    this.best.set(market, bestBid, bestAsk);
    if (request.isPlace) this.#finishPlace(request, fills, outcome, remaining);
    else {
      assert(fills.count === 0, "a cancel trades nothing");
      this.#cancels.finish(request, market, outcome);
    }
    fills.clear();
    this.#fences.pass(request);
    this.#massCancels.pump();
  }

  #fillsOf(market: number): FillBuffer {
    return present(this.#fills[this.#lanes.matcherOf(market)], "a buffer of the matcher");
  }

  /** An account or a market that nobody knows has no orders. */
  #cancelAll(command: CancelAllOrders): void {
    const { accounts, table } = this.#state;
    const isKnown = accounts.exists(command.account) && table.markets[command.market] !== undefined;
    if (isKnown) this.#massCancels.start(command);
    else this.#replies.answer(command, RejectReason.none, 0);
  }

  #decideAccount(command: AccountCommand): void {
    const reason = decideAccountCommand(this.#state, this.#writer, command);
    const isOpened = command.kind === CommandKind.openAccount && reason === RejectReason.none;
    this.#replies.answer(command, reason, isOpened ? this.#state.accounts.next - 1 : 0);
  }

  #place(order: PlaceOrder): void {
    const reason = this.#admission.admit(order, this.#terms);
    if (reason !== RejectReason.none) {
      this.#replies.answer(order, reason, 0);
      return;
    }
    const { orders } = this.#state;
    const slot = orders.allocate();
    if (this.#terms.price === 0) {
      const orderId = this.#unit.write(
        slot,
        order,
        this.#terms,
        this.#noFills,
        CloseReason.unfilled,
      );
      this.#replies.answer(order, RejectReason.none, orderId);
      return;
    }
    const request = this.#lanes.lane(order.market, MatchLane.orders).push();
    request.slot = slot;
    request.generation = wordAt(orders.generation, slot);
    request.source = order.source;
    request.correlation = order.correlation;
    request.atUs = order.atUs;
    request.isPlace = true;
    request.mass = null;
    request.fences = null;
    copyOrder(order, request.order);
    copyTerms(this.#terms, request.terms);
    this.#pending.reserve(request);
    this.#lanes.sendPlace(request);
  }

  #finishPlace(
    request: PendingRequest,
    fills: FillBuffer,
    outcome: MatchOutcome,
    remaining: number,
  ): void {
    const { slot, order, terms } = request;
    assert(fills.count === 0 || fills.takerSlot === slot, "the fills are of this order");
    assert(fills.qty + remaining === order.qty, "what did not trade remains");
    if (outcome === MatchOutcome.wouldTake) {
      this.#pending.refuse(request);
      assert(fills.count === 0, "a refused order traded nothing");
      this.#state.orders.free(slot);
      this.#replies.answer(request, RejectReason.wouldTake, 0);
      return;
    }
    const reason = closeReasonOf(outcome, remaining);
    this.#pending.accept(request);
    const orderId = this.#unit.write(slot, order, terms, fills, reason);
    this.#replies.answer(request, RejectReason.none, orderId);
  }
}
