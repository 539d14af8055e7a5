// The order ticket: what its user has entered, the quantity that it means, and checks before sending. The venue has the
// final say.

import {
  bare,
  flooredToStep,
  isOnStep,
  placesOf,
  shown,
  textOf,
  unitsOf,
} from "../decimal-text.ts";
import { notationFault } from "../entered-number.ts";
import {
  coveredAtLimit,
  coveredAtMarket,
  type Need,
  needOf,
  type OpeningTerms,
  reachedPrice,
} from "../member/risk/order-cover.ts";
import { cutTo, exact, exactPlaces, onStep, times, whole } from "./exact.ts";
import type { Market } from "./market.ts";
import {
  type Lifetime,
  lifetimesOf,
  type OrderKind,
  orderKinds,
  tradesAtMarket,
} from "./order-kinds.ts";
import { type Crossing, marketReach, quantityFor, type Reach } from "./ticket/book-fill.ts";
import { type Peg, pegFault } from "./ticket/pegs.ts";
import type { Side } from "./ticket-requests.ts";

export interface Ticket {
  readonly side: Side;
  readonly kind: OrderKind;
  /** Limit price; of a pegged order, the worst price that it may get, or empty for any. */
  readonly price: string;
  /** Price that triggers the order; of a trailing stop, the price at which it starts to follow, or empty for now. */
  readonly trigger: string;
  /** Limit price of the stop of an OCO; empty for a stop that trades at the market. */
  readonly stopPrice: string;
  readonly quantity: string;
  /** What the quantity is entered in. */
  readonly unit: "base" | "quote" | "percent";
  readonly lifetime: Lifetime;
  /** Of a pegged order: the level of the book that it takes its price from, and how many levels behind that. */
  readonly peg: Peg;
  readonly pegLevels: string;
  /** Quantity that an iceberg order shows in the book; empty for all of it. */
  readonly visible: string;
  /** End of a GTD order, as the browser's field gives it: "2026-12-01T12:00", in local time. */
  readonly goodTill: string;
  readonly isReduceOnly: boolean;
  readonly takeProfit: string;
  readonly stopLoss: string;
  /** The price that a trigger watches. */
  readonly triggeredBy: "MARK_PRICE" | "CONTRACT_PRICE";
  /** Distance at which a trailing stop follows, in percent. */
  readonly callback: string;
  /** Price of the last order of a scale. */
  readonly lastPrice: string;
  /** Number of orders of a scale or TWAP. */
  readonly parts: string;
  /** Length of a TWAP. */
  readonly minutes: string;
}

export const blankTicket: Ticket = {
  side: "BUY",
  kind: "LIMIT",
  price: "",
  trigger: "",
  stopPrice: "",
  quantity: "",
  unit: "base",
  lifetime: "GTC",
  peg: "PRIMARY_PEG",
  pegLevels: "",
  visible: "",
  goodTill: "",
  isReduceOnly: false,
  takeProfit: "",
  stopLoss: "",
  triggeredBy: "MARK_PRICE",
  callback: "1",
  lastPrice: "",
  parts: "5",
  minutes: "30",
};

/**
 * The changes of a ticket whose user chooses another kind. The activation price of a trailing stop is not the trigger of
 * other kinds: it never becomes one, nor the other way round. So it is with the worst price of a pegged order.
 */
export function turnedTo(kind: OrderKind, ticket: Ticket, market: Market): Partial<Ticket> {
  const allowed = lifetimesOf(kind, market);
  const turns = (one: OrderKind) => kind !== ticket.kind && [kind, ticket.kind].includes(one);
  return {
    kind,
    ...(!allowed.includes(ticket.lifetime) && { lifetime: "GTC" }),
    ...(turns("TRAILING") && { trigger: "" }),
    ...(turns("PEGGED") && { price: "" }),
  };
}

/** What limits the size of an order. Each is undefined if unknown or absent. */
export interface Means {
  /** Available in the wallet that pays: the quote asset for a buy, the base asset for a sell. */
  readonly free: string | undefined;
  /** Size of the position in the market, on either side. */
  readonly positionQuantity: string | undefined;
  /** Best price of the side of the book against which the order would trade; of a pegged order, the price it would get. */
  readonly best: string | undefined;
  /** The price that the ticket's trigger would watch: of a perpetual the mark, if so chosen, else the last price. */
  readonly watched?: string;
  /** What an order at the market can trade with; null for any other order. */
  readonly reach: Reach | null;
  /** What a limit order that may not rest can trade with; absent for any other order, and while the book is unknown. */
  readonly crossing?: Crossing;
  /** The account's leverage in the market; 1 on spot. */
  readonly leverage: number;
  /** What decides what an order of the ticket's side must have covered; undefined on spot. */
  readonly opening?: OpeningTerms;
  /** The price to which the user's own slippage limit binds a market order; undefined without a limit. */
  readonly bound?: string;
}

