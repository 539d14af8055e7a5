// The clearing engine: takes commands and matcher replies one at a time, decides, and gives out
// matcher requests, events and replies. It is the single writer of balances, positions, orders and
// seq. It knows no clock: time is what commands carry.
//
//   command ──admit──▶ reserve (volatile) ──▶ matcher … reply ──▶ write the unit, answer
//
// The caller gives it a command only while `canAccept()` holds, and matcher replies first.

import { assert, present, unreachable } from "../../core/assert.ts";
import { byteAt, wordAt } from "../../core/cells.ts";
import {
  type CancelAllOrders,
  type Command,
  CommandKind,
  type PlaceOrder,
  type Tick,
} from "../../core/commands.ts";
import type { VenueEvent } from "../../core/events.ts";
import {
  MatchLane,
  MatchOutcome,
  type MatchReplySink,
  type MatchRequest,
  type RemovalReason,
} from "../../core/match-messages.ts";
import { CloseReason, isConditional, WorkingPrice } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { Reply } from "../../core/replies.ts";
import { type AccountCommand, decideAccountCommand } from "./account-commands.ts";
import { Standings } from "./account-standing.ts";
import { Admission } from "./admission.ts";
import { BestPrices } from "./best-prices.ts";
import { ConditionalOrders } from "./conditional-orders.ts";
import { Deadlines } from "./deadlines.ts";
import { Fences } from "./fences.ts";
import { FillBuffer } from "./fill-buffer.ts";
import { Funding } from "./funding.ts";
import { KeyedRequests } from "./keyed-requests.ts";
import { rescalePending } from "./leverage-change.ts";
import { LeverageTiers } from "./leverage-tiers.ts";
import { Liquidations } from "./liquidations.ts";
import { MarketClosings } from "./market-closings.ts";
import { Marks } from "./marks.ts";
import { MassCancels } from "./mass-cancels.ts";
import { MatcherLanes } from "./matcher-lanes.ts";
import { OrderAmends } from "./order-amends.ts";
import { OrderCancels } from "./order-cancels.ts";
import { emptyTerms, type OrderTerms } from "./order-terms.ts";
import { closeReasonOf, OrderUnit } from "./order-unit.ts";
import { PendingOrders } from "./pending-orders.ts";
import { PerpetualTerms } from "./perpetual-terms.ts";
import { Protections } from "./protections.ts";
import { ReplyWriter } from "./reply-writer.ts";
import { copyOrder, copyTerms, type PendingRequest, RequestKind } from "./request-lane.ts";
import { RewardDecisions } from "./reward-decisions.ts";
import { RiskScan } from "./risk-scan.ts";
import { decideSessionCommand, type SessionCommand } from "./session-commands.ts";
import { StrandedOrders } from "./stranded-orders.ts";
import { UncoveredOrders } from "./uncovered-orders.ts";
import { UnitWriter } from "./unit-writer.ts";
import type { VenueState } from "./venue-state.ts";

/** Where clearing's decisions go. None of the three may keep what it is given. */
export interface ClearingOutput {
  request(matcher: number, lane: MatchLane, request: MatchRequest): void;
  event(event: VenueEvent): void;
  reply(reply: Reply): void;
}

/** What a clearing engine is made of. */
export interface ClearingParts {
  readonly state: VenueState;
  readonly output: ClearingOutput;
  readonly matcherCount: number;
  /** Which of the matchers owns a market. */
  readonly matcherOf: (market: number) => number;
  /** Microseconds between computed marks. */
  readonly markIntervalUs: number;
  /** Microseconds between funding settlements. */
  readonly fundingIntervalUs: number;
  /** Microseconds between accruals of commission. */
  readonly rewardIntervalUs: number;
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
  readonly #keyed: KeyedRequests;
  readonly #massCancels: MassCancels;
  readonly #cancels: OrderCancels;
  readonly #amends: OrderAmends;
  readonly #conditional: ConditionalOrders;
  readonly #protections: Protections;
  readonly #deadlines: Deadlines;
  readonly #closings: MarketClosings;
  readonly #stranded: StrandedOrders;
  readonly #uncovered: UncoveredOrders;
  readonly #marks: Marks;
  readonly #funding: Funding;
  readonly #rewards: RewardDecisions;
  readonly #liquidations: Liquidations;
  readonly #fences: Fences;
  /** By matcher: replies of two matchers may come interleaved. */
  readonly #fills: readonly FillBuffer[];
  readonly #noFills = new FillBuffer();
  readonly #terms: OrderTerms = emptyTerms();
  /** What deadlines are held against. */
  #nowUs: number;
  #tickUs: number;
  #hasTicked = false;

