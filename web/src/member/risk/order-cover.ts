// What the perp wallet must cover before an order may open a position: its margin, what the margin floor adds, and the
// loss at the mark (spec RSK-34, ACC-20). The venue computes the same. Independent of page and network; money, prices
// and quantities are in exact units.

import { shown } from "../../decimal-text.ts";
import { cutTo, exact, times, whole } from "../../markets/exact.ts";
import { fillOfQuantity, marketReach } from "../../markets/ticket/book-fill.ts";
import type { Side } from "../../markets/ticket-requests.ts";

/** What, besides its price, decides what an order of an account needs in a market. */
export interface OpeningTerms {
  /** The account's leverage in the market. */
  readonly leverage: number;
  /** Leverage above which the margin floor exceeds the margin; null without a floor. */
  readonly floorLeverage: number | null;
  /** What the floor adds for the positions and orders that the account has, in all markets. */
  readonly beside: bigint;
  /** Mark of the market; null while unknown, and for an order that waits for its trigger: then nothing is reserved. */
  readonly mark: bigint | null;
  /** Quantity of the position that a reduce-only order of this side can close; null while unknown. */
  readonly reducible: bigint | null;
  /** Quantity that the order may close before it opens anything. */
  readonly closable: bigint;
  /** Quantity that the leverage's largest position leaves for this side; null for no limit. */
  readonly quantityMax: bigint | null;
  /** The largest value of a position at the leverage; absent or null for no limit. */
  readonly valueMax?: bigint | null;
  /** The orders against which the order would trade, best first; of one that is not at the market, only the best price. */
  readonly levels: readonly { readonly price: string; readonly quantity: string }[];
}

export interface Need {
  readonly margin: bigint;
  /** What the floor needs beyond the margin, for this order and all that the account has. */
  readonly floor: bigint;
  /** What the order would lose at once if it traded at its price. */
  readonly loss: bigint;
  readonly total: bigint;
}

/** Part of the value, in thousandths, that is left free: for the fee, and at the market for a price that moves. */
const spare = { limit: 1n, market: 2n } as const;

function lossAt(price: bigint, side: Side, { mark }: OpeningTerms): bigint {
  if (mark === null || mark === 0n) return 0n;
  const loss = side === "BUY" ? price - mark : mark - price;
  return loss > 0n ? loss : 0n;
}

/** A sell may trade above its limit, so its margin is at the best price if that is higher. */
function marginPrice(price: bigint, side: Side, { levels }: OpeningTerms): bigint {
  const best = exact(levels[0]?.price) ?? 0n;
  return side === "SELL" && best > price ? best : price;
}

function leastLeverage({ leverage, floorLeverage }: OpeningTerms): bigint {
  return BigInt(Math.min(leverage, floorLeverage ?? leverage));
}

interface Wanted {
  readonly side: Side;
  readonly price: bigint;
  readonly quantity: bigint;
}

/** Value of the part of an order that opens or enlarges a position, which alone needs margin; zero if it only closes. */
export function openingValue({ side, price, quantity }: Wanted, terms: OpeningTerms): bigint {
  const opening = quantity - terms.closable;
  return opening <= 0n ? 0n : times(marginPrice(price, side, terms), opening);
}

/** What an order of `quantity` that trades at `price` needs; null if it only closes, which the equity covers (ACC-21). */
export function needOf(order: Wanted, terms: OpeningTerms): Need | null {
  const { side, price, quantity } = order;
  if (quantity <= terms.closable) return null;
  const value = openingValue(order, terms);
  const margin = value / BigInt(terms.leverage);
  const floor = value / leastLeverage(terms) - margin + terms.beside;
  const loss = times(lossAt(price, side, terms), quantity);
  return { margin, floor, loss, total: margin + floor + loss };
}

/**
 * The largest quantity that `money` covers at `price`: what the order closes needs none of it, but the loss of an order that
 * also opens counts for all of it.
 */