/** Decimal places of an amount that a part of the balance stands for. */
const spentDecimals = 2;

/** The price at which an order is expected to trade; null if unknown, also while something else than a number is entered. */
export function expectedPrice(ticket: Ticket, best: string | undefined): bigint | null {
  const { hasPrice, hasTrigger } = orderKinds[ticket.kind];
  const [price, trigger] = [exact(ticket.price), exact(ticket.trigger)];
  if (ticket.kind === "SCALE") {
    const last = exact(ticket.lastPrice);
    return price === null || last === null ? price : (price + last) / 2n;
  }
  const [own, text] = hasPrice
    ? [price, ticket.price]
    : [trigger, hasTrigger ? ticket.trigger : ""];
  return text === "" ? exact(best) : own;
}

/** Returns the quantity of an order of that value; null if its price is unknown. */
function quantityWorth(value: bigint, ticket: Ticket, { best, reach }: Means): bigint | null {
  if (reach !== null) return quantityFor(reach, value);
  const price = expectedPrice(ticket, best);
  return price === null || price === 0n ? null : (value * whole) / price;
}

/**
 * The price at which the venue reserves for a spot buy of a quantity: one that trades at the market may cost up to 5 %
 * more than the best price or its trigger. Null if unknown.
 */
export function reservedPrice(ticket: Ticket, { best, reach, bound }: Means): bigint | null {
  const beyond = (price: bigint, percent: string) =>
    price + times(price, exact(percent) ?? 0n) / 100n;
  const price = reach === null ? expectedPrice(ticket, best) : exact(best);
  if (price === null) return null;
  if (reach !== null) return beyond(price, reach.percent);
  // The orders of a TWAP are for quantities, so each reserves as much.
  if (tradesAtMarket(ticket.kind)) return exact(bound) ?? beyond(price, marketReach);
  const { kind, trigger, stopPrice } = ticket;
  if (!orderKinds[kind].hasTrigger) return price;
  const limit = kind === "OCO" ? exact(stopPrice) : null;
  const triggered = limit ?? beyond(exact(trigger) ?? 0n, marketReach);
  if (!orderKinds[kind].hasPrice) return triggered;
  return kind === "OCO" && triggered > price ? triggered : price;
}

/** Returns the quantity that `money` buys on spot or covers on a perpetual; null if the price is unknown. */
function boughtWith(money: bigint, ticket: Ticket, means: Means): bigint | null {
  const { opening, bound, best, reach } = means;
  if (opening === undefined) {
    // Without a limit of the user's own the money itself is sent: what it buys is an estimate.
    if (reach !== null && !reach.isOwn) return quantityFor(reach, money);
    const reserved = reservedPrice(ticket, means);
    return reserved === null || reserved <= 0n ? null : (money * whole) / reserved;
  }
  const price = expectedPrice(ticket, best);
  if (price === null || price === 0n) return null;
  const { side } = ticket;
  const isSweep = tradesAtMarket(ticket.kind) && bound === undefined;
  if (isSweep) return coveredAtMarket(money, { side, best: price }, opening);
  return coveredAtLimit(money, { side, price: worstPrice(ticket, price, bound) }, opening);
}

/** The price at which an order loses most against the mark: of a scale, that of its worse end. */
function worstPrice(ticket: Ticket, price: bigint, bound: string | undefined): bigint {
  if (tradesAtMarket(ticket.kind)) return exact(bound) ?? price;
  if (ticket.kind !== "SCALE") return price;
  const [one, other] = [exact(ticket.price) ?? price, exact(ticket.lastPrice) ?? price];
  return one > other === (ticket.side === "BUY") ? one : other;
}

/**
 * What an order of `quantity` must have covered; null while that is unknown, and for one that reduces only, which needs no
 * margin.
 */
