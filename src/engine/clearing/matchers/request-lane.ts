// Requests in flight on one lane to one matcher, in order. The lane's credits bound them, so that
// the matcher's reply ring can always hold every answer still owed; and because lanes are first in,
// first out, the answer at the head always belongs to the oldest request.
//
// Records are reused: a request taken off the lane is good until its answer has been dealt with.

import { amountAt, assert } from "../../../core/assert.ts";
import { CommandKind, type PlaceOrder } from "../../../core/generated/commands.ts";
import {
  emptyMatchRequest,
  type MatchReplySink,
  type MatchRequest,
} from "../../../core/generated/messages.ts";
import { matcherCreditsMax, matchesPerOrderMax, recordsPerMatchMax } from "../../../core/limits.ts";
import type { RemovalReason } from "../../../core/match-messages.ts";
import { fitsInt64 } from "../../../core/money/amounts.ts";
import type { CloseReason } from "../../../core/orders.ts";
import type { Requester } from "../transactions/transaction-writer.ts";

/**
 * What a request is for; `trigger` places an order that waited, `liquidate` one of the venue's own that
 * closes a position; `adjust` tells of a position that changed without a fill.
 */
export const RequestKind = {
  place: 0,
  trigger: 1,
  amend: 2,
  cancel: 3,
  liquidate: 4,
  adjust: 5,
} as const;
export type RequestKind = (typeof RequestKind)[keyof typeof RequestKind];

/** A barrier that waits: answered when nothing remains. */
export interface BarrierWait extends Requester {
  /** Lanes whose youngest request at the time is still unanswered. */
  remaining: number;
}

/** A mass cancel under way. */
export interface MassCancel extends Requester {
  readonly atUs: number;
  readonly reason: CloseReason;
  /** Called with the number cancelled when the last order has been dealt with. */
  readonly done: (cancelled: number) => void;
  /** Orders not yet dealt with. */
  remaining: number;
  cancelled: number;
}

const holdIndex = 0;
const lossIndex = 1;

/**
 * On which terms an admitted order goes to its matcher, or waits; to fill in, all zero at first. Amounts lie
 * in an array, because in a field each would be an object of its own.
 */
export class OrderTerms {
  /** Ticks; for what trades at the market the protection price, 0 with nothing to trade with. */
  price = 0;
  /** Lots to place: the order's own, those its amount could buy, or those of the position it closes. */
  qty = 0;
  marginPrice = 0;
  marginLots = 0;
  /** The most Σ ticks × lots to trade; 0 for no such bound. */
  budget = 0;
  readonly #amounts = new BigInt64Array(2);

