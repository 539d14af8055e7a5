// Requests in flight on one lane to one matcher, in order. The lane's credits bound them, so that
// the matcher's reply ring can always hold every answer still owed; and because lanes are first in,
// first out, the answer at the head always belongs to the oldest request.
//
// Records are reused: a request taken off the lane is good until its answer has been dealt with.

import { assert } from "../../../core/assert.ts";
import { CommandKind, type PlaceOrder } from "../../../core/generated/commands.ts";
import { emptyMatchRequest, type MatchRequest } from "../../../core/generated/messages.ts";
import { matcherCreditsMax } from "../../../core/limits.ts";
import type { CloseReason, OrderOptions } from "../../../core/orders.ts";
import { OrderTerms } from "../orders/order-terms.ts";
import type { Asker } from "../units/reply-writer.ts";

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

/** A fence that waits: answered when nothing remains. */
export interface FenceWait extends Asker {
  /** Lanes whose youngest request at the time is still unanswered. */
  remaining: number;
}

/** A mass cancel under way. */
export interface MassCancel extends Asker {
  readonly atUs: number;
  readonly reason: CloseReason;
  /** Called with the number cancelled when the last order has been dealt with. */
  readonly done: (cancelled: number) => void;
  /** Orders not yet dealt with. */
  remaining: number;
  cancelled: number;
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
  readonly asked: MatchRequest;
  /**
   * The order being placed, triggered or amended, as it will be, and its terms; the hold of an amend
   * is what it reserves beyond the order's own. A cancel and an adjustment leave both as they were.
   */
  readonly order: PlaceOrder;
  readonly terms: OrderTerms;
  /** The venue's id of an order that has one already, else 0. */
  orderId: number;
  /** Amend: the order loses its place in the queue. */
  isRequeued: boolean;
  mass: MassCancel | null;
  fences: FenceWait[] | null;
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

/** Copies an order out of its command, because commands are decoded into one reused record. */
export function copyOrder(from: PlaceOrder, to: PlaceOrder): void {
  to.source = from.source;
  to.correlation = from.correlation;
  to.atUs = from.atUs;
  to.deadlineUs = from.deadlineUs;
  to.account = from.account;
  to.market = from.market;
  to.side = from.side;
  to.type = from.type;
  to.timeInForce = from.timeInForce;
  to.price = from.price;
  to.qty = from.qty;
  copyOptions(from, to);
  to.clientId = from.clientId;
  to.attached = from.attached;
}

/** Copies what an order asks for beside its figures. */
export function copyOptions(from: OrderOptions, to: OrderOptions): void {
  to.isReduceOnly = from.isReduceOnly;
  to.stpMode = from.stpMode;
  to.quoteQty = from.quoteQty;
  to.goodTillUs = from.goodTillUs;
  to.triggerPrice = from.triggerPrice;
  to.workingPrice = from.workingPrice;
  to.trailingBps = from.trailingBps;
  to.activationPrice = from.activationPrice;
  to.closesPosition = from.closesPosition;
}

/** Copies the terms of an order that goes to its matcher. */
export function copyTerms(from: OrderTerms, to: OrderTerms): void {
  to.price = from.price;
  to.marginPrice = from.marginPrice;
  to.marginLots = from.marginLots;
  to.hold = from.hold;
  to.loss = from.loss;
  to.qty = from.qty;
  to.budget = from.budget;
}

function emptyRequest(): PendingRequest {
  return {
    slot: 0,
    generation: 0,
    source: 0,
    correlation: 0,
    atUs: 0,
    kind: RequestKind.cancel,
    asked: emptyMatchRequest(),
    order: emptyOrder(),
    terms: new OrderTerms(),
    orderId: 0,
    isRequeued: false,
    mass: null,
    fences: null,
  };
}

/**
 * An order to fill in; it asks for nothing. Its fields stand in the order in which commands are decoded,
 * so that all orders on their way have one hidden class.
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
