// The orders of a list on spot: pending ones wait until their working order is filled, and sell what it has bought.
// Independent of page and network.

import { shown } from "../decimal-text.ts";

interface Listed {
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  readonly status: string;
  readonly qty: string;
}

/** An order of a list in the answer to its placing. */
export interface ListedReport {
  readonly side: "BUY" | "SELL";
  readonly price: string;
  /** Of a stop or take profit: its trigger. */
  readonly stopPrice?: string;
  /** None for an order that sells what another one buys. */
  readonly origQty?: string;
}

/** The orders of a list in words: "sell 200.0 at 0.2003, sell 200.0 from 0.1500". */
export function reportsText(
  reports: readonly ListedReport[],
  places: { readonly pricePlaces: number; readonly quantityPlaces: number },
): string {
  const text = ({ side, price, stopPrice = "0", origQty }: ListedReport): string => {
    const size = origQty === undefined ? "what is bought" : shown(origQty, places.quantityPlaces);
    const parts = [
      Number(price) === 0 ? "" : ` at ${shown(price, places.pricePlaces)}`,
      Number(stopPrice) === 0 ? "" : ` from ${shown(stopPrice, places.pricePlaces)}`,
    ];
    return `${side.toLowerCase()} ${size}${parts.join("")}`;
  };
  return reports.map(text).join(", ");
}

/** Number of the list that an order belongs to; -1 for none, undefined while unknown. */
type ListOf<T> = (order: T) => number | undefined;

/** Whether the order waits for another one of its list, which takes it along when it is cancelled. */
function isPending({ status }: Listed): boolean {
  return status === "PENDING_NEW";
}

/** The order that a pending one waits for; undefined if it is not among `open`, or their lists are unknown. */
function workingOrderOf<T extends Listed>(
  order: T,
  open: readonly T[],
  listOf: ListOf<T>,
): T | undefined {
  const list = listOf(order) ?? -1;
  if (list < 0) return undefined;
  return open.find((one) => !isPending(one) && listOf(one) === list);
}

/** The open orders that end with this one: itself, and the others of its list. */
export function endingWith<T extends Listed>(
  order: T,
  open: readonly T[],
  listOf: ListOf<T>,
): readonly T[] {
  const list = listOf(order) ?? -1;
  return list < 0 ? [order] : open.filter((one) => listOf(one) === list);
}

/**
 * The quantity of a pending order without one of its own: at most that of the order it waits for, whose fee may be taken
 * from it. Null if that is unknown.
 */
export function quantityToCome<T extends Listed>(
  order: T,
  open: readonly T[],
  listOf: ListOf<T>,
): string | null {
  if (!isPending(order)) return null;
  return workingOrderOf(order, open, listOf)?.qty ?? null;
}

/** What the cancel of one side, or of both, means in one market. */
export interface CancelPlan<T> {
  readonly symbol: string;
  /** Null for both sides. */
  readonly side: "BUY" | "SELL" | null;
  /** Orders to cancel one by one, of each list only one. */
  readonly chosen: readonly T[];
  /** How many orders of the side end. */
  readonly count: number;
  /** How many orders of the other side end with them, because they wait for one of them. */
  readonly following: number;
  /** How many orders of the side stay, because they wait for an order of the other side. */
  readonly staying: number;
}

function planOfSide<T extends Listed>(
  own: readonly T[],
  side: "BUY" | "SELL",
  listOf: ListOf<T>,
): Pick<CancelPlan<T>, "chosen" | "count" | "following" | "staying"> {
  const ofSide = own.filter((order) => order.side === side);
  const lists = new Set<number>();
  const chosen = ofSide.filter((order) => {
    if (isPending(order)) return false;
    const list = listOf(order) ?? -1;
    if (lists.has(list)) return false;
    if (list >= 0) lists.add(list);
    return true;
  });
  const ends = (order: T) => chosen.includes(order) || lists.has(listOf(order) ?? -1);
  const count = ofSide.filter(ends).length;
  const following = own.filter(ends).length - count;
  return { chosen, count, following, staying: ofSide.length - count };
}

/**
 * Plans the cancel of the open orders of one side (null: of both), market by market. A list belongs to the side of its
 * working order: "cancel sells" leaves a buy alone that has a take profit, and what waits for it. Markets without an order
 * to cancel are left out.
 */
export function cancelPlans<T extends Listed>(
  open: readonly T[],
  side: "BUY" | "SELL" | null,
  listOf: ListOf<T>,
): CancelPlan<T>[] {
  const plans = [...new Set(open.map(({ symbol }) => symbol))].map((symbol) => {
    const own = open.filter((order) => order.symbol === symbol);
    const all = { chosen: own, count: own.length, following: 0, staying: 0 };
    return { symbol, side, ...(side === null ? all : planOfSide(own, side, listOf)) };
  });
  return plans.filter(({ count }) => count > 0);
}

/** The plans as lines of a question: how many orders of which side and market, what goes with them and what stays. */
export function linesOf(plans: readonly CancelPlan<unknown>[]): string[] {
  return plans.flatMap(({ symbol, side, count, following, staying }) => {
    const kind = side === null ? "order" : `${side.toLowerCase()} order`;
    const other = side === "SELL" ? "buy" : "sell";
    return [
      `${counted(count, kind)} on ${symbol}`,
      ...(following === 0
        ? []
        : [`Also cancelled: ${counted(following, "order")} waiting for them`]),
      ...(staying === 0 ? [] : [`Not cancelled: ${counted(staying, kind)} waiting for a ${other}`]),
    ];
  });
}

/** A number with its noun: "1 order", "2 orders". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
