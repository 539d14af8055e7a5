// Pegged orders on spot: a limit order that takes its price once from a level of the book (spec SPT-80 to SPT-82). Says which
// price that would be, and why the venue would refuse a peg.

import { shown } from "../../decimal-text.ts";
import { exact } from "../exact.ts";
import type { Market } from "../market.ts";
import type { Lifetime } from "../order-kinds.ts";
import type { Side } from "../ticket-requests.ts";

export type Peg = "PRIMARY_PEG" | "MARKET_PEG";

/** The pegs, as the ticket calls them. */
export const pegNames: Readonly<Record<Peg, string>> = {
  PRIMARY_PEG: "Best price of your side",
  MARKET_PEG: "Best price of the other side",
};

/** The most levels that an order may be behind the best one. */
const levelsMax = 100;

interface Levels {
  readonly bids: readonly { readonly price: string }[];
  readonly asks: readonly { readonly price: string }[];
}

/** What this file reads of a ticket. */
interface Pegged {
  readonly side: Side;
  readonly peg: Peg;
  /** Levels behind the best one; empty for none. */
  readonly pegLevels: string;
  /** The worst price that the order may get; empty for any. */
  readonly price: string;
  readonly lifetime: Lifetime;
}

function isCount(text: string): boolean {
  return text === "" || (/^\d{1,3}$/.test(text) && Number(text) <= levelsMax);
}

function worse(side: Side, one: string, other: string): boolean {
  const [a, b] = [exact(one) ?? 0n, exact(other) ?? 0n];
  return side === "BUY" ? a > b : a < b;
}

/** The price that the order would get from the book as it is, never worse than its own; undefined without such a level. */
export function pegPrice(ticket: Pegged, { bids, asks }: Levels): string | undefined {
  const { side, peg, pegLevels, price } = ticket;
  if (!isCount(pegLevels)) return undefined;
  const levels = (side === "BUY") === (peg === "PRIMARY_PEG") ? bids : asks;
  const level = levels[Number(pegLevels)]?.price;
  if (level === undefined || exact(price) === null) return level;
  return worse(side, level, price) ? price : level;
}

/** Returns why the venue would refuse the peg; null if it would not. `found` is the price that the order would get. */
export function pegFault(
  { peg, pegLevels, lifetime }: Pegged,
  found: string | undefined,
): string | null {
  if (!isCount(pegLevels)) return `Levels behind: a whole number from 0 to ${levelsMax}, or empty`;
  if (peg === "PRIMARY_PEG" && (lifetime === "IOC" || lifetime === "FOK")) {
    return "The best price of your side does not trade at once: choose Good till cancelled or Post only";
  }
  if (peg === "MARKET_PEG" && lifetime === "GTX") {
    return "The best price of the other side trades at once, so it cannot be post-only";
  }
  return found === undefined ? "The book has no such level to take the price from" : null;
}

/** The parameters of the peg on the surface of spot markets. */
export function pegParameters({ peg, pegLevels, price, lifetime }: Pegged) {
  const behind = Number(pegLevels);
  return {
    pegPriceType: peg,
    ...(behind > 0 && { pegOffsetType: "PRICE_LEVEL", pegOffsetValue: String(behind) }),
    ...(price !== "" && { price }),
    ...(lifetime !== "GTX" && { timeInForce: lifetime }),
  };
}

/** The peg in words: "Best price of your side, 2 levels behind, at most 0.2000". */
export function pegText(
  { side, peg, pegLevels, price }: Pegged,
  { pricePlaces }: Pick<Market, "pricePlaces">,
): string {
  const behind = Number(pegLevels);
  const bound = side === "BUY" ? "at most" : "at least";
  return [
    pegNames[peg],
    ...(behind > 0 ? [`${behind} ${behind === 1 ? "level" : "levels"} behind`] : []),
    ...(price === "" ? [] : [`${bound} ${shown(price, pricePlaces)}`]),
  ].join(", ");
}
