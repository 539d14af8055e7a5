// The user's own limits on orders: a confirmation before each order, the largest value, the largest distance of a price
// from the mark, and how much worse than the best price a market order may trade.

import { grouped, shown } from "../decimal-text.ts";
import { exact, sizeOf, times } from "./exact.ts";
import type { Market } from "./market.ts";
import { orderKinds } from "./order-kinds.ts";
import { numberFault, type Ticket } from "./order-ticket.ts";

export interface OrderGuards {
  readonly confirms: boolean;
  /** In the quote asset; empty for no limit. */
  readonly valueMax: string;
  /** In percent of the mark; empty for no limit. */
  readonly distanceMax: string;
  /** In percent of the best price; empty for a plain market order. */
  readonly slippageMax: string;
}

export const noGuards: OrderGuards = {
  confirms: false,
  valueMax: "",
  distanceMax: "",
  slippageMax: "",
};

/** The greatest values of the limits; "0" for any. */
const guardMost = { valueMax: "0", distanceMax: "100", slippageMax: "50" } as const;

type Limit = keyof typeof guardMost;

/** Returns what is wrong with the text of a limit; null if it is valid or empty. */
export function limitFault(name: Limit, label: string, text: string): string | null {
  return text === "" ? null : numberFault(label, text, "0.01", guardMost[name]);
}

/** Reads stored limits; one that is missing or invalid is none. */
export function acceptGuards(value: unknown): OrderGuards | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const stored: Readonly<Record<string, unknown>> = { ...value };
  const limit = (name: Limit): string => {
    const text = stored[name];
    return typeof text === "string" && limitFault(name, name, text) === null ? text : "";
  };
  return {
    confirms: stored["confirms"] === true,
    valueMax: limit("valueMax"),
    distanceMax: limit("distanceMax"),
    slippageMax: limit("slippageMax"),
  };
}

/**
 * The prices of a ticket that may not be far from the mark: limit prices, and the prices at which an order begins. Not
 * take profit and stop loss, which are far on purpose. `pegged` is the price that a pegged order would get.
 */
export function guardedPrices(
  { kind, price, lastPrice, trigger, stopPrice }: Ticket,
  pegged = "",
): string[] {
  const { hasPrice, hasTrigger } = orderKinds[kind];
  const prices = [
    hasPrice ? price : "",
    kind === "SCALE" ? lastPrice : "",
    kind === "OCO" ? stopPrice : "",
    kind === "PEGGED" ? pegged : "",
    hasTrigger || kind === "TRAILING" ? trigger : "",
  ];
  return prices.filter((text) => text !== "");
}

/** What the guards look at. Texts are decimal; the reference is the mark, or the last price on spot. */
export interface GuardedOrder {
  readonly value: string | undefined;
  /** Limit and trigger prices; none of an order at the market. */
  readonly prices: readonly string[];
  readonly reference: string | undefined;
}

/**
 * Returns why the user's own limits forbid an order; null if they do not. A limit that cannot be checked forbids it too.
 */
export function guardFault(
  { value, prices, reference }: GuardedOrder,
  { valueMax, distanceMax }: OrderGuards,
  market: Market,
): string | null {
  return (
    valueFault(value, valueMax, market.quote) ??
    distanceFault(prices, reference, distanceMax, market)
  );
}

function valueFault(value: string | undefined, valueMax: string, quote: string): string | null {
  const [units, most] = [exact(value), exact(valueMax)];
  if (most === null) return null;
  if (units === null)
    return "Your own limit: the value of this order is unknown, so it is not sent.";
  if (units <= most) return null;
  return `Your own limit: an order of at most ${grouped(valueMax)} ${quote}. This one is ${shown(value, 2)} ${quote}.`;
}

function distanceFault(
  prices: readonly string[],
  reference: string | undefined,
  distanceMax: string,
  { symbol, isPerpetual, pricePlaces }: Market,
): string | null {
  const [mark, share] = [exact(reference) ?? 0n, exact(distanceMax)];
  if (share === null || prices.length === 0) return null;
  if (mark === 0n) {
    const name = isPerpetual ? "mark price" : "last price";
    return `Your own limit: ${symbol} has no ${name} to measure the distance from, so nothing is sent.`;
  }
  const isNear = (price: string) =>
    sizeOf((exact(price) ?? 0n) - mark) * 100n <= times(mark, share);
  if (prices.every(isNear)) return null;
  return `Your own limit: a price at most ${grouped(distanceMax)} % from ${shown(reference, pricePlaces)}.`;
}
