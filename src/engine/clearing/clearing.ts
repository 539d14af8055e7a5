// The clearing engine: takes commands and matcher replies one at a time, decides, and emits matcher requests,
// events and replies. It is the single writer of balances, positions, orders and seq. It reads no clock: time
// arrives in commands.
//
//   command ──admit──▶ reserve (volatile) ──▶ matcher … reply ──▶ write the transaction, answer
//
// The caller passes a command only while `canAccept()` holds, and passes waiting matcher replies first.

import { assert, byteAt, present, unreachable } from "../../core/assert.ts";
import {
  type Command,
  CommandKind,
  type EdgeTime,
  type Tick,
} from "../../core/generated/commands.ts";
import type { MatchReplySink, MatchRequest } from "../../core/generated/messages.ts";
import { MarketStatus } from "../../core/markets.ts";
import { MatchLane, MatchOutcome, type RemovalReason } from "../../core/match-messages.ts";
import { WorkingPrice } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { LeverageTiers } from "../risk/leverage-tiers.ts";
import { MarginStatuses } from "../risk/margin-status.ts";
import type { VenueState } from "../state/venue-state.ts";
import { AccountDecisions } from "./accounts/account-decisions.ts";
import { RewardDecisions } from "./accounts/reward-decisions.ts";
import { ConnectedOrders } from "./connections/connected-orders.ts";
import { BestPrices, MatcherLanes } from "./matchers/matcher-lanes.ts";
import { FillBuffer, type PendingRequest, RequestKind } from "./matchers/request-lane.ts";
import { Admission } from "./orders/admission.ts";
import { ConditionalOrders } from "./orders/conditional-orders.ts";
import { Deadlines } from "./orders/deadlines.ts";
import { KeyedRequests } from "./orders/keyed-requests.ts";
import { ListPlacement } from "./orders/list-placement.ts";
import { MakerGroupCancels } from "./orders/maker-group-cancels.ts";
import { MarketHaltCancels } from "./orders/market-halt-cancels.ts";
import { MassCancels } from "./orders/mass-cancels.ts";
import { MassQuotes } from "./orders/mass-quotes.ts";
import { OrderAmends } from "./orders/order-amends.ts";
import { OrderCancels } from "./orders/order-cancels.ts";
import { OrderPlacement } from "./orders/order-placement.ts";
import { OrderTransaction } from "./orders/order-transaction.ts";
import { OrphanedReduceOnlyOrders } from "./orders/orphaned-orders.ts";
import { PendingOrders } from "./orders/pending-orders.ts";
import { UnderMarginedOrders } from "./orders/under-margined-orders.ts";
import { Funding } from "./perpetuals/funding.ts";
import { Liquidations } from "./perpetuals/liquidations.ts";
import { MarginFloor } from "./perpetuals/margin-floor.ts";
import { Marks } from "./perpetuals/marks.ts";
import { OpenInterest } from "./perpetuals/open-interest.ts";
import { PerpetualTerms } from "./perpetuals/perpetual-terms.ts";
import { RiskScan } from "./perpetuals/risk-scan.ts";
import { TpSlOrders } from "./perpetuals/tp-sl-orders.ts";
import { ResentCommands } from "./transactions/resent-commands.ts";
import {
  ClearingTime,
  type TransactionOutput,
  TransactionWriter,
} from "./transactions/transaction-writer.ts";

const { placeOrder, placeList, amendOrder, massQuote, endConnection, signOfLife } = CommandKind;
const { barrier, edgeTime, tick } = CommandKind;

/** A lost connection is lost, however late clearing hears of it, and a sign of life gets no reply. */
const timelessKinds: ReadonlySet<CommandKind> = new Set([endConnection, signOfLife]);

/** Commands that place orders or change their terms. */
const orderKinds: ReadonlySet<number> = new Set([placeOrder, placeList, amendOrder, massQuote]);

/**
 * Receives clearing's decisions. Implementations must not keep what they receive, except a request until it
 * is answered.
 */
export interface ClearingOutput extends TransactionOutput {
  request(matcher: number, lane: MatchLane, request: MatchRequest): void;
}

export interface ClearingParts {
  readonly state: VenueState;
  readonly output: ClearingOutput;
  readonly matcherCount: number;
  /** Returns the index of the matcher that owns a market. */
  readonly matcherOf: (market: number) => number;
  /** Microseconds between computed marks. */
  readonly markIntervalUs: number;
  /** Whether perpetuals accept positions before they have had an index. */
  readonly opensWithoutIndex: boolean;
  /** Microseconds between funding settlements. */
  readonly fundingIntervalUs: number;
  /** Microseconds between accruals of commission. */
  readonly rewardIntervalUs: number;
}

