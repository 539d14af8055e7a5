// Estimates of what an order costs and of the price at which the resulting position would be liquidated. Margin is
// cross: all positions of the account share one collateral.

import { rescaled, textOf } from "../decimal-text.ts";
import { openingValue } from "../member/risk/order-cover.ts";
import { cutTo, exact, exactPlaces, sizeOf, times, whole } from "./exact.ts";
import type { Market } from "./market.ts";
import { rungsOf } from "./order-requests.ts";
import { expectedPrice, type Means, partsFault, quantityOf, type Ticket } from "./order-ticket.ts";
import {
  type BookFill,
  type ExpectedFill,
  expectedFill,
  fillOfQuantity,
  least,
} from "./ticket/book-fill.ts";
import { type FeeRates, worstFee } from "./ticket/fees.ts";

/** A range of position values with its maintenance margin: value times rate, less an offset. All in exact units. */
export interface MarginTier {
  readonly rate: bigint;
  /** Values up to this belong to the tier. */
  readonly valueMax: bigint;
  readonly offset: bigint;
}

/** The position that an account has in a market, and what stands behind it. All in exact units. */
export interface Holding {
  /** Negative for a short position. */
  readonly quantity: bigint;
  /** What the position cost: quantity times entry price. */
  readonly cost: bigint;
  /** Collateral, plus profit and less maintenance margin of the positions in other markets. */
  readonly behind: bigint;
}

export interface Estimate {
  /** Quantity in the base asset. */
  readonly quantity: string;
  /** What of the quantity would trade: of an order that may not rest, what the book would fill at once. */
  readonly traded: string;
  /** Value at the expected price; of an order that may not rest, of what the book would fill. */
  readonly value: string;
  /** Value of the whole quantity: what the book would not fill counts at the worst price that the order reaches. */
  readonly fullValue: string;
  /** What an order that may not rest would get from the book; null for other orders, and if it would get nothing. */
  readonly fill: ExpectedFill | null;
  /** Margin that the venue locks for what the order opens; of one that may not rest, for what the book would fill. */
  readonly margin: string;
  /** Mark price at which the position after the order is liquidated; null on spot and if there is no such price. */
  readonly liquidation: string | null;
  /**
   * The position after the order and, unless the order only made it smaller, what that position cost; on spot, what the
   * order trades.
   */
  readonly after: Pick<Holding, "quantity" | "cost">;
  /** Why there is no such price; empty if there is one, and on spot. */
  readonly whyNone: string;
}

/** Decimal places of USDC, the margin asset of perpetuals. */
const moneyPlaces = 6;
const moneyUnit = rescaled(1n, moneyPlaces, exactPlaces);

/**
 * Returns the mark at which what stands behind a position falls to its maintenance margin, in exact units. Within a tier
 * this is (cost - behind - offset) / (quantity - rate * size). Returns null without a position, if no mark does that, or
 * if the account does not cover the maintenance margin at the mark `now`: such a position cannot be opened.
 */
function liquidationMark(
  { quantity, cost, behind }: Holding,
  tiers: readonly MarginTier[],
  now: bigint,
): bigint | null {
  const size = sizeOf(quantity);
  if (size === 0n || !isCoveredAt({ quantity, cost, behind }, tiers, now)) return null;
  for (const { rate, valueMax, offset } of tiers) {
    const price = ((cost - behind - offset) * whole) / (quantity - times(size, rate));
    if (price <= 0n) return null;
    if (times(price, size) <= valueMax) return price;
  }
  return null;
}

/** The maintenance margin of a position of that value. */
export function maintenanceOf(value: bigint, tiers: readonly MarginTier[]): bigint {
  const tier = tiers.find(({ valueMax }) => value <= valueMax) ?? tiers.at(-1);
  return tier === undefined ? 0n : times(value, tier.rate) - tier.offset;
}

