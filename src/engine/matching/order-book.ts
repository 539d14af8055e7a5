// What a book of one market does, whichever way it is built. `naive-book.ts` says it readably,
// `fast-book.ts` does it quickly; the same tests and a comparison by state hash hold them equal.
//
// Priority is price, then time. An incoming order steps over resting orders of its own account, so
// a book may be locked or crossed by orders of one account and never by those of two. A book knows
// no money, no clock and no client: orders are slots with a generation, issued by clearing.

import { assert } from "../../core/assert.ts";
import { matchesPerOrderMax, ownSkipsMax, priceTicksMax } from "../../core/limits.ts";
import type { MatchOutcome, MatchRequest } from "../../core/match-messages.ts";
import type { Side } from "../../core/orders.ts";

/** An order at the door: ticks and lots, MARKET with the price where its sweep stops. */
export type IncomingOrder = Omit<MatchRequest, "kind" | "market">;

/** Which order an amend changes, and its new limit in ticks and whole new open quantity in lots. */
export type Amendment = Pick<MatchRequest, "slot" | "generation" | "price" | "qty">;

/** Where a sweep ends at the latest; its own type so that tests can reach the ends in few steps. */
export interface MatchingBounds {
  matchesPerOrderMax: number;
  ownSkipsMax: number;
}

/** The bounds the venue runs with. */
export const matchingBounds: Readonly<MatchingBounds> = { matchesPerOrderMax, ownSkipsMax };

/** Where fills leave the book: the order being handled traded `qty` lots with `makerSlot`. */
export interface FillListener {
  filled(makerSlot: number, price: number, qty: number): void;
}

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

  /** Takes a resting order out: `cancelled`, or `unknown` where the handle is not (any more) here. */
  cancel(slot: number, generation: number): MatchOutcome;

  /**
   * Same price and no larger quantity keeps priority. Anything else leaves the queue and comes back
   * as a new GTC limit that may trade; a post-only order that would trade stays as it was.
   */
  amend(amendment: Amendment): MatchOutcome;

  /** Rests an order without trading: recovery loads orders so, in priority order. */
  restore(order: IncomingOrder): void;

  /** Best price in ticks, 0 where the side is empty. */
  bestBid(): number;
  bestAsk(): number;

  /** The best `levels` prices of a side with their whole quantity; allocates, not for the hot path. */
  depth(side: Side, levels: number): DepthLevel[];

  /** Orders resting on both sides. */
  restingCount(): number;

  /** One number for price, account, handle and quantity of all resting orders in priority order. */
  stateHash(): number;
}

/** What type and time in force together ask for; the bits of `traitsOf`. */
export const OrderTrait = {
  /** A remainder with nothing to trade with stays in the book. */
  mayRest: 1,
  /** Refused when it would trade: GTX on futures, LIMIT_MAKER on spot. */
  postOnly: 2,
  /** Trades whole or not at all. */
  fillOrKill: 4,
  /** Set for every combination that exists. */
  exists: 8,
} as const;

const { mayRest, postOnly, fillOrKill, exists } = OrderTrait;

/** Four times in force (GTC, IOC, FOK, GTX) for each type (LIMIT, MARKET, LIMIT_MAKER). */
const traits = Int32Array.of(
  ...[exists | mayRest, exists, exists | fillOrKill, exists | mayRest | postOnly],
  ...[exists, exists, exists | fillOrKill, 0],
  ...[exists | mayRest | postOnly, 0, 0, exists | mayRest | postOnly],
);

/** The traits of an order; asserts that its type and time in force go together. */
export function traitsOf(order: Pick<IncomingOrder, "type" | "timeInForce">): number {
  assert(order.timeInForce >>> 2 === 0, "order has a time in force");
  const found = traits[(order.type << 2) | order.timeInForce] ?? 0;
  assert(found !== 0, "type and time in force go together");
  return found;
}

/** Asserts what clearing has already checked: a wrong number here is a bug, not a refusal. */
export function assertIncoming(order: IncomingOrder): void {
  assert(order.side >>> 1 === 0, "order has a side");
  assertLimit(order.price);
  assertOpenQty(order.qty);
  assert(order.account >= 0 && (order.account | 0) === order.account, "account is an index");
  assert(order.generation >= 0 && (order.generation | 0) === order.generation, "generation fits");
}

/** Asserts 1 … priceTicksMax: a price then fits 32 bits, also negated. */
export function assertLimit(price: number): void {
  assert((price | 0) === price && price >= 1 && price <= priceTicksMax, "price is in range");
}

/** Asserts a positive 53-bit integer. */
export function assertOpenQty(qty: number): void {
  assert(Number.isSafeInteger(qty) && qty >= 1, "quantity is a positive integer of lots");
}