export class Clearing implements MatchReplySink {
  readonly best: BestPrices;
  readonly #state: VenueState;
  readonly #lanes: MatcherLanes;
  readonly #writer: TransactionWriter;
  readonly #resent: ResentCommands;
  readonly #massCancels: MassCancels;
  readonly #cancels: OrderCancels;
  readonly #amends: OrderAmends;
  readonly #massQuotes: MassQuotes;
  readonly #conditional: ConditionalOrders;
  readonly #tpSl: TpSlOrders;
  readonly #placement: OrderPlacement;
  readonly #accountDecisions: AccountDecisions;
  readonly #deadlines: Deadlines;
  readonly #haltCancels: MarketHaltCancels;
  readonly #connected: ConnectedOrders;
  readonly #orphaned: OrphanedReduceOnlyOrders;
  readonly #groupCancels: MakerGroupCancels;
  readonly #underMargined: UnderMarginedOrders;
  readonly #marks: Marks;
  readonly #funding: Funding;
  readonly #rewards: RewardDecisions;
  readonly #liquidations: Liquidations;
  /** One buffer per matcher, because replies of two matchers may interleave. */
  readonly #fills: readonly FillBuffer[];
  readonly #time: ClearingTime;
  #hasTicked = false;
  #quietUntilUs = 0;

