// What an order at the market would get from the book as it stands: it takes the levels of the other side, best first,
// as far as its limit of the price allows.

import { bare, shown } from "../../decimal-text.ts";
import type { Entry } from "../book-groups.ts";
import { cutTo, exact, exactPlaces, sizeOf, times, whole } from "../exact.ts";
import type { Market } from "../market.ts";

type Level = Pick<Entry, "price" | "quantity">;

/** The side of the book that an order would trade against, as far as it can trade. */
export interface Reach {
  /** Best first. */
  readonly levels: readonly Level[];
  /** How much worse than the best price the order may trade, in percent. */
  readonly percent: string;
  /** Whether that is the user's own limit, with which the order is sent as a limit order. */
  readonly isOwn: boolean;
}

/** The venue's own limit of a market order, in percent of the best price (spec ORD-8). */
export const marketReach = "5";

/** The levels that a limit order which may not rest can trade with: those at its price or better, best first. */
export type Crossing = Pick<Reach, "levels">;

/** What an order trades at once. In exact units. */
export interface BookFill {
  readonly quantity: bigint;
  readonly value: bigint;
  /** The best price, at which the order begins, and the worst one that it reaches. */
  readonly best: bigint;
  readonly worst: bigint;
}

/**
 * Takes levels while `part` says how much of each is wanted: a function of price and quantity of the level, and of what
 * is taken already. Null without a level.
 */
function taken(
  { levels, percent }: Crossing & Partial<Reach>,
  part: (price: bigint, offered: bigint, done: BookFill) => bigint,
): BookFill | null {
  const best = exact(levels[0]?.price);
  if (best === null) return null;
  const farthest = percent === undefined ? null : times(best, exact(percent) ?? 0n) / 100n;
  let done: BookFill = { quantity: 0n, value: 0n, best, worst: best };
  for (const level of levels) {
    const [price, offered] = [exact(level.price) ?? 0n, exact(level.quantity) ?? 0n];
    const quantity = part(price, offered, done);
    const isTooFar = farthest !== null && sizeOf(price - best) > farthest;
    if (quantity <= 0n || isTooFar) break;
    const value = done.value + times(price, quantity);
    done = { best, worst: price, quantity: done.quantity + quantity, value };
  }
  return done;
}

export function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** What an order of `quantity` trades; less than it wants if the book has no more. Null if that side is empty. */
export function fillOfQuantity(
  reach: Crossing & Partial<Reach>,
  quantity: bigint,
): BookFill | null {
  return taken(reach, (_, offered, done) => least(offered, quantity - done.quantity));
}

/**
 * The quantity that an order for so much money trades. What the book has no more of counts at the worst price reached.
 * Null if that side is empty.
 */
export function quantityFor(reach: Reach, value: bigint): bigint | null {
  const fill = taken(reach, (price, offered, done) =>
    least(offered, ((value - done.value) * whole) / price),
  );
  return fill === null ? null : fill.quantity + ((value - fill.value) * whole) / fill.worst;
}

/** What a trader sees of a fill before it happens. */
export interface ExpectedFill {
  readonly average: string;
  /** How much worse the average is than the best price, in percent. */
  readonly slippage: string;
  /** The part of the quantity that the book cannot fill within the reach; "0" if it fills all of it. */
  readonly unfilled: string;
}

/** Returns the expectations of an order for `quantity`, of which the book has `fill`; null if it has nothing. */
export function expectedFill(fill: BookFill, quantity: bigint): ExpectedFill | null {
  if (fill.quantity === 0n) return null;
  const average = (fill.value * whole) / fill.quantity;
  const worse = (sizeOf(average - fill.best) * 100n * whole) / fill.best;
  return {
    average: cutTo(average, exactPlaces),
    slippage: cutTo(worse, exactPlaces),
    unfilled: cutTo(quantity - fill.quantity, exactPlaces),
  };
}

/** The levels of a side of the book at `price` or better for an order of `side`. */
export function crossingOf(
  side: "BUY" | "SELL",
  price: bigint,
  levels: Crossing["levels"],
): Crossing {
  const isWithin = (level: Level): boolean => {
    const at = exact(level.price) ?? 0n;
    return side === "BUY" ? at <= price : at >= price;
  };
  return { levels: levels.filter(isWithin) };
}

/** How far an order at the market reaches, as `unfilledText` says it. */
export function withinPercent(percent: string): string {
  return `Within ${bare(percent)} % of the best price`;
}

/** How far an order with that limit reaches. */
export function atLimit(price: string, { pricePlaces }: Pick<Market, "pricePlaces">): string {
  return `At ${shown(price, pricePlaces)} or better`;
}

/** Says which part of an order the book cannot fill as far as the order reaches; empty if it fills all of it. */
export function unfilledText(
  { unfilled }: ExpectedFill,
  reached: string,
  { base, quantityPlaces }: Market,
): string {
  if ((exact(unfilled) ?? 0n) <= 0n) return "";
  const rest = `${shown(unfilled, quantityPlaces)} ${base}`;
  return `${reached} the book has too little: ${rest} will expire.`;
}
