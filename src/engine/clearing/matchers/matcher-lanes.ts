// All lanes from clearing to its matchers, and what goes out on them. A
// request leaves only with a credit; while every lane has one, any command may be taken, so
// clearing never has to wait for a matcher in the middle of a command.

import { assert } from "../../../core/assert.ts";
import { byteAt, wordAt } from "../../../core/cells.ts";
import type { MatchRequest } from "../../../core/generated/messages.ts";
import { marketsMax, matcherCreditsMax } from "../../../core/limits.ts";
import { MatchLane, MatchRequestKind } from "../../../core/match-messages.ts";
import { type Side, tradedTimeInForce, tradedType } from "../../../core/orders.ts";
import type { OrderTable } from "../../state/orders/order-table.ts";
import type { Asker } from "../units/reply-writer.ts";
import type { MassCancel } from "./request-lane.ts";
import { type InFlight, type PendingRequest, RequestKind, RequestLane } from "./request-lane.ts";

export interface MatcherLanesParts {
  readonly matcherCount: number;
  /** The matcher that owns a market. */
  readonly matcherOf: (market: number) => number;
  /** Takes each request once; may keep it until it has answered it. */
  readonly onRequest: (matcher: number, lane: MatchLane, request: MatchRequest) => void;
}

export class MatcherLanes {
  readonly #parts: MatcherLanesParts;
  readonly #orders: OrderTable;
  /** By matcher × 2 + lane. */
  readonly #lanes: readonly RequestLane[];
  readonly #inFlight: InFlight = { count: 0 };
  /** By market: the matcher that owns it. */
  readonly #matchers: Uint8Array;

  constructor(orders: OrderTable, parts: MatcherLanesParts) {
    assert(parts.matcherCount > 0, "there is a matcher");
    this.#orders = orders;
    this.#parts = parts;
    this.#lanes = Array.from(
      { length: parts.matcherCount * 2 },
      () => new RequestLane(this.#inFlight),
    );
    this.#matchers = Uint8Array.from({ length: marketsMax }, (_, market) =>
      parts.matcherOf(market),
    );
  }

  get all(): readonly RequestLane[] {
    return this.#lanes;
  }

  /** True while each lane can take one more request. */
  haveCredit(): boolean {
    // As long as all lanes together have no more than one may have, none needs to be looked at.
    return this.inFlight < matcherCreditsMax || this.#lanes.every((lane) => lane.hasCredit());
  }

  /** Requests not answered yet. */
  get inFlight(): number {
    return this.#inFlight.count;
  }

  matcherOf(market: number): number {
    return byteAt(this.#matchers, market);
  }

  lane(market: number, lane: MatchLane): RequestLane {
    const found = this.#lanes[this.matcherOf(market) * 2 + lane];
    assert(found !== undefined, "a market belongs to a known matcher");
    return found;
  }

  /** Sends the order of `pending`, whose record the caller has filled. */
  sendPlace(pending: PendingRequest): void {
    const { asked, order, terms } = pending;
    asked.kind = MatchRequestKind.place;
    asked.qty = order.qty;
    asked.budget = terms.budget;
    asked.seenQty = 0;
    this.#sendOrder(pending);
  }

  /** Sends the amend of `pending`; `open` lots are to be open where `seen` lots are. */
  sendAmend(pending: PendingRequest, open: number, seen: number): void {
    const { asked } = pending;
    asked.kind = MatchRequestKind.amend;
    asked.qty = open;
    asked.budget = 0;
    asked.seenQty = seen;
    this.#sendOrder(pending);
  }

  #sendOrder({ slot, generation, asked, order, terms }: PendingRequest): void {
    asked.market = order.market;
    asked.slot = slot;
    asked.generation = generation;
    asked.account = order.account;
    asked.side = order.side;
    asked.type = tradedType(order.type);
    asked.timeInForce = tradedTimeInForce(order.type, order.timeInForce);
    asked.stpMode = order.stpMode;
    asked.isReduceOnly = order.isReduceOnly;
    asked.price = terms.price;
    this.#parts.onRequest(this.matcherOf(order.market), MatchLane.orders, asked);
  }

  /** Tells the matcher of a position that changed by signed `lots` without a fill. */
  sendAdjust(account: number, market: number, lots: number, atUs: number): void {
    const pending = this.lane(market, MatchLane.orders).push();
    pending.slot = 0;
    pending.generation = 0;
    pending.atUs = atUs;
    pending.kind = RequestKind.adjust;
    pending.mass = null;
    pending.fences = null;
    const { asked } = pending;
    asked.kind = MatchRequestKind.adjust;
    asked.market = market;
    asked.slot = 0;
    asked.generation = 0;
    asked.account = account;
    asked.qty = lots;
    asked.seenQty = 0;
    this.#parts.onRequest(this.matcherOf(market), MatchLane.orders, asked);
  }

  /** Lots of the order in `slot` that is on its way to its matcher; asserts that one is. */
  qtyOnItsWay(market: number, slot: number): number {
    const lane = this.lane(market, MatchLane.orders);
    let qty = 0;
    for (let place = 0; place < lane.inFlight; place++) {
      const { slot: sent, kind, order } = lane.at(place);
      const isPlacing = kind === RequestKind.place || kind === RequestKind.trigger;
      if (isPlacing && sent === slot) qty = order.qty;
    }
    assert(qty > 0, "an order that is not in its book is on its way there");
    return qty;
  }

  /**
   * Asks the matcher to take the order of `slot` out, on behalf of `asker`; where `seen` is above 0 only
   * while that many lots are open.
   */
  sendCancel(
    slot: number,
    lane: MatchLane,
    asker: Asker,
    { atUs, mass, seen = 0 }: { atUs: number; mass: MassCancel | null; seen?: number },
  ): void {
    const orders = this.#orders;
    const market = byteAt(orders.market, slot);
    const generation = wordAt(orders.generation, slot);
    const pending = this.lane(market, lane).push();
    pending.slot = slot;
    pending.generation = generation;
    pending.source = asker.source;
    pending.correlation = asker.correlation;
    pending.atUs = atUs;
    pending.kind = RequestKind.cancel;
    pending.mass = mass;
    pending.fences = null;
    const { asked } = pending;
    asked.kind = MatchRequestKind.cancel;
    asked.market = market;
    asked.slot = slot;
    asked.generation = generation;
    asked.account = wordAt(orders.account, slot);
    asked.side = orders.side[slot] as Side;
    asked.seenQty = seen;
    this.#parts.onRequest(this.matcherOf(market), lane, asked);
  }
}
