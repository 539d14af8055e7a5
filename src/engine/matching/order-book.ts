// The interface of a market's book. `naive-book.ts` is the readable implementation, `fast-book.ts` the fast one; the
// same tests and state-hash comparisons keep them equal.
//
// Priority is price, then time. An incoming order skips resting orders of its own account unless its self-trade
// prevention mode says otherwise, so a book can be locked or crossed by orders of one account, but never of two. An
// iceberg order shows one slice at a time; once it is filled, the next one joins the end of its queue and may trade in the
// same sweep. The book of a perpetual market tracks positions, so that a reduce-only order never trades beyond them. A
// book does not know money, clocks or clients: an order is identified by a slot and generation that clearing issued.

import { assert } from "../../core/assert.ts";
import type { MatchReplySink, MatchRequest } from "../../core/generated/messages.ts";
import { matchesPerOrderMax, ownSkipsMax, priceTicksMax } from "../../core/limits.ts";
import type { MatchOutcome } from "../../core/match-messages.ts";
import { OrderType, pegOffsetMax, type Side, StpMode } from "../../core/orders.ts";

/** An incoming order in ticks and lots. The price of a MARKET order is the price at which its sweep stops. */
export type IncomingOrder = Omit<MatchRequest, "kind" | "market">;

/** The order to amend, its new limit in ticks, its new open quantity, and the open quantity that the sender saw. */
export type Amendment = Pick<
  MatchRequest,
  "slot" | "generation" | "owner" | "stpMode" | "price" | "qty" | "seenQty" | "icebergQty"
>;

/** Limits of a sweep. They are parameters, so that tests can set small limits and reach them in few steps. */
export interface MatchingBounds {
  matchesPerOrderMax: number;
  ownSkipsMax: number;
}

/** The bounds the venue runs with. */
export const matchingBounds: Readonly<MatchingBounds> = { matchesPerOrderMax, ownSkipsMax };

/** Receives what the current order does to resting ones, in sequence. */
export type BookListener = Omit<MatchReplySink, "ended">;

/** One price level of the public book: only lots that orders show. */
export interface DepthLevel {
  price: number;
  qty: number;
}

/** A book of one market. Every operation sets `remaining`. */
export interface OrderBook {
  /**
   * Lots of the last operation's order that did not trade: they rest, expire or were cancelled; 0 for an unknown
   * order. After `readLevel`: the price that it read.
   */
  readonly remaining: number;

  /** Trades and rests one order; refusals are outcomes. Asserts a free slot and valid numbers. */
  place(order: IncomingOrder): MatchOutcome;

  /**
   * Removes a resting order and returns `cancelled`, or `unknown` if the book has no order with this handle. If
   * `seenQty` is above 0, the order is removed only if exactly that many lots are open; otherwise the outcome is
   * `changed`.
   */
  cancel(slot: number, generation: number, seenQty?: number): MatchOutcome;

  /**
   * An amend to the same price and no larger quantity keeps priority; an iceberg order loses hidden lots first. Any
   * other amend removes the order and matches it again as a GTC limit order, post-only if it was; a post-only order that
   * would trade stays unchanged. Lots that the order lost since the sender saw `seenQty` are subtracted; an order with no
   * lots left is cancelled.
   */
  amend(amendment: Amendment): MatchOutcome;

  /**
   * Reads the price in ticks of a level of a side, 1 for the best one, into `remaining`; 0 if the side has fewer levels.
   * Asserts 1 … pegOffsetMax + 1, which bounds the levels that it walks.
   */
  readLevel(side: Side, level: number): MatchOutcome;

  /** Changes the position of `account` by signed lots; asserts that the book tracks positions. */
  adjust(account: number, lots: number): void;

  /** Signed lots of `account`; 0 if the book tracks no positions. */
  position(account: number): number;

  /** Rests an order without trading; recovery loads orders this way, in priority order. */
  restore(order: IncomingOrder): void;

  /** Best price in ticks, 0 for an empty side. */
  bestBid(): number;
  bestAsk(): number;

  /** The best `levels` prices of a side with their total quantity. Allocates; not for the hot path. */
  depth(side: Side, levels: number): DepthLevel[];

  /** Number of resting orders; counts them one by one, not for the hot path. */
  restingCount(): number;

  /** One hash of all resting orders in priority order and of all positions. */
  stateHash(): number;
}

/** Asserts what clearing has checked: a wrong number here is a bug, not a refusal. */
export const assertIncoming = (order: IncomingOrder): void => {
  assert(order.side >>> 1 === 0, "the side of an order must be buy or sell");
  assertLimit(order.price);
  assertOpenQty(order.qty);
  assert(
    order.account >= 0 && (order.account | 0) === order.account,
    "the account must be a valid index",
  );
  assert(
    order.stpMode >>> 0 <= StpMode.decrement,
    "the order must have a known self-trade prevention mode",
  );
  assert(
    order.budget === 0 || (order.type === OrderType.market && isOpenQty(order.budget)),
    "only a MARKET order may have a budget, which must be a positive integer",
  );
  assert(
    order.generation >= 0 && (order.generation | 0) === order.generation,
    "the generation must be a non-negative 32-bit integer",
  );
};

/** Asserts that only a spot book, which `keepsPositions` says it is not, gets an iceberg order. */
export const assertSpotIfIceberg = (
  { icebergQty }: IncomingOrder,
  keepsPositions: boolean,
): void => {
  assert(
    icebergQty === 0 || !keepsPositions,
    "the market of an iceberg order must be a spot market",
  );
};

/**
 * The new open quantity of an order with `open` lots left: the lots that it has lost since the amend was decided are
 * subtracted. If the result is 0 or less, nothing is left of the order. Asserts that the order has not grown since
 * then, because clearing sends one amend of an order at a time.
 */
export const amendedQty = ({ qty, seenQty }: Amendment, open: number): number => {
  assert(seenQty >= open, "the open quantity of an order must not grow between two amends");
  return qty - (seenQty - open);
};

/** Asserts the number of a level that a peg may have. */
export const assertLevel = (level: number): void => {
  assert(
    Number.isInteger(level) && level >= 1 && level <= 1 + pegOffsetMax,
    "the number of a level must be within the bounds of pegs",
  );
};

/** Asserts 1 … priceTicksMax, so that a price and its negation fit 32 bits. */
export const assertLimit = (price: number): void => {
  assert(
    (price | 0) === price && price >= 1 && price <= priceTicksMax,
    "the price must be a whole number of ticks within its bounds",
  );
};

/** Asserts a positive 53-bit integer. */
export const assertOpenQty = (qty: number): void => {
  assert(isOpenQty(qty), "the quantity must be a positive whole number of lots");
};

const isOpenQty = (qty: number): boolean => {
  return Number.isSafeInteger(qty) && qty >= 1;
};