export function needFor(ticket: Ticket, means: Means, quantity: string | undefined): Need | null {
  const { opening, best, bound } = means;
  const [price, units] = [expectedPrice(ticket, best), exact(quantity)];
  if (opening === undefined || price === null || units === null || ticket.isReduceOnly) return null;
  const isSweep = tradesAtMarket(ticket.kind) && bound === undefined;
  const reached = isSweep ? reachedPrice(units, price, opening) : worstPrice(ticket, price, bound);
  return needOf({ side: ticket.side, price: reached, quantity: units }, opening);
}

/**
 * Returns `percent` of the quantity that the available balance covers, or of the position for a reduce-only order, and
 * no more than an order may have. It is rounded down to the step; null if the price is unknown or the quantity is below
 * one step.
 */
export function shareOf(
  ticket: Ticket,
  market: Market,
  percent: string,
  means: Means,
): string | null {
  const of = ticket.isReduceOnly ? means.positionQuantity : means.free;
  const all = exact(of) ?? 0n;
  const isQuantity = ticket.isReduceOnly || (!market.isPerpetual && ticket.side === "SELL");
  const quantity = isQuantity ? all : boughtWith(all, ticket, means);
  if (quantity === null) return null;
  const [share, most] = [times(quantity, exact(percent) ?? 0n) / 100n, exact(market.quantityMax)];
  const isAbove = most !== null && most > 0n && share > most;
  return flooredToStep(isAbove ? most : share, exactPlaces, market.step);
}

/**
 * The money that a spot market order spends or brings in, if the venue is to work out the quantity; null for any other
 * order. An order for a quantity reserves up to 5 % more than its value, so it could not spend all there is.
 */
export function moneyOf(ticket: Ticket, market: Market, { free, reach }: Means): string | null {
  const { kind, side, unit, quantity } = ticket;
  // With a limit of the user's own it is sent as a limit order, which has a quantity.
  if (market.isPerpetual || kind !== "MARKET" || reach?.isOwn === true) return null;
  if (unit === "quote") return exact(quantity) === null ? null : quantity;
  if (unit !== "percent" || side === "SELL") return null;
  const money = times(exact(free) ?? 0n, exact(quantity) ?? 0n) / 100n;
  return cutTo(money, spentDecimals);
}

/**
 * What a button of a percentage fills in: the percentage itself where quantities are in percent; money where the order
 * spends money; else the quantity that it covers. Null if that is nothing, or unknown.
 */
export function filledShare(
  ticket: Ticket,
  market: Market,
  percent: string,
  means: Means,
): Pick<Ticket, "quantity" | "unit"> | null {
  if (ticket.unit === "percent") return { quantity: percent, unit: "percent" };
  const money = moneyOf({ ...ticket, quantity: percent, unit: "percent" }, market, means);
  if (money !== null) return exact(money) === 0n ? null : { quantity: money, unit: "quote" };
  const quantity = shareOf(ticket, market, percent, means);
  return quantity === null ? null : { quantity, unit: "base" };
}

/** Returns the quantity in the base asset that the ticket means; null if it is incomplete or below one step. */
export function quantityOf(ticket: Ticket, market: Market, means: Means): string | null {
  const { quantity, unit } = ticket;
  if (unit === "base") return exact(quantity) === null ? null : quantity;
  if (unit === "percent") return shareOf(ticket, market, quantity, means);
  const value = exact(quantity);
  const worth = value === null ? null : quantityWorth(value, ticket, means);
  return worth === null ? null : flooredToStep(worth, exactPlaces, market.step);
}

/** Whether the ticket's order takes a take profit and a stop loss with it. On spot, a limit order that buys does. */
export function takesTpSl({ kind, side, isReduceOnly, lifetime }: Ticket, market: Market): boolean {
  if (!market.isPerpetual) return kind === "LIMIT" && side === "BUY";
  return (kind === "LIMIT" || kind === "MARKET") && !isReduceOnly && lifetime !== "GTD";
}

/** Whether the ticket's order may show only a part of itself: a limit order on spot that rests. */
export function takesVisible({ kind, lifetime }: Ticket, market: Market): boolean {
  return !market.isPerpetual && kind === "LIMIT" && (lifetime === "GTC" || lifetime === "GTX");
}

/** Returns the first fault of a ticket as text for the user; null if the order can be sent. */
export function ticketFault(
  ticket: Ticket,
  market: Market,
  means: Means,
  nowMs: number,
): string | null {
  return missingFault(ticket, market) ?? enteredFault(ticket, market, means, nowMs);
}

