// Requests in flight on one lane to one matcher, in order. Credits bound them, so the matcher's reply ring always has
// room for every outstanding answer. Lanes are first in, first out, so the next answer belongs to the oldest request.
//
// Records are reused: a request taken off the lane is valid until its answer has been handled.

import { amountAt, assert } from "../../../core/assert.ts";
import type { CommandIdentity } from "../../../core/command-identity.ts";
import { CommandKind, type PlaceOrder } from "../../../core/generated/commands.ts";
import {
  emptyMatchRequest,
  type MatchReplySink,
  type MatchRequest,
} from "../../../core/generated/messages.ts";
import {
  laneRequestsMax,
  matcherCreditsMax,
  matchesPerOrderMax,
  recordsPerMatchMax,
} from "../../../core/limits.ts";
import { MatchOutcome, type RemovalReason } from "../../../core/match-messages.ts";
import { fitsInt64 } from "../../../core/money/amounts.ts";
import type { OrderListType } from "../../../core/order-lists.ts";
import type { CloseReason } from "../../../core/orders.ts";
import type { Requester } from "../transactions/transaction-writer.ts";

/**
 * What a request is for. `trigger` places a triggered order, `liquidate` a liquidation order; `adjust`
 * reports a position change without a fill; `readLevel` reads the price for a pegged order that is due.
 */
export const RequestKind = {
  place: 0,
  trigger: 1,
  amend: 2,
  cancel: 3,
  liquidate: 4,
  adjust: 5,
  readLevel: 6,
} as const;
export type RequestKind = (typeof RequestKind)[keyof typeof RequestKind];

/** A waiting barrier; answered when `remaining` is 0. */
export interface BarrierWait extends Requester {
  /** Number of lanes on which a request sent before the barrier is still unanswered. */
  remaining: number;
}

/** Requests whose answers are handled together, once the last one has arrived. */
export interface RequestBatch {
  /** What the next request of the batch is for. */
  side: number;
  /** Requests without an answer. */
  waiting: number;
}

/** An order by its slot; the generation tells it from a later order in the same slot. */
export interface OrderInSlot {
  readonly slot: number;
  readonly generation: number;
}

/** A mass cancel in progress. */
export interface MassCancel extends Requester {
  readonly atUs: number;
  readonly reason: CloseReason;
  /** Whether its cancels go on the lane of orders, so that no later command overtakes them. */
  readonly isOrdered: boolean;
  /** Called with the number of cancelled orders after the last one. */
  readonly done: (cancelled: number) => void;
  /** Orders that end with others of their lists; those that are still there after the others are cancelled last. */
  readonly endingWith: OrderInSlot[];
  /** If it is above 0: the order is cancelled only while exactly so many lots are open. */
  readonly seen?: number;
  /** Orders still to be handled. */
  remaining: number;
  cancelled: number;
}

const holdIndex = 0;
const lossIndex = 1;

/**
 * The terms of an admitted order, which goes to its matcher or waits for its trigger; all zero at first. Amounts are
 * in an array, because a bigint field would allocate.
 */
export class OrderTerms {
  /** Ticks; for a market order its protection price, 0 if the other side is empty. */
  price = 0;
  /** Lots to place: the order's quantity, the lots that its amount can buy, or the lots of the position it closes. */
  qty = 0;
  marginPrice = 0;
  marginLots = 0;
  /** Largest sum of ticks × lots over its fills; 0 for no limit. */
  budget = 0;
  readonly #amounts = new BigInt64Array(2);