  constructor(parts: ClearingParts) {
    const { state, output, matcherCount, matcherOf } = parts;
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
    const standings = new Standings(state);
    const scan = new RiskScan(state, standings);
    this.#writer = new UnitWriter(state, (event) => output.event(event), scan);
    this.#unit = new OrderUnit(state, this.#writer, (event) => {
      this.#conditional.observe(event.market, WorkingPrice.last, event.price);
      this.#stranded.traded(event);
    });
    this.#pending = new PendingOrders(state);
    const perpetual = new PerpetualTerms(state, this.#pending);
    const { best } = this;
    const laneOf = (market: number) => this.#lanes.lane(market, MatchLane.orders);
    const tiers = new LeverageTiers(state.table);
    const pending = this.#pending;
    this.#admission = new Admission({ state, best, pending, perpetual, laneOf, tiers });
    const shared = {
      state,
      best,
      perpetual,
      orders: state.orders,
      lanes: this.#lanes,
      replies: this.#replies,
      writer: this.#writer,
      unit: this.#unit,
      pending: this.#pending,
      admission: this.#admission,
    };
    this.#keyed = new KeyedRequests(shared);
    this.#massCancels = new MassCancels(shared);
    this.#fences = new Fences(this.#lanes, this.#replies);
    this.#cancels = new OrderCancels({ ...shared, massCancels: this.#massCancels });
    this.#amends = new OrderAmends(shared);
    this.#conditional = new ConditionalOrders(shared);
    this.#deadlines = new Deadlines({ ...shared, massCancels: this.#massCancels });
    this.#closings = new MarketClosings(state, this.#massCancels);
    this.#stranded = new StrandedOrders(state, this.#massCancels);
    this.#uncovered = new UncoveredOrders({ ...shared, massCancels: this.#massCancels });
    const onWaiting = (market: number, id: number) => this.#closings.rested(market, id);
    this.#protections = new Protections({ ...shared, conditional: this.#conditional, onWaiting });
    this.#marks = new Marks({
      ...shared,
      intervalUs: parts.markIntervalUs,
      onMark: (market, mark) => this.#conditional.observe(market, WorkingPrice.mark, mark),
    });
    this.#liquidations = new Liquidations({
      ...shared,
      massCancels: this.#massCancels,
      stranded: this.#stranded,
      standings,
      scan,
      intervalUs: parts.markIntervalUs,
    });
    this.#funding = new Funding({ ...shared, intervalUs: parts.fundingIntervalUs });
    const replies = this.#replies;
    this.#rewards = new RewardDecisions({ ...shared, replies, intervalUs: parts.rewardIntervalUs });
    this.#fills = Array.from({ length: matcherCount }, () => new FillBuffer());
  }

  /** True while every lane has a credit, and no position waits to move: any command may then be taken. */
  canAccept(): boolean {
    return this.#lanes.haveCredit() && !this.#isPausing();
  }

  /** Positions move only when every request has been answered. */
  #isPausing(): boolean {
    return this.#liquidations.needsPause && this.#lanes.inFlight > 0;
  }

  /** Requests that matchers have not answered yet, and what is to be asked of them still. */
  get inFlight(): number {
    const paused = this.#liquidations.needsPause ? 1 : 0;
    const own = this.#conditional.due + this.#closings.waiting + this.#stranded.waiting + paused;
    return this.#lanes.inFlight + this.#massCancels.waiting + own;
  }

  /** Takes one command; asserts `canAccept()`. */
  handle(command: Command): void {
    assert(this.canAccept(), "a command is taken only with credit on every lane");
    this.#tellTime(command);
    if (command.kind === CommandKind.tick) this.#tick(command.atUs);
    else if (command.deadlineUs < this.#nowUs) {
      this.#replies.answer(command, RejectReason.deadlinePassed, 0);
    } else this.#decide(command);
    this.#pump();
  }

  #decide(command: Exclude<Command, Tick>): void {
    switch (command.kind) {
      case CommandKind.placeOrder:
        this.#place(command);
        break;
      case CommandKind.cancelOrder:
        this.#cancels.cancel(command);
        break;
      case CommandKind.cancelAllOrders:
        this.#cancelAll(command);
        break;
      case CommandKind.amendOrder:
        this.#amends.amend(command);
        break;
      case CommandKind.setCountdown:
        this.#replies.answer(command, this.#deadlines.setCountdown(command), 0);
        break;
      case CommandKind.fence:
        this.#fences.raise(command);
        break;
      case CommandKind.settleFunding:
        this.#replies.answer(command, RejectReason.none, this.#funding.settleNow(command.atUs));
        break;
      case CommandKind.setReferrer:
      case CommandKind.claimReward:
        this.#rewards.decide(command);
        break;
      case CommandKind.openSession:
      case CommandKind.closeSession:
      case CommandKind.setSessionKey:
        this.#decideSession(command);
        break;
      default:
        this.#decideAccount(command);
        break;
    }
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

  /** What time alone brings. The first tick also looks for triggers that a crash cut off. */
  #tick(atUs: number): void {
    if (!this.#hasTicked) this.#conditional.observeLast();
    this.#hasTicked = true;
    const isMarked = this.#marks.tick(atUs);
    this.#funding.tick(atUs);
    this.#rewards.tick(atUs);
    this.#deadlines.tick(this.#nowUs);
    this.#liquidations.tick(atUs, isMarked);
    if (isMarked) this.#uncovered.look(this.#nowUs);
  }

  /** Goes on with what the venue itself has under way. */
  #pump(): void {
    this.#massCancels.pump();
    this.#liquidations.pump(this.#nowUs);
    if (this.#isPausing()) return;
    this.#protections.pump(this.#nowUs);
    this.#conditional.pump(this.#nowUs);
    this.#closings.pump(this.#nowUs);
    this.#stranded.pump(this.#nowUs);
  }

  /** A fill of the request that the next `ended` about `takerSlot` answers. */
  filled(takerSlot: number, makerSlot: number, price: number, qty: number): void {
    this.#fillsAbout(takerSlot).add(takerSlot, makerSlot, price, qty);
  }

  /** Lots that the order of the request and a resting one lost to each other. */
  reduced(takerSlot: number, makerSlot: number, qty: number): void {
    this.#fillsAbout(takerSlot).reduce(takerSlot, makerSlot, qty);
  }

  /** A resting order that left its book because the order of the request met it. */
  removed(takerSlot: number, makerSlot: number, reason: RemovalReason, remaining: number): void {
    this.#fillsAbout(takerSlot).remove(takerSlot, makerSlot, reason, remaining);
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
    assert(fills.count === 0 || fills.takerSlot === slot, "the fills are of this order");
    this.best.set(market, bestBid, bestAsk);
    this.#finish(request, market, fills, outcome, remaining);
    fills.clear();
    this.#fences.pass(request);
    this.#pump();
  }

  #finish(
    request: PendingRequest,
    market: number,
    fills: FillBuffer,
    outcome: MatchOutcome,
    remaining: number,
  ): void {
    switch (request.kind) {
      case RequestKind.place:
        this.#finishPlace(request, fills, outcome, remaining);
        break;
      case RequestKind.trigger:
        this.#conditional.finish(request, fills, outcome, remaining);
        break;
      case RequestKind.amend:
        this.#amends.finish(request, fills, outcome, remaining);
        return;
      case RequestKind.cancel:
        assert(fills.count === 0, "a cancel trades nothing");
        this.#cancels.finish(request, market, outcome);
        return;
      case RequestKind.liquidate:
        this.#liquidations.finish(request, fills, outcome, remaining);
        return;
      case RequestKind.adjust:
        assert(outcome === MatchOutcome.adjusted, "a matcher adjusts what it is told");
        return;
      default:
        unreachable(request.kind);
    }
    if (outcome === MatchOutcome.rested) this.#closings.rested(market, request.orderId);
  }

  #fillsAbout(takerSlot: number): FillBuffer {
    return this.#fillsOf(byteAt(this.#state.orders.market, takerSlot));
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

  #decideSession(command: SessionCommand): void {
    const reason = decideSessionCommand(this.#state, this.#writer, command);
    if (reason === RejectReason.none && command.kind === CommandKind.openSession) {
      this.#deadlines.watchSession(command.sessionId, command.expiresUs);
    }
    this.#replies.answer(command, reason, 0);
  }

  #decideAccount(command: AccountCommand): void {
    const key = command.kind === CommandKind.transfer ? command.key : null;
    if (key !== null && this.#keyed.answers(command, key)) return;
    const laneOf = (market: number) => this.#lanes.lane(market, MatchLane.orders);
    const orders = { laneOf, admission: this.#admission };
    const reason = decideAccountCommand(this.#state, this.#writer, command, orders);
    const isDone = reason === RejectReason.none;
    if (isDone && command.kind === CommandKind.setLeverage) {
      const market = this.#state.table.market(command.market);
      rescalePending(this.#state, laneOf(market.id), command.account, market);
    }
    if (isDone && command.kind === CommandKind.setMarketStatus) {
      this.#closings.close(command.market);
    }
    this.#replies.answer(command, reason, isDone ? this.#subjectOf(command) : 0);
  }

  /** What came of a command that was done: the account it opened, or the seq of its transfer. */
  #subjectOf(command: AccountCommand): number {
    const { accounts, seq } = this.#state;
    if (command.kind === CommandKind.openAccount) return accounts.next - 1;
    if (command.kind !== CommandKind.transfer) return 0;
    return command.key === null ? seq : seq - 1;
  }

  #place(order: PlaceOrder): void {
    const key = order.attached?.key ?? null;
    if (key !== null && this.#keyed.answers(order, key)) return;
    const reason = this.#admission.admit(order, this.#terms);
    if (reason !== RejectReason.none) {
      this.#replies.answer(order, reason, 0);
      return;
    }
    const { orders } = this.#state;
    const slot = orders.allocate();
    if (isConditional(order.type)) {
      this.#answerAtOnce(slot, order, null);
      return;
    }
    if (this.#terms.price === 0) {
      this.#answerAtOnce(slot, order, CloseReason.unfilled);
      return;
    }
    const request = this.#lanes.lane(order.market, MatchLane.orders).push();
    request.slot = slot;
    request.generation = wordAt(orders.generation, slot);
    request.source = order.source;
    request.correlation = order.correlation;
    request.atUs = order.atUs;
    request.kind = RequestKind.place;
    request.mass = null;
    request.fences = null;
    copyOrder(order, request.order);
    request.order.qty = this.#terms.qty;
    copyTerms(this.#terms, request.terms);
    this.#pending.reserve(request);
    this.#lanes.sendPlace(request);
  }

  /** Writes the unit of an order that no matcher is asked about. */
  #answerAtOnce(slot: number, order: PlaceOrder, reason: CloseReason | null): void {
    const orderId = this.#write(slot, order, this.#terms, this.#noFills, reason);
    if (reason === null) {
      this.#conditional.wait(slot);
      this.#deadlines.watchOrder(slot);
    }
    this.#replies.answer(order, RejectReason.none, orderId);
  }

  /** Writes the unit of a new order, and rescales what other orders hold if it brought its leverage. */
  #write(
    slot: number,
    order: PlaceOrder,
    terms: OrderTerms,
    fills: FillBuffer,
    reason: CloseReason | null,
  ): number {
    const orderId = this.#unit.write(slot, order, terms, fills, reason);
    this.#protections.settle(order.account, order.market, order.atUs);
    if ((order.attached?.leverage ?? 0) > 0) {
      const lane = this.#lanes.lane(order.market, MatchLane.orders);
      const market = this.#state.table.market(order.market);
      rescalePending(this.#state, lane, order.account, market);
    }
    return orderId;
  }

  #finishPlace(
    request: PendingRequest,
    fills: FillBuffer,
    outcome: MatchOutcome,
    remaining: number,
  ): void {
    const { slot, order, terms } = request;
    assert(fills.qty + remaining === order.qty, "what did not trade remains");
    if (outcome === MatchOutcome.wouldTake) {
      this.#pending.refuse(request);
      assert(fills.count === 0, "a refused order traded nothing");
      this.#state.orders.free(slot);
      this.#replies.answer(request, RejectReason.wouldTake, 0);
      return;
    }
    this.#pending.accept(request);
    let reason = closeReasonOf(outcome, remaining);
    if (outcome === MatchOutcome.budgetSpent && fills.qty > 0) {
      // An order by amount is filled when the amount is spent; what it bought is its quantity.
      order.qty = fills.qty;
      reason = null;
    }
    const orderId = this.#write(slot, order, terms, fills, reason);
    request.orderId = orderId;
    if (outcome === MatchOutcome.rested) this.#deadlines.watchOrder(slot);
    this.#replies.answer(request, RejectReason.none, orderId);
  }
}