function missingFault(ticket: Ticket, market: Market): string | null {
  const { hasPrice, hasTrigger } = orderKinds[ticket.kind];
  if (ticket.quantity === "") return "Enter a quantity";
  if (hasPrice && ticket.price === "") return "Enter a price";
  if (hasTrigger && ticket.trigger === "") return "Enter a trigger price";
  if (ticket.kind === "SCALE" && ticket.lastPrice === "") return "Enter the last price";
  return hasDate(ticket, market) && ticket.goodTill === "" ? "Enter a date" : null;
}

/** Returns why the venue would refuse a limit price, with the limits; null within them, or if they are unknown. */
export function bandFault(price: string, market: Market, mark: string | undefined): string | null {
  const [units, [from, to]] = [exact(price) ?? 0n, bandOf(market, mark)];
  const isOutside = units > 0n && to > 0n && (units < from || units > to);
  return isOutside ? `Price: ${bandText(market, mark)}` : null;
}

/** Returns the first fault of what has been entered so far; null without one. */
export function enteredFault(
  ticket: Ticket,
  market: Market,
  means: Means,
  nowMs: number,
): string | null {
  return (
    (ticket.quantity === "" ? null : quantityFault(ticket, market, means)) ??
    priceFault(ticket, market) ??
    (ticket.kind === "PEGGED" ? pegFault(ticket, means.best) : null) ??
    termFault(ticket, market, quantityOf(ticket, market, means), nowMs)
  );
}

/** Whether the order ends at a date of the ticket. */
export function hasDate({ kind, lifetime }: Ticket, market: Market): boolean {
  return lifetime === "GTD" && lifetimesOf(kind, market).includes("GTD");
}

function quantityFault(ticket: Ticket, market: Market, means: Means): string | null {
  if (ticket.unit === "base") {
    return numberFault("Quantity", ticket.quantity, market.step, market.quantityMax);
  }
  const entered = numberFault("Quantity", ticket.quantity, "0.00000001", "0");
  if (entered !== null) return entered;
  const isShare = ticket.unit === "percent";
  if (isShare && (exact(ticket.quantity) ?? 0n) > 100n * whole) return "Quantity: at most 100 %";
  const quantity = quantityOf(ticket, market, means);
  if (quantity !== null) return numberFault("Quantity", quantity, market.step, market.quantityMax);
  return expectedPrice(ticket, means.best) === null
    ? `The order book has no price to compute the quantity with: enter it in ${market.base}`
    : `Quantity: below one step of ${shownStep(market.step)} ${market.base}`;
}

function priceFault(ticket: Ticket, market: Market): string | null {
  const { hasPrice, hasTrigger } = orderKinds[ticket.kind];
  const isTrailing = ticket.kind === "TRAILING";
  const withTpSl = takesTpSl(ticket, market);
  const prices = [
    ["Price", hasPrice ? ticket.price : ""],
    ["Worst price", ticket.kind === "PEGGED" ? ticket.price : ""],
    ["Stop limit", ticket.kind === "OCO" ? ticket.stopPrice : ""],
    ["Last price", ticket.kind === "SCALE" ? ticket.lastPrice : ""],
    [
      isTrailing ? "Activation price" : "Trigger price",
      hasTrigger || isTrailing ? ticket.trigger : "",
    ],
    ["Take profit", withTpSl ? ticket.takeProfit : ""],
    ["Stop loss", withTpSl ? ticket.stopLoss : ""],
  ] as const;
  for (const [name, price] of prices) {
    const fault = price === "" ? null : numberFault(name, price, market.tick, market.priceMax);
    if (fault !== null) return fault;
  }
  return null;
}

/** The longest life of a GTD order that the venue takes. */
const goodTillMaxMs = 366 * 86_400_000;
const partsMax = 20;
const minutesMax = 24 * 60;

/** An iceberg order shows less than all of itself, in no more parts than the market allows. */
function partsOfIcebergFault(
  { visible }: Ticket,
  { icebergPartsMax, step, base }: Market,
  quantity: string | null,
): string | null {
  const [all, shownAtOnce] = [exact(quantity) ?? 0n, exact(visible) ?? 0n];
  if (all === 0n) return null;
  if (shownAtOnce >= all) return "Visible quantity: less than the quantity, or leave it empty";
  const parts = BigInt(icebergPartsMax);
  if (parts === 0n || shownAtOnce * parts >= all) return null;
  const least = onStep((all + parts - 1n) / parts, step, true);
  return `Visible quantity: at least ${bare(least)} ${base}, so that there are at most ${parts} parts`;
}