  /** The amount to reserve, in minor units of the held asset; asserts that it fits an int64. */
  get hold(): bigint {
    return amountAt(this.#amounts, holdIndex);
  }

  set hold(amount: bigint) {
    assert(fitsInt64(amount), "the reserved amount must fit an int64");
    this.#amounts[holdIndex] = amount;
  }

  /** The part of the hold that covers the order's loss at the mark; asserts like `hold`. */
  get loss(): bigint {
    return amountAt(this.#amounts, lossIndex);
  }

  set loss(amount: bigint) {
    assert(fitsInt64(amount), "the loss must fit an int64");
    this.#amounts[lossIndex] = amount;
  }
}

/** An order of a list that is being placed, with the slot that it will have. */
export interface PlacedLeg {
  readonly slot: number;
  readonly order: PlaceOrder;
  readonly terms: OrderTerms;
}

/** A list that is being placed. */
export interface PlacedList {
  readonly type: OrderListType;
  /** The client's id of the list; empty if the venue is to derive it. */
  readonly clientId: string;
  readonly legs: readonly PlacedLeg[];
}

/** A request in flight and its requester. */
export interface PendingRequest {
  slot: number;
  generation: number;
  source: number;
  correlation: number;
  identity: CommandIdentity | null;
  /** Time of the command that caused it, in microseconds. */
  atUs: number;
  kind: RequestKind;
  /** The request as sent; its fields must not change until it is answered. */
  readonly matchRequest: MatchRequest;
  /**
   * The order being placed, triggered or amended, with its new price and quantity, and its terms. An amend's hold is
   * the amount reserved in addition to the order's own hold. Cancels, adjustments and readings of levels set neither
   * `order` nor `terms`.
   */
  order: PlaceOrder;
  terms: OrderTerms;
  /** The order's id if it already has one, else 0. Of a cancel: the order that the client named, if it is another one. */
  orderId: number;
  /** Of an amend: the order loses its queue priority. */
  isRequeued: boolean;
  mass: MassCancel | null;
  /** The batch that it belongs to, and what it is for there; null for a request on its own. */
  batch: RequestBatch | null;
  batchSide: number;
  /** Of a request whose answer is held: the answer. */
  outcome: MatchOutcome;
  remaining: number;
  bestBid: number;
  bestAsk: number;
  /** The list that the order belongs to, if the request places one. */
  list: PlacedList | null;
  barriers: BarrierWait[] | null;
}

/** The part of a matcher's answer that is kept while it is held. */
export type HeldAnswer = Pick<PendingRequest, "outcome" | "remaining" | "bestBid" | "bestAsk">;

/** Twice the requests that a lane may have, so that a record is not reused while its answer is being handled. */
const places = 2 * laneRequestsMax;

/** Requests in flight on all lanes together. */
export interface InFlight {
  count: number;
}

export class RequestLane {
  readonly #credits: number;
  readonly #requests: readonly PendingRequest[] = Array.from({ length: places }, emptyRequest);
  readonly #all: InFlight;
  #head = 0;
  #inFlight = 0;
  /** Requests at the head that are answered, but stay until a batch is answered whole. */
  #held = 0;

  /** `all` counts the requests of all lanes; this lane adds its own. */
  constructor(all: InFlight = { count: 0 }, credits: number = matcherCreditsMax) {
    this.#all = all;
    this.#credits = credits;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  hasCredit(): boolean {
    return this.#inFlight < this.#credits;
  }

  /**
   * The record of the next request, for the caller to fill. Asserts a free credit; the requests of one batch may exceed
   * the credits together.
   */
  push(batch: RequestBatch | null = null): PendingRequest {
    const hasRoom = batch === null ? this.hasCredit() : this.#inFlight < laneRequestsMax;
    assert(hasRoom, "the lane must have credit for a request");
    this.#inFlight++;
    this.#all.count++;
    const pushed = this.#at(this.#inFlight - 1);
    pushed.batch = batch;
    if (batch !== null) {
      pushed.batchSide = batch.side;
      batch.waiting++;
    }
    return pushed;
  }

  /** The request that the next answer is for; asserts that it is for `slot`. */
  answered(slot: number): PendingRequest {
    assert(this.#held < this.#inFlight, "an answer needs a request in flight");
    const request = this.#at(this.#held);
    assert(request.slot === slot, "answers must arrive in the order of the requests");
    return request;
  }

  /** Whether answers are held. */
  get isHolding(): boolean {
    return this.#held > 0;
  }

  /** Keeps the answered request on the lane. */
  hold(request: PendingRequest, answer: HeldAnswer): void {
    request.outcome = answer.outcome;
    request.remaining = answer.remaining;
    request.bestBid = answer.bestBid;
    request.bestAsk = answer.bestAsk;
    if (request.batch !== null) request.batch.waiting--;
    this.#held++;
  }

  /** Takes the requests off the lane whose answers are held. */
  takeHeld(): readonly PendingRequest[] {
    const held = Array.from({ length: this.#held }, (_, place) => this.#at(place));
    this.#head = (this.#head + this.#held) % places;
    this.#inFlight -= this.#held;
    this.#all.count -= this.#held;
    this.#held = 0;
    return held;
  }

  /** Takes the oldest request off the lane, because its answer has arrived; asserts that the request is for `slot`. */
  shift(slot: number): PendingRequest {
    assert(this.#held === 0, "no answer may be held at the head of the lane");
    const request = this.answered(slot);
    this.#head = (this.#head + 1) % places;
    this.#inFlight--;
    this.#all.count--;
    return request;
  }

  /** A request in flight: 0 is the oldest, `inFlight` − 1 the youngest. */
  at(place: number): PendingRequest {
    assert(
      place >= 0 && place < this.#inFlight,
      "the index must be below the number of requests in flight",
    );
    return this.#at(place);
  }

  #at(place: number): PendingRequest {
    const request = this.#requests[(this.#head + place) % places];
    assert(request !== undefined, "every index of the lane must have a record");
    return request;
  }
}

function emptyRequest(): PendingRequest {
  return {
    slot: 0,
    generation: 0,
    source: 0,
    correlation: 0,
    identity: null,
    atUs: 0,
    kind: RequestKind.cancel,
    matchRequest: emptyMatchRequest(),
    order: emptyOrder(),
    terms: new OrderTerms(),
    orderId: 0,
    isRequeued: false,
    mass: null,
    batch: null,
    batchSide: 0,
    outcome: MatchOutcome.unknown,
    remaining: 0,
    bestBid: 0,
    bestAsk: 0,
    list: null,
    barriers: null,
  };
}

/**
 * An empty GTC limit buy, for the venue's own requests and for surfaces, which fill it in. Fields are in the order of the
 * command decoder, so that all orders in flight share one hidden class.
 */
export function emptyOrder(): PlaceOrder {
  return {
    kind: CommandKind.placeOrder,
    source: 0,
    correlation: 0,
    atUs: 0,
    deadlineUs: 0,
    account: 0,
    identity: null,
    market: 0,
    side: 0,
    type: 0,
    timeInForce: 0,
    price: 0,
    qty: 0,
    isReduceOnly: false,
    closesPosition: false,
    reusesClientId: false,
    stpMode: 0,
    workingPrice: 0,
    quoteQty: 0n,
    goodTillUs: 0,
    triggerPrice: 0,
    activationPrice: 0,
    trailingBps: 0,
    icebergQty: 0,
    peg: 0,
    pegOffset: 0,
    clientId: "",
    attached: null,
  };
}

/** What a matcher reports about a resting order. `met`: both orders are of one account, and the incoming order ends. */
export const MatchKind = { filled: 0, reduced: 1, removed: 2, met: 3 } as const;
export type MatchKind = (typeof MatchKind)[keyof typeof MatchKind];

const recordsMax = matchesPerOrderMax * recordsPerMatchMax;

/**
 * The records that a matcher has sent about one request so far, in order, in reused columns. The record that ends the
 * request empties the buffer. A matcher finishes one order before the next, so all records belong to one order.
 */
export class FillBuffer implements Omit<MatchReplySink, "ended"> {
  readonly kinds = new Uint8Array(recordsMax);
  readonly makerSlots = new Int32Array(recordsMax);
  /** Ticks of a fill; the RemovalReason of a removal. */
  readonly prices = new Int32Array(recordsMax);
  /** By kind: the lots of a fill, the lots that both orders lost, or the lots that the removed order still had. */
  readonly qtys = new Float64Array(recordsMax);
  /** Number of records. */
  count = 0;
  /** Lots that the incoming order has lost to fills and reductions. */
  qty = 0;
  /** The slot of the incoming order; without meaning while the buffer is empty. */
  takerSlot = 0;

  /** Records a fill. Like the methods below, asserts room for a record, and the same incoming order in all records. */
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
    assert(
      this.count < recordsMax,
      "the number of fills must stay below the maximum number of records",
    );
    assert(
      this.count === 0 || this.takerSlot === takerSlot,
      "all fills in the buffer must belong to one incoming order",
    );
    this.takerSlot = takerSlot;
    this.kinds[this.count] = kind;
    this.makerSlots[this.count] = makerSlot;
    this.qtys[this.count] = qty;
    this.count++;
  }
}