/** Value divided by leverage, rounded up to the next minor unit, as on the venue. */
export function marginOf(value: bigint, leverage: number): string {
  const part = BigInt(leverage) * moneyUnit;
  return textOf((value + part - 1n) / part, moneyPlaces);
}

/**
 * Returns the estimated cost of the order; null while price or quantity is incomplete. Without `rates`, which are read
 * after the log-in, the price of liquidation counts no fee.
 */
export function estimateOf(
  ticket: Ticket,
  market: Market,
  means: Means,
  holding: Holding,
  tiers: readonly MarginTier[],
  rates: FeeRates | undefined,
): Estimate | null {
  const quantity = quantityOf(ticket, market, means);
  const units = exact(quantity) ?? 0n;
  if (quantity === null || units <= 0n) return null;
  const wanted = tradable(units, ticket, holding);
  const taken = takenAtOnce(ticket, means, wanted);
  const fill = taken === null ? null : expectedFill(taken, wanted);
  const price = (fill === null ? expectedPrice(ticket, means.best) : exact(fill.average)) ?? 0n;
  if (price <= 0n) return null;
  const value = taken?.value ?? scaleValue(ticket, market, means) ?? times(price, units);
  if (value === 0n && means.crossing === undefined) return null;
  const filled = taken?.quantity ?? wanted;
  const signed = traded(ticket.side === "BUY" ? filled : -filled, ticket, holding);
  const after = {
    quantity: holding.quantity + signed,
    cost: holding.cost + times(price, signed),
    behind: holding.behind - worstFee(ticket, times(price, sizeOf(signed)), rates),
  };
  return {
    quantity,
    traded: cutTo(filled, exactPlaces),
    value: cutTo(value, moneyPlaces),
    fullValue: cutTo(value + times(taken?.worst ?? price, wanted - filled), moneyPlaces),
    fill,
    after: {
      quantity: after.quantity,
      cost: entryCost({ before: holding, after }, means, taken, price),
    },
    margin: marginOf(
      openedValue({ ticket, market, means }, { units, price, taken }) ?? value,
      means.leverage,
    ),
    ...liquidationOf({ before: holding, after }, market, tiers, price),
  };
}

/**
 * What the position cost after an order. One that turns a position over closes it with the best prices of the book, and
 * opens the new one with those after them.
 */
function entryCost(
  { before, after }: Change,
  { reach, crossing }: Means,
  taken: BookFill | null,
  price: bigint,
): bigint {
  const isTurned = before.quantity > 0n !== after.quantity > 0n && before.quantity !== 0n;
  if (!isTurned) return after.cost;
  const through = reach ?? crossing;
  if (taken === null || through === undefined) return times(price, after.quantity);
  const closing = fillOfQuantity(through, sizeOf(before.quantity))?.value ?? 0n;
  return after.quantity > 0n ? taken.value - closing : closing - taken.value;
}

/**
 * What an order that may not rest takes from the book; null for any other order, and while the book is unknown. One that is
 * filled or killed takes all or nothing.
 */
function takenAtOnce(ticket: Ticket, means: Means, units: bigint): BookFill | null {
  const { reach, crossing } = means;
  if (reach !== null) return fillOfQuantity(reach, units);
  if (crossing === undefined) return null;
  const price = exact(ticket.price) ?? 0n;
  const fill = fillOfQuantity(crossing, units);
  const isKilled = ticket.lifetime === "FOK" && fill !== null && fill.quantity < units;
  const taken = fill === null || isKilled ? { quantity: 0n, value: 0n, best: price } : fill;
  // Up to its own price the rest could still trade.
  return { ...taken, worst: price };
}

interface Entered {
  readonly ticket: Ticket;
  readonly market: Market;
  readonly means: Means;
}

