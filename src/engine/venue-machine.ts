// The whole venue on one thread: clearing and all matchers, without rings. The simulator runs it, and tests compare
// the threaded venue with it: given the same commands and the same order of answers, both must reach the same state
// hash.
//
// `handle` answers each command completely; `take` and `answerNext` let a caller choose the order in which matchers
// answer, as threads would.

import { assert, present } from "../core/assert.ts";
import { type Command, CommandKind } from "../core/generated/commands.ts";
import type { VenueEvent } from "../core/generated/events.ts";
import {
  emptyMatchRequest,
  type MatchReplySink,
  type MatchRequest,
  type Reply,
} from "../core/generated/messages.ts";
import { laneRequestsMax } from "../core/limits.ts";
import { isPerpetual } from "../core/markets.ts";
import { MatchLane } from "../core/match-messages.ts";
import { Clearing, type ClearingOutput } from "./clearing/clearing.ts";
import { MatchingEngine } from "./matching/matching-engine.ts";
import { restingOrders } from "./state/snapshot/resting-orders.ts";
import { openPositions } from "./state/snapshot/venue-snapshot.ts";
import type { VenueState } from "./state/venue-state.ts";

/** Parts of a machine. Events and replies are reused objects: copy what you keep. */
export interface VenueMachineParts {
  readonly state: VenueState;
  readonly onEvent: (event: VenueEvent) => void;
  readonly onReply: (reply: Reply) => void;
  /** Also receives every record from the matchers, before clearing does. */
  readonly onMatch?: MatchReplySink;
  /** Number of matchers, default 1; market m belongs to matcher m modulo this number. */
  readonly matcherCount?: number;
  /** Microseconds between computed marks; default one second, as in the venue. */
  readonly markIntervalUs?: number;
  /** Default false, as in the venue: see ClearingParts. */
  readonly opensWithoutIndex?: boolean;
  /** Microseconds between funding settlements; default eight hours, as in the venue. */
  readonly fundingIntervalUs?: number;
  /** Microseconds between accruals of commission. */
  readonly rewardIntervalUs?: number;
  /** Largest number of resting orders of a matcher, for tests; default the venue's limit. */
  readonly ordersMax?: number;
}

export class VenueMachine implements ClearingOutput {
  readonly state: VenueState;
  readonly #parts: VenueMachineParts;
  readonly #clearing: Clearing;
  readonly #matchers: readonly MatchingEngine[];
  #tickUs = 0;
  readonly #queue: MatcherQueue;

  /** Fills the books with the open orders and positions of `parts.state`. */
  constructor(parts: VenueMachineParts) {
    const count = parts.matcherCount ?? 1;
    const markets = parts.state.table.markets;
    this.state = parts.state;
    this.#parts = parts;
    this.#queue = new MatcherQueue(count);
    this.#clearing = new Clearing({
      state: parts.state,
      output: this,
      matcherCount: count,
      matcherOf: (market) => market % count,
      markIntervalUs: parts.markIntervalUs ?? 1_000_000,
      opensWithoutIndex: parts.opensWithoutIndex ?? false,
      fundingIntervalUs: parts.fundingIntervalUs ?? 28_800_000_000,
      rewardIntervalUs: parts.rewardIntervalUs ?? 5_000_000,
    });
    this.#matchers = Array.from({ length: count }, (_, matcher) => {
      const own = markets.filter(({ id }) => id % count === matcher).map(({ id }) => id);
      const bound = parts.ordersMax === undefined ? {} : { ordersMax: parts.ordersMax };
      const perpetuals = own.filter((id) => isPerpetual(parts.state.table.market(id)));
      return new MatchingEngine({ markets: own, perpetuals, sink: this.#sink(), ...bound });
    });
    for (const { market, account, lots } of openPositions(parts.state)) {
      this.#matcherOf(market).restorePosition(market, account, lots);
    }
    restingOrders(parts.state, (order) => this.#matcherOf(order.market).restore(order));
    this.#clearing.resume();
  }

  /** Ends what was lost with the leader before, as `Clearing` does. Called once, before any command. */
  begin(): void {
    this.#clearing.begin();
    this.settle();
  }

  /** Handles a command including all matcher requests it causes. */
  handle(command: Command): void {
    this.take(command);
    this.settle();
  }

  /**
   * Handles a command; its matcher requests are queued. Asserts that a tick in a quiet time has no effect, unless the
   * clock was set back: then marks are computed for the earlier interval.
   */
  take(command: Command): void {
    const isTick = command.kind === CommandKind.tick;
    const isLater = command.atUs >= this.#tickUs;
    const isQuiet = isTick && isLater && command.atUs < this.quietUntilUs;
    if (isTick) this.#tickUs = command.atUs;
    const { seq } = this.state;
    this.#clearing.handle(command);
    const hasActed = this.state.seq > seq || this.#queue.count > 0;
    assert(!isQuiet || !hasActed, "a tick in a time called quiet must have no effect");
  }

  /** The venue's time in µs before which a tick has no effect, as `Clearing` reports it. */
  get quietUntilUs(): number {
    return this.#clearing.quietUntilUs;
  }

  /** Whether the machine can take another command before a matcher answers a queued request. */
  canAccept(): boolean {
    return this.#clearing.canAccept();
  }

  /** Answers all queued requests, oldest first. */
  settle(): void {
    while (this.#queue.count > 0) this.#answer(this.#queue.shift());
  }

  /** Answers the oldest request on one lane of one matcher; asserts that there is one. */
  answerNext(matcher: number, lane: MatchLane): void {
    this.#answer(this.#queue.shiftFrom(matcher, lane));
  }

  get matcherCount(): number {
    return this.#matchers.length;
  }

  /** Number of requests queued on one lane of one matcher. */
  waiting(matcher: number, lane: MatchLane): number {
    return this.#queue.waiting(matcher, lane);
  }

  #answer({ matcher, lane, request }: QueuedRequest): void {
    this.#matcherAt(matcher).handle(request, lane);
  }

  /** Implements ClearingOutput: queues the request until its matcher answers it. */
  request(matcher: number, lane: MatchLane, request: MatchRequest): void {
    this.#queue.push(matcher, lane, request);
  }

  /** Implements ClearingOutput. */
  event(event: VenueEvent): void {
    this.#parts.onEvent(event);
  }

  /** Implements ClearingOutput. */
  reply(reply: Reply): void {
    this.#parts.onReply(reply);
  }

  /** One hash of all books. */
  booksHash(): number {
    return this.#matchers.reduce((hash, matcher) => Math.imul(hash, 31) ^ matcher.stateHash(), 0);
  }

  #sink(): MatchReplySink {
    const { onMatch } = this.#parts;
    if (onMatch === undefined) return this.#clearing;
    const clearing = this.#clearing;
    return {
      filled(...fill) {
        onMatch.filled(...fill);
        clearing.filled(...fill);
      },
      reduced(...reduction) {
        onMatch.reduced(...reduction);
        clearing.reduced(...reduction);
      },
      met(...meeting) {
        onMatch.met(...meeting);
        clearing.met(...meeting);
      },
      removed(...removal) {
        onMatch.removed(...removal);
        clearing.removed(...removal);
      },
      ended(...end) {
        onMatch.ended(...end);
        clearing.ended(...end);
      },
    };
  }

  #matcherOf(market: number): MatchingEngine {
    return this.#matcherAt(market % this.#matchers.length);
  }

  #matcherAt(matcher: number): MatchingEngine {
    const found = this.#matchers[matcher];
    assert(found !== undefined, "the matcher's index must be below the number of matchers");
    return found;
  }
}