  constructor(parts: ClearingParts) {
    const { state, output, matcherCount, matcherOf, opensWithoutIndex } = parts;
    assert(state.clientIds !== null, "the state of clearing must have an index of client ids");
    this.#state = state;
    this.best = new BestPrices(state.table.markets.length);
    this.best.derive(state.orders);
    this.#time = new ClearingTime(state.tsUs);
    this.#lanes = new MatcherLanes(state, {
      matcherCount,
      matcherOf,
      onRequest: (matcher, lane, request) => output.request(matcher, lane, request),
      onBarrier: (requester) => this.#writer.answer(requester, RejectReason.none, 0),
    });
    const marginStatuses = new MarginStatuses(state);
    const scan = new RiskScan(state, marginStatuses);
    const writer = new TransactionWriter(state, output, scan);
    this.#writer = writer;
    this.#resent = new ResentCommands({ state, writer });
    const orderTransaction = new OrderTransaction(state, writer, (event) => {
      this.#conditional.traded(event);
      this.#orphaned.traded(event);
      this.#groupCancels.traded(event);
    });
    const pending = new PendingOrders(state);
    const { best } = this;
    const laneOf = (market: number) => this.#lanes.lane(market, MatchLane.orders);
    const floor = new MarginFloor(state, laneOf);
    const perpetual = new PerpetualTerms(state, pending, floor);
    const tiers = new LeverageTiers(state.table);
    const interest = new OpenInterest(state, pending, !opensWithoutIndex);
    const inputs = { state, best, pending, perpetual, laneOf, tiers, floor, opensWithoutIndex };
    const admission = new Admission({ ...inputs, interest });
    const terms = { state, best, perpetual, pending, floor, admission };
    const shared = { ...terms, orders: state.orders, lanes: this.#lanes, writer, orderTransaction };
    const massCancels = new MassCancels(shared);
    const cancelling = { ...shared, massCancels };
    this.#massCancels = massCancels;
    this.#connected = new ConnectedOrders(cancelling);
    const guarded = { ...shared, connected: this.#connected };
    this.#amends = new OrderAmends(guarded);
    this.#cancels = new OrderCancels({ ...cancelling, amends: this.#amends });
    const onRested = (market: number, orderId: number) => this.#rested(market, orderId);
    this.#massQuotes = new MassQuotes({ ...guarded, amends: this.#amends, onRested });
    const conditional = new ConditionalOrders(cancelling);
    const deadlines = new Deadlines(cancelling);
    const haltCancels = new MarketHaltCancels(state, massCancels);
    const orphaned = new OrphanedReduceOnlyOrders(state, massCancels);
    this.#conditional = conditional;
    this.#deadlines = deadlines;
    this.#haltCancels = haltCancels;
    this.#orphaned = orphaned;
    this.#groupCancels = new MakerGroupCancels(state, massCancels);
    this.#underMargined = new UnderMarginedOrders(cancelling);
    this.#tpSl = new TpSlOrders({ ...shared, conditional, onWaiting: onRested });
    const following = { ...guarded, keyed: new KeyedRequests(shared), deadlines, haltCancels };
    const lists = new ListPlacement({ ...guarded, conditional });
    this.#placement = new OrderPlacement({ ...following, conditional, tpSl: this.#tpSl, lists });
    this.#accountDecisions = new AccountDecisions(following);
    const { mark: onMarks } = WorkingPrice;
    const onMark = (market: number, mark: number) => conditional.observe(market, onMarks, mark);
    this.#marks = new Marks({ ...shared, interest, intervalUs: parts.markIntervalUs, onMark });
    const risk = { ...cancelling, orphaned, marginStatuses, scan };
    this.#liquidations = new Liquidations({ ...risk, intervalUs: parts.markIntervalUs });
    this.#funding = new Funding({ ...shared, intervalUs: parts.fundingIntervalUs });
    this.#rewards = new RewardDecisions({ ...shared, intervalUs: parts.rewardIntervalUs });
    this.#fills = Array.from({ length: matcherCount }, () => new FillBuffer());
  }

  /**
   * Cancels the orders of groups that a fill before the start has triggered. Called once, before the first command, when
   * requests can be sent. Returns whether there were any.
   */
  resume(): boolean {
    const isNeeded = this.#groupCancels.waiting > 0;
    this.#groupCancels.pump(this.#time.nowUs);
    return isNeeded;
  }

  /**
   * True while any command may be passed: every lane has a credit for another request, and clearing is not waiting for
   * answers before it moves positions, nor cancelling the orders of connections that were lost before it began.
   */
  canAccept(): boolean {
    return this.#lanes.haveCredit() && !this.#isPausing() && !this.#connected.isBeginning;
  }

  /** Ends the order connections of the fronts before this leader. Called once, before any command. Spec COD-10. */
  begin(): void {
    this.#connected.begin();
  }

  /** True while positions must move but cannot yet, because requests are in flight. */
  #isPausing(): boolean {
    const { mayHaveWork } = this.#writer;
    return mayHaveWork && this.#liquidations.needsPause && this.#lanes.inFlight > 0;
  }

  /** Requests in flight plus requests still to be sent, plus one if positions must move. */
  get inFlight(): number {
    const paused = this.#liquidations.needsPause ? 1 : 0;
    const own = this.#conditional.due + this.#haltCancels.waiting + this.#orphaned.waiting + paused;
    return this.#lanes.inFlight + this.#massCancels.waiting + this.#connected.waiting + own;
  }

  /**
   * Handles one command; asserts `canAccept()`. An order command is kept until its matcher answers, so the
   * caller must not change it.
   */
  handle(command: Command): void {
    assert(this.canAccept(), "no command may come before every lane has credit and no move waits");
    this.#time.tell(command);
    const { source, correlation, identity = null } = command;
    if (command.kind === edgeTime) return;
    if (command.kind === tick) this.#tick(command.deadlineUs);
    // Without its identity: the same command is decided when it is sent again.
    else if (this.#connected.isAwaiting && orderKinds.has(command.kind))
      this.#writer.answer({ source, correlation }, RejectReason.stopping, 0);
    // A command that was executed before gets its answer even past its deadline.
    else if (identity === null || !this.#resent.handles(command, identity)) this.#admit(command);
    this.#pump();
    if (command.kind === tick) this.#quietUntilUs = this.#nextTimedUs(command.deadlineUs);
    else if (command.kind !== barrier) this.#quietUntilUs = 0;
  }

  /**
   * The venue's time in µs before which a tick has no effect, as long as no command and no matcher's answer arrives; 0
   * if the next tick may have an effect.
   */
  get quietUntilUs(): number {
    return this.#quietUntilUs;
  }

  /** The earliest time at which a tick may have an effect. */
  #nextTimedUs(dutyUs: number): number {
    const isBusy = this.inFlight > 0 || this.#tpSl.waiting > 0 || this.#tpSl.hasBlocked;
    if (isBusy || this.#state.liquidations.count > 0) return 0;
    const calendarUs = Math.min(this.#time.nowUs, dutyUs);
    // Ticks come often enough for what follows the edge's time, whose pace is not the market's.
    const edgeNextUs = Math.min(this.#deadlines.nextEdgeUs, this.#connected.nextUs);
    return Math.min(
      this.#marks.nextUs,
      this.#deadlines.nextUs,
      this.#time.isTwofold ? Number.POSITIVE_INFINITY : edgeNextUs,
      this.#funding.nextUs(calendarUs),
      this.#rewards.nextUs(calendarUs),
    );
  }

  #admit(command: Exclude<Command, Tick | EdgeTime>): void {
    const isLate =
      command.deadlineUs < this.#time.edgeUs &&
      !timelessKinds.has(command.kind) &&
      !this.#resent.isBegun(command.identity);
    if (isLate) this.#writer.answer(command, RejectReason.deadlinePassed, 0);
    else this.#decide(command);
  }

  #decide(command: Exclude<Command, Tick | EdgeTime>): void {
    switch (command.kind) {
      case CommandKind.placeOrder:
      case CommandKind.placeList:
        this.#placement.place(command);
        break;
      case CommandKind.cancelOrder:
        this.#cancels.cancel(command);
        break;
      case CommandKind.cancelAllOrders:
      case CommandKind.cancelOrders:
        this.#writer.mayHaveWork = true;
        this.#massCancels.start(command);
        break;
      case CommandKind.amendOrder:
        this.#amends.amend(command);
        break;
      case CommandKind.massQuote:
        this.#massQuotes.quote(command);
        break;
      case CommandKind.setCountdown:
        this.#writer.answer(command, this.#deadlines.setCountdown(command), 0);
        break;
      case CommandKind.barrier:
        this.#lanes.barrier(command);
        break;
      case CommandKind.settleFunding:
        this.#writer.answer(command, RejectReason.none, this.#funding.settleNow(command));
        break;
      case CommandKind.openConnection:
        this.#connected.open(command);
        break;
      case CommandKind.endConnection:
        this.#connected.end(command);
        break;
      case CommandKind.signOfLife:
        this.#connected.hear(command);
        break;
      case CommandKind.setReferrer:
      case CommandKind.claimReward:
        this.#rewards.decide(command);
        break;
      default:
        this.#accountDecisions.decide(command);
        break;
    }
  }

  /**
   * Does time-driven work at the venue's time, which may be later than the tick if the tick was queued. Funding and
   * rewards, which are due by the calendar, use no time later than `dutyUs`. The first tick also fires
   * triggers that a crash interrupted.
   */
  #tick(dutyUs: number): void {
    const { nowUs, edgeUs } = this.#time;
    this.#writer.mayHaveWork = true;
    if (!this.#hasTicked) this.#conditional.observeLast();
    this.#hasTicked = true;
    const isMarked = this.#marks.tick(nowUs);
    const calendarUs = Math.min(nowUs, dutyUs);
    this.#funding.tick(calendarUs);
    this.#rewards.tick(calendarUs);
    this.#deadlines.tick(nowUs, edgeUs);
    this.#connected.tick(nowUs, edgeUs);
    this.#liquidations.tick(nowUs, isMarked);
    this.#tpSl.tick();
    if (isMarked) this.#underMargined.look(nowUs);
  }

  /**
   * Continues the venue's own work (triggers, cancels, position moves). An order that only rests creates no such work,
   * unless its market closed meanwhile.
   */
  #pump(): void {
    if (!this.#writer.mayHaveWork) return;
    if (this.#isIdle()) {
      this.#writer.mayHaveWork = false;
      return;
    }
    this.#massCancels.pump();
    this.#groupCancels.pump(this.#time.nowUs);
    // Lost orders are cancelled first. Those that may be lost are still on the books: nothing may trade with them (COD-14).
    this.#connected.pump(this.#time.nowUs);
    const { isAwaiting } = this.#connected;
    if (!isAwaiting) this.#liquidations.pump(this.#time.nowUs);
    if (this.#isPausing()) return;
    if (!isAwaiting) this.#tpSl.pump(this.#time.nowUs);
    if (!isAwaiting) this.#conditional.pump(this.#time.nowUs);
    this.#haltCancels.pump(this.#time.nowUs);
    this.#orphaned.pump(this.#time.nowUs);
  }

  /** Whether `#pump` has nothing to do. */
  #isIdle(): boolean {
    return (
      this.#massCancels.waiting === 0 &&
      this.#groupCancels.waiting === 0 &&
      !this.#liquidations.needsPause &&
      this.#tpSl.waiting === 0 &&
      this.#conditional.due === 0 &&
      this.#haltCancels.waiting === 0 &&
      this.#connected.waiting === 0 &&
      this.#orphaned.waiting === 0
    );
  }

  /** A fill of the order in `takerSlot`. The next `ended` for this slot completes the request that caused the fill. */
  filled(takerSlot: number, makerSlot: number, price: number, qty: number): void {
    this.#fillsAbout(takerSlot).filled(takerSlot, makerSlot, price, qty);
  }

  /** Self-trade prevention: the incoming and a resting order both lose these lots. */
  reduced(takerSlot: number, makerSlot: number, qty: number): void {
    this.#fillsAbout(takerSlot).reduced(takerSlot, makerSlot, qty);
  }

  /** The sweep of the incoming order removed a resting order from its book. */
  removed(takerSlot: number, makerSlot: number, reason: RemovalReason, remaining: number): void {
    this.#fillsAbout(takerSlot).removed(takerSlot, makerSlot, reason, remaining);
  }

  /** The incoming order ends at a resting order of its own account, which stays unchanged. */
  met(takerSlot: number, makerSlot: number): void {
    this.#fillsAbout(takerSlot).met(takerSlot, makerSlot);
  }

  /** A matcher's final answer to a request: writes the transaction and replies. */
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
    const requests = this.#lanes.lane(market, lane);
    const request = requests.answered(slot);
    assert(request.generation === generation, "the answer must be for the order in the slot");
    const fills = this.#fillsOf(market);
    assert(fills.count === 0 || fills.takerSlot === slot, "the fills must belong to this order");
    this.#quietUntilUs = 0;
    if (request.batch === null && !this.#lanes.lane(market, MatchLane.orders).isHolding) {
      this.best.set(market, bestBid, bestAsk);
      requests.shift(slot);
      this.#finish(request, market, fills, outcome, remaining);
      fills.clear();
      if (request.barriers !== null) this.#lanes.pass(request.barriers);
    } else {
      assert(fills.count === 0, "neither a quote nor a cancel may trade");
      requests.hold(request, { outcome, remaining, bestBid, bestAsk });
      if (request.batch?.waiting === 0) this.#finishHeld(market);
    }
    this.#pump();
  }

  /** Finishes the cancels that a matcher has answered between the requests of a mass quote, then the quote. */
  #finishHeld(market: number): void {
    const quotes = this.#lanes.lane(market, MatchLane.orders).takeHeld();
    const cancels = this.#lanes.lane(market, MatchLane.cancels).takeHeld();
    const held = [...cancels, ...quotes];
    for (const { matchRequest, bestBid, bestAsk } of held)
      this.best.set(matchRequest.market, bestBid, bestAsk);
    const fills = this.#fillsOf(market);
    for (const cancel of cancels)
      this.#finish(cancel, cancel.matchRequest.market, fills, cancel.outcome, cancel.remaining);
    this.#massQuotes.finish(quotes);
    for (const { barriers } of held) if (barriers !== null) this.#lanes.pass(barriers);
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
        this.#placement.finish(request, fills, outcome, remaining);
        break;
      case RequestKind.readLevel:
      case RequestKind.trigger:
        this.#conditional.finish(request, fills, outcome, remaining);
        break;
      case RequestKind.amend:
        this.#amends.finish(request, fills, outcome, remaining);
        return;
      case RequestKind.cancel:
        assert(fills.count === 0, "a cancel must not have fills");
        this.#cancels.finish(request, market, outcome);
        return;
      case RequestKind.liquidate:
        this.#liquidations.finish(request, fills, outcome, remaining);
        return;
      case RequestKind.adjust:
        assert(outcome === MatchOutcome.adjusted, "a matcher must apply every position adjustment");
        return;
      default:
        unreachable(request.kind);
    }
    if (outcome === MatchOutcome.rested) this.#rested(market, request.orderId);
  }

  /** Called when an order starts to rest on its book; queues its cancel if the market stopped trading meanwhile. */
  #rested(market: number, orderId: number): void {
    if (this.#state.marketStatus[market] === MarketStatus.trading) return;
    this.#writer.mayHaveWork = true;
    this.#haltCancels.add(orderId);
  }

  #fillsAbout(takerSlot: number): FillBuffer {
    return this.#fillsOf(byteAt(this.#state.orders.market, takerSlot));
  }

  #fillsOf(market: number): FillBuffer {
    return present(this.#fills[this.#lanes.matcherOf(market)], "the matcher must have a buffer");
  }
}