/** The orders of a scale, each as one that trades at its price; null while its terms are incomplete. */
function rungsIn({ ticket, market, means }: Entered) {
  const hasTerms = exact(ticket.lastPrice) !== null && partsFault(ticket) === null;
  if (ticket.kind !== "SCALE" || !hasTerms) return null;
  return rungsOf(ticket, market, means).map(({ price, quantity }) => {
    return { side: ticket.side, price: exact(price) ?? 0n, quantity: exact(quantity) ?? 0n };
  });
}

/** The value of all orders of a scale, in their own lots and at their own prices. */
function scaleValue(ticket: Ticket, market: Market, means: Means): bigint | null {
  const rungs = rungsIn({ ticket, market, means });
  return rungs?.reduce((sum, { price, quantity }) => sum + times(price, quantity), 0n) ?? null;
}

interface Expected {
  readonly units: bigint;
  readonly price: bigint;
  readonly taken: BookFill | null;
}

/**
 * The value at which the venue margins what an order of `units` opens: the position covers its first part (ACC-9). Null on
 * spot.
 */
function openedValue(entered: Entered, { units, price, taken }: Expected): bigint | null {
  const { ticket, means } = entered;
  const { opening } = means;
  const through = means.reach ?? means.crossing;
  if (opening === undefined) return null;
  if (ticket.isReduceOnly) return 0n;
  if (taken !== null && through !== undefined) {
    const closing = least(opening.closable, taken.quantity);
    return taken.value - (fillOfQuantity(through, closing)?.value ?? 0n);
  }
  const orders = rungsIn(entered) ?? [{ side: ticket.side, price, quantity: units }];
  let [sum, { closable }] = [0n, opening];
  for (const order of orders) {
    sum += openingValue(order, { ...opening, closable });
    closable = closable > order.quantity ? closable - order.quantity : 0n;
  }
  return sum;
}

interface Change {
  readonly before: Holding;
  readonly after: Holding;
}

/** The price at which a position is liquidated, or why there is none. */
function liquidationOf(
  { before, after }: Change,
  { isPerpetual, pricePlaces }: Market,
  tiers: readonly MarginTier[],
  now: bigint,
): Pick<Estimate, "liquidation" | "whyNone"> {
  const mark = isPerpetual ? liquidationMark(after, tiers, now) : null;
  if (mark !== null) return { liquidation: cutTo(mark, pricePlaces), whyNone: "" };
  // Without the tiers, which are read after the log-in, nothing is known.
  const isKnown = isPerpetual && tiers.length > 0;
  return { liquidation: null, whyNone: isKnown ? whyNone({ before, after }, tiers, now) : "" };
}

function isCoveredAt(
  { quantity, cost, behind }: Holding,
  tiers: readonly MarginTier[],
  price: bigint,
): boolean {
  const equity = behind + times(quantity, price) - cost;
  return equity > maintenanceOf(times(sizeOf(quantity), price), tiers);
}

/** `price` is that of the order, at which the account may be liquidated already for the position that it has. */
function whyNone({ before, after }: Change, tiers: readonly MarginTier[], price: bigint): string {
  if (before.quantity !== 0n && !isCoveredAt(before, tiers, price)) {
    return "your position is liquidated before the order's price";
  }
  if (after.quantity === 0n) return before.quantity === 0n ? "no position" : "no position left";
  return isCoveredAt(after, tiers, price) ? "your equity covers it" : "not enough margin";
}

/** How much of an order can trade; the whole of a reduce-only order that has nothing to reduce. */
function tradable(units: bigint, ticket: Ticket, holding: Holding): bigint {
  const own = sizeOf(traded(ticket.side === "BUY" ? units : -units, ticket, holding));
  return own > 0n ? own : units;
}

/** What the order can trade at most: a reduce-only order never goes beyond the position. */
function traded(signed: bigint, { isReduceOnly }: Ticket, { quantity }: Holding): bigint {
  if (!isReduceOnly) return signed;
  if (signed > 0n === quantity > 0n) return 0n;
  return sizeOf(signed) > sizeOf(quantity) ? -quantity : signed;
}
