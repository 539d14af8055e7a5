// All lanes from clearing to its matchers: requests in flight, the requesters that wait for them, and the best prices
// that matchers report. Each request needs a credit of its lane. Clearing takes a command only while every lane has a
// free credit, so that it never has to wait for a matcher in the middle of a command.
//
// A barrier changes nothing and is answered when every request in flight at its arrival has been answered. A query
// that finds no order while commands are in flight sends a barrier, so that "no such order" is only answered when it
// is true.

import { assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import type { MatchRequest } from "../../../core/generated/messages.ts";
import { cancelCreditsMax, marketsMax, matcherCreditsMax } from "../../../core/limits.ts";
import { MatchLane, MatchRequestKind } from "../../../core/match-messages.ts";
import { opposite, Peg, Side, tradedTimeInForce, tradedType } from "../../../core/orders.ts";
import type { OrderTable } from "../../state/orders/order-table.ts";
import type { AccountTable } from "../../state/tables/account-table.ts";
import type { Requester } from "../transactions/transaction-writer.ts";
import {
  type BarrierWait,
  type InFlight,
  type MassCancel,
  OrderTerms,
  type PendingRequest,
  type RequestBatch,
  RequestKind,
  RequestLane,
} from "./request-lane.ts";

/**
 * Best prices by market as last reported by the matchers; 0 for an empty side. Derived from the open orders,
 * so neither journaled nor hashed; recovery derives them again.
 */
export class BestPrices {
  readonly bid: Int32Array;
  readonly ask: Int32Array;

  constructor(marketCount: number) {
    this.bid = new Int32Array(marketCount);
    this.ask = new Int32Array(marketCount);
  }

  set(market: number, bid: number, ask: number): void {
    this.bid[market] = bid;
    this.ask[market] = ask;
  }

  /** The best price at which an order of `side` could trade, or 0. */
  opposite(market: number, side: Side): number {
    return wordAt(side === Side.buy ? this.ask : this.bid, market);
  }

  /** Derives all best prices from the open orders. */
  derive(orders: OrderTable): void {
    this.bid.fill(0);
    this.ask.fill(0);
    for (const slot of orders.openSlots()) {
      if (!orders.isOnBook(slot)) continue;
      const market = byteAt(orders.market, slot);
      const price = wordAt(orders.price, slot);
      if (orders.side[slot] === Side.buy) {
        this.bid[market] = Math.max(wordAt(this.bid, market), price);
      } else {
        const ask = wordAt(this.ask, market);
        this.ask[market] = ask === 0 ? price : Math.min(ask, price);
      }
    }
  }
}

export interface MatcherLanesParts {
  readonly matcherCount: number;
  readonly matcherOf: (market: number) => number;
  /** Receives each request once; may keep it until the matcher has answered. */
  readonly onRequest: (matcher: number, lane: MatchLane, request: MatchRequest) => void;
  /** Called when all requests that a barrier waits for have been answered. */
  readonly onBarrier: (requester: Requester) => void;
}

/** What requests to matchers are made from. */
interface MatchedState {
  readonly orders: OrderTable;
  readonly accounts: AccountTable;
}

export class MatcherLanes {
  /** Terms of the next request: the caller fills them in, then `prepare` takes them over. */
  terms = new OrderTerms();
  /** The batch to which requests belong that are sent now; null for requests on their own. */
  batch: RequestBatch | null = null;
  readonly #parts: MatcherLanesParts;
  readonly #orders: OrderTable;
  readonly #accounts: AccountTable;
  /** By matcher × 2 + lane. */
  readonly #lanes: readonly RequestLane[];
  readonly #inFlight: InFlight = { count: 0 };
  /** By market: its matcher. */
  readonly #matchers: Uint8Array;

  constructor({ orders, accounts }: MatchedState, parts: MatcherLanesParts) {
    assert(parts.matcherCount > 0, "there must be at least one matcher");
    this.#orders = orders;
    this.#accounts = accounts;
    this.#parts = parts;
    this.#lanes = Array.from({ length: parts.matcherCount * 2 }, (_, at) => {
      const credits = at % 2 === MatchLane.cancels ? cancelCreditsMax : matcherCreditsMax;
      return new RequestLane(this.#inFlight, credits);
    });
    this.#matchers = Uint8Array.from({ length: marketsMax }, (_, market) =>
      parts.matcherOf(market),
    );
  }

  /** True while each lane has a free credit. */
  haveCredit(): boolean {
    // If all lanes together have fewer requests than one lane may have, no single lane needs checking.
    return this.inFlight < matcherCreditsMax || this.#lanes.every((lane) => lane.hasCredit());
  }

  get inFlight(): number {
    return this.#inFlight.count;
  }

  matcherOf(market: number): number {
    return byteAt(this.#matchers, market);
  }

  lane(market: number, lane: MatchLane): RequestLane {
    const found = this.#lanes[this.matcherOf(market) * 2 + lane];
    assert(found !== undefined, "the matcher of the market must exist");
    return found;
  }

  /**
   * Answers the requester once the request that is now the youngest on each lane has been answered. Lanes are first in,
   * first out, so all earlier requests are answered then too.
   */
  barrier({ source, correlation, identity = null }: Requester): void {
    const wait: BarrierWait = { source, correlation, identity, remaining: 0 };
    for (const lane of this.#lanes) {
      if (lane.inFlight === 0) continue;
      const youngest = lane.at(lane.inFlight - 1);
      youngest.barriers ??= [];
      youngest.barriers.push(wait);
      wait.remaining++;
    }
    if (wait.remaining === 0) this.#parts.onBarrier(wait);
  }

  /** Called when the request that these barriers wait for is answered; completes those that wait for nothing else. */
  pass(barriers: readonly BarrierWait[]): void {
    for (const wait of barriers) {
      wait.remaining--;
      if (wait.remaining === 0) this.#parts.onBarrier(wait);
    }
  }

  /** A new request about the order in `slot`, without requester. */
  #begin(
    lane: RequestLane,
    kind: RequestKind,
    slot: number,
    atUs: number,
    batch: RequestBatch | null = null,
  ): PendingRequest {
    const pending = lane.push(batch);
    pending.slot = slot;
    pending.generation = wordAt(this.#orders.generation, slot);
    pending.source = 0;
    pending.correlation = 0;
    pending.identity = null;
    pending.atUs = atUs;
    pending.kind = kind;
    pending.orderId = 0;
    pending.mass = null;
    pending.list = null;
    pending.barriers = null;
    return pending;
  }

  /** Prepares a request for the order in `slot` with the terms in `terms`; the caller sends it. */
  prepare(kind: RequestKind, slot: number, order: PlaceOrder): PendingRequest {
    const lane = this.lane(order.market, MatchLane.orders);
    const pending = this.#begin(lane, kind, slot, order.atUs, this.batch);
    pending.source = order.source;
    pending.correlation = order.correlation;
    pending.identity = order.identity ?? null;
    pending.order = order;
    const { terms } = pending;
    pending.terms = this.terms;
    this.terms = terms;
    return pending;
  }

  sendPlace(pending: PendingRequest): void {
    const { matchRequest, terms } = pending;
    matchRequest.kind = MatchRequestKind.place;
    matchRequest.qty = terms.qty;
    matchRequest.budget = terms.budget;
    matchRequest.seenQty = 0;
    this.#sendOrder(pending);
  }

  /** Sends the amend of `pending`: a new open quantity of `open` lots, decided when `seen` lots were open. */
  sendAmend(pending: PendingRequest, open: number, seen: number): void {
    const { matchRequest } = pending;
    matchRequest.kind = MatchRequestKind.amend;
    matchRequest.qty = open;
    matchRequest.budget = 0;
    matchRequest.seenQty = seen;
    this.#sendOrder(pending);
  }

  #sendOrder({ slot, generation, matchRequest, order, terms }: PendingRequest): void {
    matchRequest.market = order.market;
    matchRequest.slot = slot;
    matchRequest.generation = generation;
    matchRequest.account = order.account;
    matchRequest.owner = this.#accounts.familyOf(order.account);
    matchRequest.side = order.side;
    matchRequest.type = tradedType(order.type);
    matchRequest.timeInForce = tradedTimeInForce(order.type, order.timeInForce);
    matchRequest.stpMode = order.stpMode;
    matchRequest.isReduceOnly = order.isReduceOnly;
    matchRequest.price = terms.price;
    matchRequest.icebergQty = order.icebergQty;
    matchRequest.shownQty = 0;
    this.#parts.onRequest(this.matcherOf(order.market), MatchLane.orders, matchRequest);
  }

  /** Reports a position change of signed `lots` without a fill to the matcher. */
  sendAdjust(account: number, market: number, lots: number, atUs: number): void {
    const pending = this.lane(market, MatchLane.orders).push();
    pending.slot = 0;
    pending.generation = 0;
    pending.identity = null;
    pending.atUs = atUs;
    pending.kind = RequestKind.adjust;
    pending.mass = null;
    pending.barriers = null;
    const { matchRequest } = pending;
    matchRequest.kind = MatchRequestKind.adjust;
    matchRequest.market = market;
    matchRequest.slot = 0;
    matchRequest.generation = 0;
    matchRequest.account = account;
    matchRequest.qty = lots;
    matchRequest.seenQty = 0;
    this.#parts.onRequest(this.matcherOf(market), MatchLane.orders, matchRequest);
  }

  /**
   * Reads the price that the waiting order in `slot`, which is `order`, is pegged to: that of a level of its own side or
   * of the other one. The answer has it.
   */
  sendReadLevel(slot: number, { market, side, peg, pegOffset, atUs }: PlaceOrder): void {
    assert(peg !== Peg.none, "only a pegged order needs the price of a level");
    const lane = this.lane(market, MatchLane.orders);
    const pending = this.#begin(lane, RequestKind.readLevel, slot, atUs);
    pending.orderId = numberAt(this.#orders.orderId, slot);
    const { matchRequest } = pending;
    matchRequest.kind = MatchRequestKind.readLevel;
    matchRequest.market = market;
    matchRequest.slot = slot;
    matchRequest.generation = pending.generation;
    matchRequest.side = peg === Peg.primary ? side : opposite(side);
    matchRequest.qty = 1 + pegOffset;
    this.#parts.onRequest(this.matcherOf(market), MatchLane.orders, matchRequest);
  }

  /** Lots of the order in `slot`, which must be in flight to its matcher. */
  qtyOnItsWay(market: number, slot: number): number {
    const lane = this.lane(market, MatchLane.orders);
    let qty = 0;
    for (let place = 0; place < lane.inFlight; place++) {
      const { slot: sent, kind, terms } = lane.at(place);
      const isPlacing = kind === RequestKind.place || kind === RequestKind.trigger;
      if (isPlacing && sent === slot) qty = terms.qty;
    }
    assert(qty > 0, "an open order that is not in the book must be in a request to the matcher");
    return qty;
  }

  /**
   * Sends a cancel of the order in `slot` for `requester`. If `seen` is above 0, the matcher cancels only
   * while exactly that many lots are open. `named` is the id of the order that the requester named, if another one of
   * its list is cancelled for it; else 0.
   */
  sendCancel(
    slot: number,
    lane: MatchLane,
    requester: Requester,
    terms: { atUs: number; mass: MassCancel | null; seen?: number; named?: number },
  ): void {
    const { atUs, mass, seen = 0, named = 0 } = terms;
    const orders = this.#orders;
    const market = byteAt(orders.market, slot);
    const cancels = this.lane(market, lane);
    const pending = this.#begin(cancels, RequestKind.cancel, slot, atUs, this.batch);
    pending.source = requester.source;
    pending.correlation = requester.correlation;
    pending.identity = requester.identity ?? null;
    pending.orderId = named;
    pending.mass = mass;
    const { matchRequest } = pending;
    matchRequest.kind = MatchRequestKind.cancel;
    matchRequest.market = market;
    matchRequest.slot = slot;
    matchRequest.generation = pending.generation;
    matchRequest.account = wordAt(orders.account, slot);
    matchRequest.side = orders.side[slot] as Side;
    matchRequest.seenQty = seen;
    this.#parts.onRequest(this.matcherOf(market), lane, matchRequest);
  }
}
