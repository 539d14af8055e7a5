// What a book of one market does, whichever way it is built. `naive-book.ts` says it readably,
// `fast-book.ts` does it quickly; the same tests and a comparison by state hash hold them equal.
//
// Priority is price, then time. An incoming order steps over resting orders of its own account unless
// its self-trade prevention says otherwise, so a book may be locked or crossed by orders of one account
// and never by those of two. The book of a perpetual market keeps the positions that its fills make, so
// that a reduce-only order never trades beyond them. A book knows no money, no clock and no client:
// orders are slots with a generation, issued by clearing.

import { assert } from "../../core/assert.ts";
import type { MatchReplySink, MatchRequest } from "../../core/generated/messages.ts";
import { matchesPerOrderMax, ownSkipsMax, priceTicksMax } from "../../core/limits.ts";
import type { MatchOutcome } from "../../core/match-messages.ts";
import { OrderType, type Side, StpMode } from "../../core/orders.ts";

/** An order at the door: ticks and lots, MARKET with the price where its sweep stops. */
export type IncomingOrder = Omit<MatchRequest, "kind" | "market">;

/** Which order an amend changes, its new limit in ticks and its new open quantity as then seen. */
export type Amendment = Pick<
  MatchRequest,
  "slot" | "generation" | "stpMode" | "price" | "qty" | "seenQty"
>;

/** Where a sweep ends at the latest; its own type so that tests can reach the ends in few steps. */
export interface MatchingBounds {
  matchesPerOrderMax: number;
  ownSkipsMax: number;
}

/** The bounds the venue runs with. */
export const matchingBounds: Readonly<MatchingBounds> = { matchesPerOrderMax, ownSkipsMax };

/** Where a book tells what the order being handled does to resting ones, in order. */
export type BookListener = Omit<MatchReplySink, "ended">;

/** One price of the public book. */
export interface DepthLevel {
  price: number;
  qty: number;
}

/** A book of one market. Every operation leaves what is left of its order in `remaining`. */
export interface OrderBook {
  /** Lots of the last operation's order that were left to rest, expire or cancel; 0 if unknown. */
  readonly remaining: number;

  /** Trades and rests one order; refusals are outcomes. Asserts a free slot and sane numbers. */
  place(order: IncomingOrder): MatchOutcome;

  /**
   * Takes a resting order out: `cancelled`, or `unknown` where the handle is not (any more) here. With a
   * `seenQty` above 0 only while that many lots are open, else `changed`.
   */
  cancel(slot: number, generation: number, seenQty?: number): MatchOutcome;

  /**
   * Same price and no larger quantity keeps priority. Anything else leaves the queue and comes back
   * as a new GTC limit that may trade; a post-only order that would trade stays as it was. What the
   * order lost since `seenQty` is taken off; an order with nothing left by that is cancelled.
   */
  amend(amendment: Amendment): MatchOutcome;

  /** Changes the position of `account` by signed lots; asserts that the book keeps positions. */
  adjust(account: number, lots: number): void;

  /** Signed lots of `account`; 0 where the book keeps no positions. */
  position(account: number): number;

  /** Rests an order without trading: recovery loads orders so, in priority order. */
  restore(order: IncomingOrder): void;

  /** Best price in ticks, 0 where the side is empty. */
  bestBid(): number;
  bestAsk(): number;

  /** The best `levels` prices of a side with their whole quantity; allocates, not for the hot path. */
  depth(side: Side, levels: number): DepthLevel[];

  /** Orders resting on both sides; counts them one by one, not for the hot path. */
  restingCount(): number;

  /** One number for all resting orders in priority order and all positions. */
  stateHash(): number;
}

/** Asserts what clearing has already checked: a wrong number here is a bug, not a refusal. */
export const assertIncoming = (order: IncomingOrder): void => {
  assert(order.side >>> 1 === 0, "order has a side");
  assertLimit(order.price);
  assertOpenQty(order.qty);
  assert(order.account >= 0 && (order.account | 0) === order.account, "account is an index");
  assert(order.stpMode >>> 0 <= StpMode.decrement, "order has a self-trade prevention mode");
  assert(
    order.budget === 0 || (order.type === OrderType.market && isOpenQty(order.budget)),
    "a budget is a positive integer of a MARKET order",
  );
  assert(order.generation >= 0 && (order.generation | 0) === order.generation, "generation fits");
};

/**
 * The new open quantity of an order of which `open` lots are left: what it has lost since the amend
 * was decided counts against it, so that 0 and less leave nothing. Asserts one amend at a time.
 */
export const amendedQty = ({ qty, seenQty }: Amendment, open: number): number => {
  assert(seenQty >= open, "an order only loses lots between two amends");
  return qty - (seenQty - open);
};

/** Asserts 1 … priceTicksMax: a price then fits 32 bits, also negated. */
export const assertLimit = (price: number): void => {
  assert((price | 0) === price && price >= 1 && price <= priceTicksMax, "price is in range");
};

/** Asserts a positive 53-bit integer. */
export const assertOpenQty = (qty: number): void => {
  assert(isOpenQty(qty), "quantity is a positive integer of lots");
};

const isOpenQty = (qty: number): boolean => {
  return Number.isSafeInteger(qty) && qty >= 1;
};
