// The order ticket's arithmetic and checks: exact estimates of cost and liquidation price, and checks before sending.
// The venue has the final say.

import {
  flooredToStep,
  grouped,
  isOnStep,
  placesOf,
  rescaled,
  shown,
  textOf,
  unitsOf,
} from "../decimal-text.ts";
import type { Market } from "./market.ts";

/** Time-in-force options of a limit order, with their labels. */
export const lifetimes = [
  ["GTC", "Good till cancelled"],
  ["IOC", "Immediate or cancel"],
  ["FOK", "Fill or kill"],
  ["GTX", "Post only"],
] as const;

export interface Ticket {
  readonly side: "BUY" | "SELL";
  readonly type: "LIMIT" | "MARKET";
  readonly price: string;
  readonly quantity: string;
  /** Leverage for the estimate: the account's leverage in the market, or the one chosen in the ticket. */
  readonly leverage: number;
  /** Whether the order sets this leverage for the position and all orders of the market. */
  readonly setsLeverage: boolean;
  readonly timeInForce: (typeof lifetimes)[number][0];
  readonly isReduceOnly: boolean;
  readonly takeProfit: string;
  readonly stopLoss: string;
}

/** What limits the size of an order: balance, position and best price. Each is undefined if unknown or absent. */
export interface Means {
  /** Available in the wallet that pays: the quote asset for a buy, the base asset for a sell. */
  readonly free: string | undefined;
  /** Size of the position in the market, on either side. */
  readonly positionQuantity: string | undefined;
  /** Best price of the side of the book against which the order would trade. */
  readonly best: string | undefined;
}

export interface Estimate {
  /** Value at the limit price, or at the best opposite price. */
  readonly value: string;
  /** Amount that the order locks: its value, on a perpetual divided by the leverage. */
  readonly margin: string;
  /** Price at which the perp wallet no longer covers the maintenance margin; null on spot. */
  readonly liquidation: string | null;
}

/** Decimal places of USDC, the margin asset of perpetuals. */
const moneyPlaces = 6;

/** All arithmetic is in units of 10^-18, finer than any price times any quantity: nothing is cut before the end. */
const exactPlaces = 18;
const whole = 10n ** BigInt(exactPlaces);
const moneyUnit = rescaled(1n, moneyPlaces, exactPlaces);

function exact(text: string | undefined): bigint | null {
  return unitsOf(text ?? "", exactPlaces);
}

function cutTo(units: bigint, places: number): string {
  return textOf(rescaled(units, exactPlaces, places), places);
}

/** Rates are percentages with four decimal places, so 100 % is 1,000,000 units. */
const percentPlaces = 4;
const wholeInPercentUnits = 1_000_000n;

/**
 * Returns the price at which the collateral falls to the maintenance margin. For a long this is (value - collateral) /
 * (quantity * (1 - rate)), for a short the same with plus signs. Other positions are ignored. Returns null if the price
 * is never reached, or if the collateral does not cover the maintenance margin: such a position cannot be opened.
 */
function liquidationPrice(
  { side }: Ticket,
  { maintenancePercent, pricePlaces }: Market,
  value: bigint,
  quantity: bigint,
  collateral: bigint,
): string | null {
  const rate = unitsOf(maintenancePercent, percentPlaces) ?? 0n;
  const isLong = side === "BUY";
  const kept = isLong ? value - collateral : value + collateral;
  const share = isLong ? wholeInPercentUnits - rate : wholeInPercentUnits + rate;
  const isCovered = collateral * wholeInPercentUnits > value * rate;
  if (!isCovered || kept <= 0n || quantity === 0n) return null;
  return cutTo((kept * whole * wholeInPercentUnits) / (quantity * share), pricePlaces);
}

/**
 * Returns the estimated cost of the order. For a perpetual, the balance of the perp wallet counts as the collateral.
 * Null while price or quantity is incomplete.
 */
export function estimateOf(
  ticket: Ticket,
  market: Market,
  bestOpposite: string | undefined,
  perpWallet: string | undefined,
): Estimate | null {
  const price = exact(ticket.type === "LIMIT" ? ticket.price : bestOpposite);
  const quantity = exact(ticket.quantity);
  if (price === null || quantity === null) return null;
  const value = (price * quantity) / whole;
  if (value === 0n) return null;
  // The margin is rounded up to the next minor unit of the asset, as on the venue.
  const part = BigInt(market.isPerpetual ? ticket.leverage : 1) * moneyUnit;
  const collateral = exact(perpWallet) ?? 0n;
  return {
    value: cutTo(value, moneyPlaces),
    margin: textOf((value + part - 1n) / part, moneyPlaces),
    liquidation: market.isPerpetual
      ? liquidationPrice(ticket, market, value, quantity, collateral)
      : null,
  };
}

/** Part of a perpetual order's value, in thousandths, that is left free for the fee of the fill. */
const feePerMille = 1n;

/**
 * Returns the quantity that `money` buys or opens at the ticket's price or, without one, at the best price; null if
 * neither is known.
 */
