// Why the venue would refuse an order, said while it is being entered: from what the page knows. The venue has the final
// say, so these notes forbid nothing.

import { bare, shown } from "../../decimal-text.ts";
import { shortfallText } from "../../member/risk/order-cover.ts";
import { cutTo, exact, times } from "../exact.ts";
import type { Market } from "../market.ts";
import type { Estimate } from "../order-estimate.ts";
import { isWaiting, orderKinds } from "../order-kinds.ts";
import {
  bandFault,
  enteredFault,
  type Means,
  moneyOf,
  needFor,
  type Ticket,
} from "../order-ticket.ts";
import { marketReach } from "./book-fill.ts";

/** What is known about an order before it is sent. */
export interface Entered {
  readonly ticket: Ticket;
  readonly market: Market;
  readonly means: Means;
  /** Null while price or quantity is incomplete. */
  readonly estimate: Estimate | null;
  /** The price that bounds limit prices; undefined if unknown. */
  readonly reference: string | undefined;
  readonly nowMs: number;
}

/** Returns the first reason as text for the user; empty without one. */
export function ticketNote(entered: Entered): string {
  const { market, means, nowMs, estimate, reference } = entered;
  const ticket = finished(entered.ticket);
  const { kind, price } = ticket;
  const isBounded = orderKinds[kind].hasPrice && !isWaiting(kind);
  const fault =
    enteredFault(ticket, market, means, nowMs) ??
    (isBounded ? bandFault(price, market, reference) : null);
  if (fault !== null || estimate === null) return fault ?? "";
  return valueNote(entered, estimate) ?? fundsNote(entered, estimate);
}

/** The ticket without numbers of which only zeros are typed so far, such as "0.0". */
function finished(ticket: Ticket): Ticket {
  const typed = (text: string) => (exact(text) === 0n ? "" : text);
  const { quantity, price, trigger, lastPrice } = ticket;
  return {
    ...ticket,
    quantity: typed(quantity),
    price: typed(price),
    trigger: typed(trigger),
    lastPrice: typed(lastPrice),
  };
}

/** Price at which the venue reserves for an order that trades at the market: 5 % beyond the best one or the trigger. */
function reservedAt(price: bigint, percent: string): bigint {
  return price + times(price, exact(percent) ?? 0n) / 100n;
}

function valueNote({ ticket, market, means }: Entered, estimate: Estimate): string | null {
  const { kind, isReduceOnly, parts } = ticket;
  const { notionalMin, quote, isPerpetual } = market;
  if (isPerpetual && isReduceOnly) return null;
  const isSplit = kind === "SCALE" || kind === "TWAP";
  const whole =
    means.reach === null
      ? (exact(estimate.value) ?? 0n)
      : times(exact(means.best) ?? 0n, exact(estimate.quantity) ?? 0n);
  const least = exact(notionalMin) ?? 0n;
  if (whole >= (isSplit ? least * BigInt(parts) : least)) return null;
  const minimum = `Order value: at least ${bare(notionalMin)} ${quote}`;
  return isSplit ? `${minimum} for each of the ${parts} orders` : minimum;
}

/** Why the available balance does not cover an order that opens a perpetual position; empty if it does or is unknown. */
export function coverFault({
  ticket,
  means,
  estimate,
}: Pick<Entered, "ticket" | "means" | "estimate">): string {
  const [need, free] = [needFor(ticket, means, estimate?.quantity), exact(means.free)];
  if (need === null || free === null || means.opening === undefined) return "";
  return shortfallText(need, free, means.opening);
}

/** What a spot order reserves of the wallet that pays for it. */
function neededOnSpot(entered: Entered, estimate: Estimate): bigint {
  const { ticket, market, means } = entered;
  const quantity = exact(estimate.quantity) ?? 0n;
  if (ticket.side === "SELL") return quantity;
  return exact(moneyOf(ticket, market, means)) ?? neededToBuy(entered, estimate, quantity);
}

/** What a spot buy of a quantity reserves. */
function neededToBuy({ ticket, means }: Entered, estimate: Estimate, quantity: bigint): bigint {
  const { kind, trigger } = ticket;
  if (means.reach !== null) {
    return times(reservedAt(exact(means.best) ?? 0n, means.reach.percent), quantity);
  }
  const triggered = times(reservedAt(exact(trigger) ?? 0n, marketReach), quantity);
  if (kind === "STOP_MARKET" || kind === "TAKE_PROFIT_MARKET") return triggered;
  const value = exact(estimate.value) ?? 0n;
  return kind === "OCO" && triggered > value ? triggered : value;
}

function fundsNote(entered: Entered, estimate: Estimate): string {
  const { ticket, market, means } = entered;
  const { base, quote, isPerpetual, quantityPlaces } = market;
  if (isPerpetual) {
    const fault = coverFault(entered);
    return fault === "" ? "" : `Available balance too low. ${fault}`;
  }
  const [need, free] = [neededOnSpot(entered, estimate), exact(means.free)];
  if (free === null || need <= free) return "";
  const [asset, places] = ticket.side === "SELL" ? [base, quantityPlaces] : [quote, 2];
  const amount = (units: bigint) => shown(cutTo(units, places), places);
  return `Needs ${amount(need)} ${asset}, and ${amount(free)} are available`;
}