/** A request with its matcher and its lane. */
interface QueuedRequest {
  matcher: number;
  lane: MatchLane;
  request: MatchRequest;
}

/** Requests in flight on both lanes to one matcher. */
export const requestsPerMatcherMax = 2 * laneRequestsMax;

/** Unanswered requests, oldest first. Clearing's credits bound their number. */
export class MatcherQueue {
  /** A ring of reused records, so that a request allocates nothing. */
  readonly #places: QueuedRequest[];
  #first = 0;
  #count = 0;

  constructor(matcherCount: number) {
    this.#places = Array.from({ length: matcherCount * requestsPerMatcherMax }, () => {
      return { matcher: 0, lane: MatchLane.orders, request: emptyMatchRequest() };
    });
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a request as the newest; asserts that there is room. */
  push(matcher: number, lane: MatchLane, request: MatchRequest): void {
    assert(this.#count < this.#places.length, "the queue must have room for another request");
    const place = this.#at(this.#count);
    place.matcher = matcher;
    place.lane = lane;
    place.request = request;
    this.#count++;
  }

  /** Removes and returns the oldest request, which is valid until the next push; asserts that there is one. */
  shift(): QueuedRequest {
    assert(this.#count > 0, "the queue must have a request that can be answered");
    const oldest = this.#at(0);
    this.#first = (this.#first + 1) % this.#places.length;
    this.#count--;
    return oldest;
  }

  /** Like `shift`, for the oldest request on one lane of one matcher; asserts that there is one. */
  shiftFrom(matcher: number, lane: MatchLane): QueuedRequest {
    let place = 0;
    while (place < this.#count && !isOn(this.#at(place), matcher, lane)) place++;
    assert(place < this.#count, "the lane must have a request that can be answered");
    const found = this.#at(place);
    for (; place > 0; place--) this.#put(place, this.#at(place - 1));
    this.#put(0, found);
    return this.shift();
  }

  /** Number of requests queued on one lane of one matcher. */
  waiting(matcher: number, lane: MatchLane): number {
    let waiting = 0;
    for (let place = 0; place < this.#count; place++) {
      if (isOn(this.#at(place), matcher, lane)) waiting++;
    }
    return waiting;
  }

  #at(place: number): QueuedRequest {
    return present(
      this.#places[(this.#first + place) % this.#places.length],
      "the index must be inside the queue",
    );
  }

  #put(place: number, queued: QueuedRequest): void {
    this.#places[(this.#first + place) % this.#places.length] = queued;
  }
}

function isOn(queued: QueuedRequest, matcher: number, lane: MatchLane): boolean {
  return queued.matcher === matcher && queued.lane === lane;
}