function boughtWith(money: bigint, ticket: Ticket, market: Market, best = ""): bigint | null {
  const isLimit = ticket.type === "LIMIT" && ticket.price !== "";
  const price = exact(isLimit ? ticket.price : best);
  if (price === null || price === 0n) return null;
  if (!market.isPerpetual) return (money * whole) / price;
  const leverage = BigInt(ticket.leverage);
  return (money * leverage * whole * 1_000n) / (price * (1_000n + leverage * feePerMille));
}

/**
 * Returns the quantity that uses `percent` of the available balance, or of the position for a reduce-only order. The
 * quantity is rounded down to the step; null if the price is unknown or the quantity is below one step.
 */
export function shareOf(
  ticket: Ticket,
  market: Market,
  percent: number,
  means: Means,
): string | null {
  const of = ticket.isReduceOnly ? means.positionQuantity : means.free;
  const share = ((exact(of) ?? 0n) * BigInt(percent)) / 100n;
  const isQuantity = ticket.isReduceOnly || (!market.isPerpetual && ticket.side === "SELL");
  const quantity = isQuantity ? share : boughtWith(share, ticket, market, means.best);
  return quantity === null ? null : flooredToStep(quantity, exactPlaces, market.step);
}

/** Returns the first fault of a ticket as text for the user; null if the order can be sent. */
export function ticketFault(ticket: Ticket, market: Market): string | null {
  const { tick, step } = market;
  if (ticket.quantity === "") return "Enter a quantity";
  if (ticket.type === "LIMIT" && ticket.price === "") return "Enter a price";
  const prices = [
    ["Price", ticket.type === "LIMIT" ? ticket.price : ""],
    ["Take profit", ticket.takeProfit],
    ["Stop loss", ticket.stopLoss],
  ] as const;
  return (
    numberFault("Quantity", ticket.quantity, step, market.quantityMax) ??
    prices
      .map(([name, price]) =>
        price === "" ? null : numberFault(name, price, tick, market.priceMax),
      )
      .find((fault) => fault !== null) ??
    null
  );
}

/** Returns what is wrong with a number of the ticket, with the limit or step that it violates; null if it is valid. */
function numberFault(name: string, text: string, step: string, most: string): string | null {
  const units = exact(text);
  if (units === null) return `${name}: enter a number`;
  if (units === 0n) return `${name}: enter a number above 0`;
  const [limit, least] = [exact(most) ?? 0n, shownStep(step)];
  if (limit > 0n && units > limit) return `${name}: at most ${shown(most, placesOf(step))}`;
  return isOnStep(text, step) ? null : `${name}: use a multiple of ${least}`;
}

/**
 * Returns the limit that an order violated, if the venue's message for the refusal does not name it; empty for other
 * refusals.
 */
export function limitHint(message: string, market: Market, mark: string | undefined): string {
  const { pricePlaces, quantityPlaces, quantityMax, notionalMin, quote } = market;
  if (/^price is too far/.test(message)) {
    const [from, to] = bandOf(market, mark);
    return to === 0n
      ? ""
      : `at least ${shown(cutTo(from, pricePlaces), pricePlaces)}, at most ${shown(cutTo(to, pricePlaces), pricePlaces)}`;
  }
  if (/^qty is too large/.test(message)) return `at most ${shown(quantityMax, quantityPlaces)}`;
  const isTooSmall = /below the minimum/.test(message) && notionalMin !== "0";
  return isTooSmall ? `at least ${grouped(notionalMin)} ${quote}` : "";
}

/** Returns the least and greatest limit price around the mark, in exact units; zeros without a mark or band. */
function bandOf({ bandDown, bandUp }: Market, mark: string | undefined): [bigint, bigint] {
  const [price, down, up] = [exact(mark) ?? 0n, exact(bandDown) ?? 0n, exact(bandUp) ?? 0n];
  return [(price * down) / whole, (price * up) / whole];
}

function shownStep(step: string): string {
  const places = placesOf(step);
  return textOf(unitsOf(step, places) ?? 0n, places);
}

/** An account's leverage in a market before it has set one. */
const usualLeverage = 10;

/**
 * Returns the account's leverage in a market, from its position or any of its orders there, which all show the current
 * value. Without a position or order, returns the venue's default.
 */
export function leverageIn(
  symbol: string,
  rows: readonly { readonly symbol: string; readonly leverage: number | null }[],
): number {
  const known = rows.find((one) => one.symbol === symbol && one.leverage !== null);
  return known?.leverage ?? usualLeverage;
}

/** The body of POST /v1/orders. It contains a leverage only to change it. */
export function orderBody(ticket: Ticket, market: Market): Readonly<Record<string, unknown>> {
  const isLimit = ticket.type === "LIMIT";
  return {
    symbol: market.symbol,
    side: ticket.side,
    type: ticket.type,
    qty: ticket.quantity,
    ...(isLimit && { price: ticket.price, time_in_force: ticket.timeInForce }),
    ...(market.isPerpetual && changesLeverage(ticket) && { leverage: ticket.leverage }),
    ...(market.isPerpetual && ticket.isReduceOnly && { reduce_only: true }),
    ...(ticket.takeProfit !== "" && { take_profit: ticket.takeProfit }),
    ...(ticket.stopLoss !== "" && { stop_loss: ticket.stopLoss }),
  };
}

function changesLeverage({ setsLeverage, isReduceOnly }: Ticket): boolean {
  return setsLeverage && !isReduceOnly;
}