function coveredAt(
  money: bigint,
  { side, price, perMille }: { side: Side; price: bigint; perMille: bigint },
  terms: OpeningTerms,
): bigint {
  const { closable } = terms;
  const loss = lossAt(price, side, terms);
  const left = money - terms.beside - times(loss, closable);
  const margined = marginPrice(price, side, terms);
  // In thousandths of a unit and of the leverage, so that nothing is rounded before the end.
  const leverage = leastLeverage(terms);
  const cost = margined * (1_000n + leverage * perMille) + loss * leverage * 1_000n;
  if (left <= 0n || cost <= 0n) return closable;
  return closable + (left * leverage * 1_000n * whole) / cost;
}

/** The leverage limits what an order opens, and not what it closes. */
function limited(quantity: bigint, { quantityMax, closable }: OpeningTerms): bigint {
  if (quantityMax === null || quantity <= quantityMax || quantity <= closable) return quantity;
  return quantityMax > closable ? quantityMax : closable;
}

/** The largest quantity of a limit order that `money` covers. */
export function coveredAtLimit(
  money: bigint,
  { side, price }: { side: Side; price: bigint },
  terms: OpeningTerms,
): bigint {
  return limited(coveredAt(money, { side, price, perMille: spare.limit }, terms), terms);
}

/**
 * The largest quantity of a market order that fills and that `money` covers at the last price it reaches; `best` is used
 * if the book is unknown.
 */
export function coveredAtMarket(
  money: bigint,
  { side, best }: { side: Side; best: bigint },
  terms: OpeningTerms,
): bigint {
  const covered = (price: bigint) =>
    coveredAt(money, { side, price, perMille: spare.market }, terms);
  if (terms.levels.length === 0) return limited(covered(best), terms);
  const band = times(best, exact(marketReach) ?? 0n) / 100n;
  let reached = 0n;
  for (const level of terms.levels) {
    const price = exact(level.price) ?? 0n;
    const distance = price > best ? price - best : best - price;
    const here = covered(price);
    if (distance > band || here <= reached) break;
    reached += exact(level.quantity) ?? 0n;
    if (here <= reached) return limited(here, terms);
  }
  return limited(reached, terms);
}

/** The worst price that a market order of `quantity` reaches; `best` if the book is unknown. */
export function reachedPrice(
  quantity: bigint,
  best: bigint,
  { levels }: Pick<OpeningTerms, "levels">,
): bigint {
  return fillOfQuantity({ levels, percent: marketReach, isOwn: false }, quantity)?.worst ?? best;
}

const moneyPlaces = 2;

/** An order at the market needs the margin of the worst price that it reaches, and is expected to lock that of its average. */
export const atWorst = " at the worst price";

function money(units: bigint): string {
  return shown(cutTo(units, moneyPlaces), moneyPlaces);
}

/** What the order needs beyond its margin, by name: "margin floor of 4 % 2,471.09, loss reserve 12.00". */
function extrasOf({ floor, loss }: Need, { floorLeverage }: OpeningTerms): string {
  const percent = floorLeverage === null ? "" : ` of ${shownPercent(floorLeverage)} %`;
  return [
    ...(floor > 0n ? [`margin floor${percent} ${money(floor)}`] : []),
    ...(loss > 0n ? [`loss reserve ${money(loss)}`] : []),
  ].join(", ");
}

function shownPercent(leverage: number): string {
  return String(Math.round(10_000 / leverage) / 100);
}

/**
 * Why `free` does not cover the need, with every part of it; empty if it does. `basis` is the price that it is of, if that is
 * not the order's own: " at the worst price".
 */
export function shortfallText(
  need: Need,
  free: bigint,
  terms: OpeningTerms,
  basis: "" | typeof atWorst = "",
): string {
  if (need.total <= free) return "";
  const extras = extrasOf(need, terms);
  const parts = extras === "" ? "" : `: margin ${money(need.margin)}, ${extras}`;
  return `It needs ${money(need.total)} USDC${basis}${parts}. You have ${money(free)} available.`;
}

/** Says what a leverage above the floor does not do; empty for any other. */
export function floorText(leverage: number, floorLeverage: number | null): string {
  if (floorLeverage === null || leverage <= floorLeverage) return "";
  const percent = shownPercent(floorLeverage);
  return (
    `This market has no outside price now, so opening needs at least ${percent} % of the value: ` +
    `above ${floorLeverage}× you cannot open more, and your other orders have less room.`
  );
}
