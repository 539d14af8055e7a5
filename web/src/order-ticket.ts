// What an order would cost, worked out exactly before it is sent. The venue decides; these are estimates,
// and say so.

import type { Balance } from "./account.ts";
import { isOnStep, placesOf, textOf, unitsOf } from "./decimal-text.ts";
import type { Market } from "./markets.ts";

export interface Ticket {
  readonly side: "BUY" | "SELL";
  readonly type: "LIMIT" | "MARKET";
  readonly price: string;
  readonly quantity: string;
  readonly leverage: number;
  readonly timeInForce: "GTC" | "IOC" | "FOK" | "GTX";
  readonly isReduceOnly: boolean;
  readonly takeProfit: string;
  readonly stopLoss: string;
}

export interface Estimate {
  /** Value at the limit, or at the best opposite price. */
  readonly value: string;
  /** What it locks: on a perpetual the value over the leverage. */
  readonly margin: string;
  /** Where the whole perp wallet behind it would be used up; null on spot. */
  readonly liquidation: string | null;
}

const moneyPlaces = 6;
const moneyUnit = 10n ** BigInt(moneyPlaces);

function multiplied(price: string, quantity: string): bigint | null {
  const [priceUnits, quantityUnits] = [unitsOf(price, moneyPlaces), unitsOf(quantity, moneyPlaces)];
  if (priceUnits === null || quantityUnits === null) return null;
  return (priceUnits * quantityUnits) / moneyUnit;
}

/** Rates are told in percent with four places, so a whole is a million of their units. */
const percentPlaces = 4;
const wholeInPercentUnits = 1_000_000n;

/**
 * The price at which what stands behind the position falls to its maintenance: for a long
 * (value - collateral) / (quantity * (1 - rate)), for a short with both signs turned. Other positions are
 * not looked at. Null where it is never reached.
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
  if (kept <= 0n || quantity === 0n) return null;
  const price = (kept * moneyUnit * wholeInPercentUnits) / (quantity * share);
  return textOf(price / 10n ** BigInt(moneyPlaces - pricePlaces), pricePlaces);
}

/** Null while the ticket's numbers mean nothing yet. */
export function estimateOf(
  ticket: Ticket,
  market: Market,
  bestOpposite: string | undefined,
  perpWallet: Balance | undefined,
): Estimate | null {
  const price = ticket.type === "LIMIT" ? ticket.price : (bestOpposite ?? "");
  const value = multiplied(price, ticket.quantity);
  const quantity = unitsOf(ticket.quantity, moneyPlaces);
  if (value === null || quantity === null || value === 0n) return null;
  const leverage = BigInt(market.isPerpetual ? ticket.leverage : 1);
  const collateral = unitsOf(perpWallet?.total ?? "0", moneyPlaces) ?? 0n;
  return {
    value: textOf(value, moneyPlaces),
    margin: textOf((value + leverage - 1n) / leverage, moneyPlaces),
    liquidation: market.isPerpetual
      ? liquidationPrice(ticket, market, value, quantity, collateral)
      : null,
  };
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

/** The body of POST /v1/orders. The key makes it safe to send again when the answer is lost. */
export function orderBody(ticket: Ticket, market: Market): Readonly<Record<string, unknown>> {
  const isLimit = ticket.type === "LIMIT";
  return {
    symbol: market.symbol,
    side: ticket.side,
    type: ticket.type,
    qty: ticket.quantity,
    ...(isLimit && { price: ticket.price, time_in_force: ticket.timeInForce }),
    ...(market.isPerpetual && !ticket.isReduceOnly && { leverage: ticket.leverage }),
    ...(market.isPerpetual && ticket.isReduceOnly && { reduce_only: true }),
    ...(ticket.takeProfit !== "" && { take_profit: ticket.takeProfit }),
    ...(ticket.stopLoss !== "" && { stop_loss: ticket.stopLoss }),
  };
}
