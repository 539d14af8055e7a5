// Why the venue would refuse an order, said while it is being entered: from what the page knows. The venue has the final
// say, so these notes forbid nothing.

import { bare, shown } from "../../decimal-text.ts";
import { atWorst, shortfallText } from "../../member/risk/order-cover.ts";
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
  reservedPrice,
  type Ticket,
} from "../order-ticket.ts";
import { tooLargeNote } from "./opening-notes.ts";
import { reduceFault } from "./order-warnings.ts";
import { sideFault } from "./price-order.ts";

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

type Covered = Pick<Entered, "ticket" | "market" | "means" | "estimate">;

/** Returns the first reason as text for the user; empty without one. */
export function ticketNote(entered: Entered): string {
  const { market, means, nowMs, estimate, reference } = entered;
  const ticket = finished(entered.ticket);
  const { kind, price } = ticket;
  const isBounded = orderKinds[kind].hasPrice && !isWaiting(kind);
  const nothing = reduceFault(ticket, market, means);
  if (nothing !== "") return nothing;
  const fault =
    enteredFault(ticket, market, means, nowMs) ??
    (isBounded ? bandFault(price, market, reference) : null);
  if (fault !== null) return fault;
  const side = sideFault(ticket, market, means);
  if (side !== "" || estimate === null) return side;
  const large = tooLargeNote(ticket, market, means, estimate.traded);
  return valueNote(entered, estimate) ?? (large || fundsNote(entered));
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

function valueNote({ ticket, market, means }: Entered, estimate: Estimate): string | null {
  const { kind, isReduceOnly, parts } = ticket;
  const { notionalMin, quote, isPerpetual } = market;
  if (isPerpetual && isReduceOnly) return null;
  const isSplit = kind === "SCALE" || kind === "TWAP";
  const whole =
    means.reach === null
      ? (exact(estimate.fullValue) ?? 0n)
      : times(exact(means.best) ?? 0n, exact(estimate.quantity) ?? 0n);
  const least = exact(notionalMin) ?? 0n;
  if (whole >= (isSplit ? least * BigInt(parts) : least)) return null;
  const minimum = `Order value: at least ${bare(notionalMin)} ${quote}`;
  return isSplit ? `${minimum} for each of the ${parts} orders` : minimum;
}

/** What an order needs and what there is, if the available balance does not cover it; empty if it does or is unknown. */
export function shortfallOf(entered: Covered): string {
  const { ticket, market, means, estimate } = entered;
  if (estimate === null) return "";
  if (!market.isPerpetual) return spotShortfall(entered, estimate);
  // The venue asks for all of a limit order, but of one at the market only for what the book fills.
  const isSweep = means.reach !== null && means.bound === undefined;
  const asked = isSweep ? estimate.traded : estimate.quantity;
  const [need, free] = [needFor(ticket, means, asked), exact(means.free)];
  if (need === null || free === null || means.opening === undefined) return "";
  return shortfallText(need, free, means.opening, isSweep ? atWorst : "");
}

/** What a spot order reserves of the wallet that pays for it. */
function neededOnSpot(entered: Covered, estimate: Estimate): bigint {
  const { ticket, market, means } = entered;
  const quantity = exact(estimate.quantity) ?? 0n;
  if (ticket.side === "SELL") return quantity;
  const money = exact(moneyOf(ticket, market, means));
  if (money !== null) return money;
  const price = ticket.kind === "SCALE" ? null : reservedPrice(ticket, means);
  return price === null ? (exact(estimate.value) ?? 0n) : times(price, quantity);
}

function spotShortfall(entered: Covered, estimate: Estimate): string {
  const { ticket, market, means } = entered;
  const { base, quote, quantityPlaces } = market;
  const [need, free] = [neededOnSpot(entered, estimate), exact(means.free)];
  if (free === null || need <= free) return "";
  const [asset, places] = ticket.side === "SELL" ? [base, quantityPlaces] : [quote, 2];
  const amount = (units: bigint) => shown(cutTo(units, places), places);
  return `Needs ${amount(need)} ${asset}, and ${amount(free)} are available`;
}

function fundsNote(entered: Entered): string {
  const fault = shortfallOf(entered);
  return fault !== "" && entered.market.isPerpetual ? `Available balance too low. ${fault}` : fault;
}