  /** What to reserve, in minor units of the held asset; asserts that an int64 holds it. */
  get hold(): bigint {
    return amountAt(this.#amounts, holdIndex);
  }

  set hold(amount: bigint) {
    assert(fitsInt64(amount), "a hold fits an int64");
    this.#amounts[holdIndex] = amount;
  }

  /** The part of the hold that covers what the order loses at the mark; asserts as `hold` does. */
  get loss(): bigint {
    return amountAt(this.#amounts, lossIndex);
  }

  set loss(amount: bigint) {
    assert(fitsInt64(amount), "a loss fits an int64");
    this.#amounts[lossIndex] = amount;
  }
}

/** A request a matcher has not answered yet, and who waits for the answer. */
export interface PendingRequest {
  slot: number;
  generation: number;
  source: number;
  correlation: number;
  /** Microseconds of the command that caused it. */
  atUs: number;
  kind: RequestKind;
  /** What the matcher was asked; its fields stay as they are until it has answered. */
  readonly matchRequest: MatchRequest;
  /**
   * The order being placed, triggered or amended, as it will be, and its terms; the hold of an amend
   * is what it reserves beyond the order's own. A cancel and an adjustment leave both as they were.
   */
  order: PlaceOrder;
  terms: OrderTerms;
  /** The venue's id of an order that has one already, else 0. */
  orderId: number;
  /** Amend: the order loses its place in the queue. */
  isRequeued: boolean;
  mass: MassCancel | null;
  barriers: BarrierWait[] | null;
}

/** Twice the credits, so that a record taken off is not written again while its answer is handled. */
const places = 2 * matcherCreditsMax;

/** Requests in flight on all lanes together. */
export interface InFlight {
  count: number;
}

export class RequestLane {
  readonly #requests: readonly PendingRequest[] = Array.from({ length: places }, emptyRequest);
  readonly #all: InFlight;
  #head = 0;
  #inFlight = 0;

  /** Counts its requests among `all` as well. */
  constructor(all: InFlight = { count: 0 }) {
    this.#all = all;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  hasCredit(): boolean {
    return this.#inFlight < matcherCreditsMax;
  }

  /** The record of the next request, for the caller to fill; asserts that a credit was left. */
  push(): PendingRequest {
    assert(this.hasCredit(), "a request has a credit");
    this.#inFlight++;
    this.#all.count++;
    return this.#at(this.#inFlight - 1);
  }

  /** The request that the next answer belongs to; asserts that it is about this slot. */
  shift(slot: number): PendingRequest {
    assert(this.#inFlight > 0, "an answer was asked for");
    const request = this.#at(0);
    assert(request.slot === slot, "answers come in the order of requests");
    this.#head = (this.#head + 1) % places;
    this.#inFlight--;
    this.#all.count--;
    return request;
  }

  /** A request in flight: 0 is the oldest, `inFlight` − 1 the youngest. */
  at(place: number): PendingRequest {
    assert(place >= 0 && place < this.#inFlight, "a request in flight");
    return this.#at(place);
  }

  #at(place: number): PendingRequest {
    const request = this.#requests[(this.#head + place) % places];
    assert(request !== undefined, "every place of a lane has its record");
    return request;
  }
}

function emptyRequest(): PendingRequest {
  return {
    slot: 0,
    generation: 0,
    source: 0,
    correlation: 0,
    atUs: 0,
    kind: RequestKind.cancel,
    matchRequest: emptyMatchRequest(),
    order: emptyOrder(),
    terms: new OrderTerms(),
    orderId: 0,
    isRequeued: false,
    mass: null,
    barriers: null,
  };
}

/**
 * An order of the venue's own, to fill in; it asks for nothing. Its fields stand in the order in which
 * commands are decoded, so that all orders on their way have one hidden class.
 */
export function emptyOrder(): PlaceOrder {
  return {
    kind: CommandKind.placeOrder,
    source: 0,
    correlation: 0,
    atUs: 0,
    deadlineUs: 0,
    account: 0,
    market: 0,
    side: 0,
    type: 0,
    timeInForce: 0,
    price: 0,
    qty: 0,
    isReduceOnly: false,
    closesPosition: false,
    stpMode: 0,
    workingPrice: 0,
    quoteQty: 0n,
    goodTillUs: 0,
    triggerPrice: 0,
    activationPrice: 0,
    trailingBps: 0,
    clientId: "",
    attached: null,
  };
}

/** What happened to a resting order that the request met. */
export const MatchKind = { filled: 0, reduced: 1, removed: 2, met: 3 } as const;
export type MatchKind = (typeof MatchKind)[keyof typeof MatchKind];

const recordsMax = matchesPerOrderMax * recordsPerMatchMax;

/**
 * What came of one matcher's request until its end arrives, in order, as parallel columns that are
 * reused. Records belong to one order at a time, because a matcher finishes one before the next.
 */
export class FillBuffer implements Omit<MatchReplySink, "ended"> {
  readonly kinds = new Uint8Array(recordsMax);
  readonly makerSlots = new Int32Array(recordsMax);
  /** Ticks of a fill; the RemovalReason of a removal. */
  readonly prices = new Int32Array(recordsMax);
  /** Lots traded, taken off both orders, or left of the order removed. */
  readonly qtys = new Float64Array(recordsMax);
  /** How many there are. */
  count = 0;
  /** Lots that the order of the request has lost: all fills and reductions together. */
  qty = 0;
  /** The slot of the order that took; meaningless while there is nothing. */
  takerSlot = 0;

  /** Asserts that a record is of the same order as those before, and within the bound; so do the others. */
  filled(takerSlot: number, makerSlot: number, price: number, qty: number): void {
    this.#push(MatchKind.filled, takerSlot, makerSlot, qty);
    this.prices[this.count - 1] = price;
    this.qty += qty;
  }

  reduced(takerSlot: number, makerSlot: number, qty: number): void {
    this.#push(MatchKind.reduced, takerSlot, makerSlot, qty);
    this.qty += qty;
  }

  removed(takerSlot: number, makerSlot: number, reason: RemovalReason, remaining: number): void {
    this.#push(MatchKind.removed, takerSlot, makerSlot, remaining);
    this.prices[this.count - 1] = reason;
  }

  met(takerSlot: number, makerSlot: number): void {
    this.#push(MatchKind.met, takerSlot, makerSlot, 0);
  }

  clear(): void {
    this.count = 0;
    this.qty = 0;
  }

  #push(kind: MatchKind, takerSlot: number, makerSlot: number, qty: number): void {
    assert(this.count < recordsMax, "a sweep stays within its bound");
    assert(this.count === 0 || this.takerSlot === takerSlot, "fills are of one order at a time");
    this.takerSlot = takerSlot;
    this.kinds[this.count] = kind;
    this.makerSlots[this.count] = makerSlot;
    this.qtys[this.count] = qty;
    this.count++;
  }
}
