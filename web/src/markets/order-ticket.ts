// What an order would cost, worked out exactly before it is sent. The venue decides; these are estimates,
// and say so.

import { flooredToStep, isOnStep, placesOf, rescaled, textOf, unitsOf } from "../decimal-text.ts";
import type { Market } from "./market.ts";

/** How long an order with a limit stays, as the ticket offers and words it. */
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
  /** At which it is estimated: the account's in the market, or the one chosen here. */
  readonly leverage: number;
  /** Whether the order is to make it the account's, for the position and all orders of the market. */
  readonly setsLeverage: boolean;
  readonly timeInForce: (typeof lifetimes)[number][0];
  readonly isReduceOnly: boolean;
  readonly takeProfit: string;
  readonly stopLoss: string;
}

/** What an order could be paid with; undefined what is not known or not there. */
export interface Means {
  /** Free in the wallet that pays: quote for what is bought, base for what is sold. */
  readonly free: string | undefined;
  /** Of the account in the market, whichever side. */
  readonly positionQuantity: string | undefined;
  /** The best price of the other side. */
  readonly best: string | undefined;
}

export interface Estimate {
  /** Value at the limit, or at the best opposite price. */
  readonly value: string;
  /** What it locks: on a perpetual the value over the leverage. */
  readonly margin: string;
  /** Where the whole perp wallet behind it would be used up; null on spot. */
  readonly liquidation: string | null;
}

/** Those of USDC, in which perpetuals are margined. */
const moneyPlaces = 6;

/** Everything is worked out in units of 10^-18, finer than any price times any quantity: nothing is cut before the end. */
const exactPlaces = 18;
const whole = 10n ** BigInt(exactPlaces);
const moneyUnit = rescaled(1n, moneyPlaces, exactPlaces);

function exact(text: string | undefined): bigint | null {
  return unitsOf(text ?? "", exactPlaces);
}

function cutTo(units: bigint, places: number): string {
  return textOf(rescaled(units, exactPlaces, places), places);
}

/** Rates are told in percent with four places, so a whole is a million of their units. */
const percentPlaces = 4;
const wholeInPercentUnits = 1_000_000n;

/**
 * The price at which what stands behind the position falls to its maintenance: for a long
 * (value - collateral) / (quantity * (1 - rate)), for a short with both signs turned. Other positions are
 * not looked at. Null where it is never reached, and where the collateral does not cover even the
 * maintenance: such a position cannot be opened.
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

/** What lies in the perp wallet covers a perpetual's position. Null while the ticket's numbers mean nothing yet. */
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
  // Up to the next unit of money: the venue locks no less either.
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

/** Of the value, kept back for what a perpetual's fill costs beside its margin. */
const feePerMille = 1n;

/** What `money` buys, or opens, at the ticket's price or else at the best one; null without a price. */
function boughtWith(money: bigint, ticket: Ticket, market: Market, best = ""): bigint | null {
  const isLimit = ticket.type === "LIMIT" && ticket.price !== "";
  const price = exact(isLimit ? ticket.price : best);
  if (price === null || price === 0n) return null;
  if (!market.isPerpetual) return (money * whole) / price;
  const leverage = BigInt(ticket.leverage);
  return (money * leverage * whole * 1_000n) / (price * (1_000n + leverage * feePerMille));
}

/**
 * The quantity that takes `percent` of what the ticket can use: what is free in the wallet that pays, or of the
 * position where the order only reduces one. Rounded down to the step; null where price or money is unknown.
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

/** What is wrong with a ticket, in words for people; null where it can be sent. */
export function ticketFault(ticket: Ticket, market: Market): string | null {
  const { tick, step } = market;
  if (!isOnStep(ticket.quantity, step)) return `The quantity goes in steps of ${shownStep(step)}.`;
  if (ticket.type === "LIMIT" && !isOnStep(ticket.price, tick)) {
    return `The price goes in steps of ${shownStep(tick)}.`;
  }
  for (const [name, price] of [
    ["take profit", ticket.takeProfit] as const,
    ["stop loss", ticket.stopLoss] as const,
  ]) {
    if (price !== "" && !isOnStep(price, tick))
      return `The ${name} goes in steps of ${shownStep(tick)}.`;
  }
  return null;
}

function shownStep(step: string): string {
  const places = placesOf(step);
  return textOf(unitsOf(step, places) ?? 0n, places);
}

/** An account's leverage in a market where it has never chosen one. */
const usualLeverage = 10;

/**
 * The account's leverage in a market, as its position or any of its orders there tells it: each names that of
 * now. Where it has neither, the venue's usual one.
 */
export function leverageIn(
  symbol: string,
  told: readonly { readonly symbol: string; readonly leverage: number | null }[],
): number {
  const known = told.find((one) => one.symbol === symbol && one.leverage !== null);
  return known?.leverage ?? usualLeverage;
}

/** The body of POST /v1/orders. It names a leverage only to change it. The key makes it safe to send again when the answer is lost. */
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
