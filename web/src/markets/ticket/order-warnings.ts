// What a user may not have meant by an order of a perpetual: a reduce-only order without a position that it could reduce,
// a limit price far through the book, a stop that comes after the liquidation.

import { shown } from "../../decimal-text.ts";
import { cutTo, exact, roundedTo, whole } from "../exact.ts";
import type { Market } from "../market.ts";
import type { Means, Ticket } from "../order-ticket.ts";
import { lateStopHint } from "../positions/guard-terms.ts";
import { closingSide } from "../positions/guards.ts";
import { marketReach } from "./book-fill.ts";

/** Returns that there is no position that a reduce-only order of any kind could reduce (spec ORD-31); empty if there is one. */
export function reduceFault(
  { side, isReduceOnly }: Ticket,
  { isPerpetual }: Market,
  { opening }: Pick<Means, "opening">,
): string {
  if (!isPerpetual || !isReduceOnly || opening?.reducible !== 0n) return "";
  return `Reduce only: you have no ${side === "BUY" ? "short" : "long"} position to reduce`;
}

/** Says that a reduce-only order is larger than the position: the venue trades no more than that. */
export function shrinkNote(
  { isReduceOnly }: Ticket,
  { isPerpetual, quantityPlaces }: Market,
  { opening }: Pick<Means, "opening">,
  quantity: string | undefined,
): string {
  const [wanted, most] = [exact(quantity) ?? 0n, opening?.reducible ?? 0n];
  if (!isPerpetual || !isReduceOnly || most === 0n || wanted <= most) return "";
  return `Reduce only: at most your position of ${cutTo(most, quantityPlaces)} will trade.`;
}

/** Warns of a limit order that may trade at once further through the book than one at the market would. */
export function farPriceNote({ kind, side, price }: Ticket, { best }: Pick<Means, "best">): string {
  const [own, from] = [exact(price), exact(best)];
  if (kind !== "LIMIT" || own === null || from === null || from <= 0n) return "";
  const beyond = side === "BUY" ? own - from : from - own;
  const percent = (beyond * 100n * whole) / from;
  if (percent <= (exact(marketReach) ?? 0n)) return "";
  const where = side === "BUY" ? "above the best sell" : "below the best buy";
  return `This price is ${roundedTo(percent, 1)} % ${where}: the order trades at once, up to it.`;
}

/** Warns that a trailing stop starts at once, because the price has passed its activation price already. */
export function activationNote(
  { kind, side, trigger, triggeredBy }: Ticket,
  { isPerpetual, pricePlaces }: Market,
  { watched }: Pick<Means, "watched">,
): string {
  const [own, now] = [exact(trigger), exact(watched)];
  if (kind !== "TRAILING" || own === null || own === 0n || now === null || now <= 0n) return "";
  const isPassed = side === "SELL" ? own <= now : own >= now;
  if (!isPassed) return "";
  const where = side === "SELL" ? "above" : "below";
  const what = isPerpetual && triggeredBy === "MARK_PRICE" ? "the mark price" : "the last price";
  return `Activation price: ${where} ${shown(watched, pricePlaces)}, ${what}, or it follows from now on.`;
}

interface Held {
  readonly side: "LONG" | "SHORT";
  readonly liquidation_price: string | null;
}

/** Says that a stop which closes the position comes after its liquidation; empty for any other order. */
export function lateStopNote(
  { kind, side, trigger }: Ticket,
  { pricePlaces }: Market,
  position: Held | undefined,
): string {
  const isStop = kind === "STOP_MARKET" || kind === "STOP_LIMIT";
  if (!isStop || position === undefined || closingSide(position) !== side) return "";
  return lateStopHint(position, pricePlaces, trigger) ?? "";
}