function termFault(
  ticket: Ticket,
  market: Market,
  quantity: string | null,
  nowMs: number,
): string | null {
  const { kind, goodTill, visible } = ticket;
  if (takesVisible(ticket, market) && visible !== "") {
    return (
      numberFault("Visible quantity", visible, market.step, market.quantityMax) ??
      partsOfIcebergFault(ticket, market, quantity)
    );
  }
  if (hasDate(ticket, market)) return goodTill === "" ? null : dateFault(goodTill, nowMs);
  if (kind === "TRAILING") return callbackFault(ticket);
  return kind === "SCALE" || kind === "TWAP"
    ? (partsFault(ticket) ?? stepsFault(ticket, market, quantity))
    : null;
}

function dateFault(goodTill: string, nowMs: number): string | null {
  const endMs = Date.parse(goodTill);
  if (Number.isNaN(endMs)) return "Enter a date";
  if (endMs <= nowMs) return "Good till: choose a time in the future";
  return endMs - nowMs > goodTillMaxMs ? "Good till: at most a year ahead" : null;
}

function callbackFault({ callback }: Ticket): string | null {
  const rate = unitsOf(callback, 2);
  if (rate === null) return `Trailing distance: ${notationFault(callback)}`;
  const isOff = rate < 10n || rate > 2_000n || !isOnStep(callback, "0.01");
  return isOff ? "Trailing distance: from 0.1 to 20 %" : null;
}

/** Returns what is wrong with the number of orders of a scale, or with the terms of a TWAP; null for neither. */
export function partsFault({ kind, parts, minutes }: Ticket): string | null {
  if (!isWithin(parts, 2, partsMax)) return `Number of orders: from 2 to ${partsMax}`;
  const isLong = kind === "TWAP" && !isWithin(minutes, 1, minutesMax);
  return isLong ? `Minutes: from 1 to ${minutesMax}` : null;
}

/** Every one of several orders has at least a step, so that there are never fewer than asked for. */
function stepsFault(
  { parts }: Ticket,
  { step, base }: Market,
  quantity: string | null,
): string | null {
  const [all, least] = [exact(quantity), (exact(step) ?? 0n) * BigInt(parts)];
  if (all === null || all === 0n || all >= least) return null;
  return `Quantity: at least ${cutTo(least, placesOf(step))} ${base} for ${parts} orders`;
}

function isWithin(text: string, least: number, most: number): boolean {
  return /^\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= most;
}

/** Returns what is wrong with a number, with the limit or step that it violates; null if it is valid. */
export function numberFault(name: string, text: string, step: string, most: string): string | null {
  const units = exact(text);
  if (units === null) return `${name}: ${notationFault(text)}`;
  if (units <= 0n) return `${name}: enter a number above 0`;
  const [limit, least] = [exact(most) ?? 0n, shownStep(step)];
  if (limit > 0n && units > limit) return `${name}: at most ${shown(most, placesOf(step))}`;
  return isOnStep(text, step) ? null : `${name}: use a multiple of ${least}`;
}

function shownStep(step: string): string {
  const places = placesOf(step);
  return textOf(unitsOf(step, places) ?? 0n, places);
}

/**
 * Returns the limit that an order violated, if the venue's message for the refusal does not name it; empty for other
 * refusals.
 */
export function limitHint(message: string, market: Market, mark: string | undefined): string {
  const { quantityPlaces, quantityMax, notionalMin, quote } = market;
  if (/^price is too far/i.test(message)) return bandText(market, mark);
  if (/^qty is too large/i.test(message)) return `at most ${shown(quantityMax, quantityPlaces)}`;
  const isTooSmall = /below the minimum/i.test(message) && notionalMin !== "0";
  return isTooSmall ? `at least ${bare(notionalMin)} ${quote}` : "";
}

function bandText(market: Market, mark: string | undefined): string {
  const { pricePlaces } = market;
  const [from, to] = bandOf(market, mark);
  const at = (price: bigint) => shown(cutTo(price, pricePlaces), pricePlaces);
  return to === 0n ? "" : `at least ${at(from)}, at most ${at(to)}`;
}

/**
 * Returns the least and greatest limit price around the mark, or what stands for it on spot, in exact units; zeros
 * without a mark or band.
 */
function bandOf({ bandDown, bandUp }: Market, mark: string | undefined): [bigint, bigint] {
  const [price, down, up] = [exact(mark) ?? 0n, exact(bandDown) ?? 0n, exact(bandUp) ?? 0n];
  return [times(price, down), times(price, up)];
}
