// Sends the orders that close a position, a part of it or all positions, and the order that turns one around. Each
// throws a message for the user if nothing was sent.

import { shown } from "../../../decimal-text.ts";
import { cutTo, exact, valueAt } from "../../../markets/exact.ts";
import type { Market } from "../../../markets/market.ts";
import { markets } from "../../../markets/markets.ts";
import { marketBody } from "../../../markets/order-requests.ts";
import { numberFault } from "../../../markets/order-ticket.ts";
import { closingSide } from "../../../markets/positions/guards.ts";
import type { Side } from "../../../markets/ticket-requests.ts";
import { type Position, refreshAccount } from "../../../member/account.ts";
import { readBest } from "../../../member/best-price.ts";
import { type Placed, placeOrder } from "../../../member/order-actions.ts";
import { faultMessage } from "../../../member/venue-api.ts";
import { confirmed } from "../confirmation.tsx";
import { readOwnFault } from "../own-limits.ts";
import { explained, ownBound } from "../ticket-sending.ts";

interface Closing {
  readonly position: Position;
  readonly market: Market;
  readonly quantity: string;
  /** Null to close at the market. */
  readonly price: string | null;
}

/**
 * Sends an order of the side that closes the position, and names the limit that a refusal was about. `funds` is what the page
 * knows of what is missing; empty for nothing.
 */
async function sendBody(market: Market, side: Side, body: object, funds = ""): Promise<Placed> {
  try {
    return await placeOrder({ route: "native", body: { ...body } });
  } catch (thrown) {
    throw explained(thrown, market, side, { funds, side: "" });
  } finally {
    refreshAccount();
  }
}

function sizeFault({ position, market, quantity }: Closing): string | null {
  const fault = numberFault("Quantity", quantity, market.step, market.quantityMax);
  if (fault !== null || (exact(quantity) ?? 0n) <= (exact(position.qty) ?? 0n)) return fault;
  return `Quantity: your position is ${position.qty} ${market.base}, so no more can be closed`;
}

/** Why what is entered would be refused; null if it would not, and for a field that is still empty. */
export function enteredFault(closing: Closing): string | null {
  const { market, quantity, price } = closing;
  const fault = quantity === "" ? null : sizeFault(closing);
  if (fault !== null || price === null || price === "") return fault;
  return numberFault("Price", price, market.tick, market.priceMax);
}

async function closingFault(closing: Closing): Promise<string | null> {
  const { market, quantity, price } = closing;
  if (quantity === "") return sizeFault(closing);
  if (price === "") return numberFault("Price", price, market.tick, market.priceMax);
  const fault = enteredFault(closing);
  if (fault !== null || price === null) return fault;
  return readOwnFault(market, { value: valueAt(price, quantity), prices: [price] });
}

/** Sends the order that closes a position or a part of it. Returns null if the user went back. */
export async function close(closing: Closing): Promise<Placed | null> {
  const { position, market, quantity, price } = closing;
  const fault = await closingFault(closing);
  if (fault !== null) throw new Error(fault);
  const side = closingSide(position);
  const at = price === null ? "at the market" : `at ${shown(price, market.pricePlaces)}`;
  const verb = side === "BUY" ? "Buy" : "Sell";
  const line = `${verb} ${quantity} ${market.base} ${at}, reduce only`;
  if (!(await confirmed("Confirm close", [line]))) return null;
  const bound = price === null ? await ownBound(side, market) : null;
  const atMarket = marketBody(market, side, quantity, { bound, isReduceOnly: true });
  const limit = price === null ? {} : { type: "LIMIT", price, time_in_force: "GTC" };
  return sendBody(market, side, { ...atMarket, ...limit });
}

/** Closes positions at the market, one after another. Returns what became of them. */
export async function closeAll(positions: readonly Position[]): Promise<string> {
  const left: string[] = [];
  for (const position of positions) {
    const { symbol, qty } = position;
    const market = markets.value.find((one) => one.symbol === symbol);
    if (market === undefined) continue;
    const side = closingSide(position);
    try {
      const options = { bound: await ownBound(side, market), isReduceOnly: true };
      const placed = await sendBody(market, side, marketBody(market, side, qty, options));
      if (placed.status !== "FILLED") left.push(`${symbol}: ${placed.filled_qty} of ${qty} closed`);
    } catch (thrown) {
      left.push(`${symbol}: ${faultMessage(thrown)}`);
    }
  }
  if (left.length > 0) throw new Error(left.join("; "));
  return "";
}

/** The quantity of the one order that closes a position and opens one of the same size on the other side. */
export function turningQuantity(
  { qty }: Pick<Position, "qty">,
  { quantityPlaces }: Market,
): string {
  return cutTo(2n * (exact(qty) ?? 0n), quantityPlaces);
}

/** Turns a position around at the market. `shortfall` is what the page knows of the amount that is missing. */
export async function reverse(
  position: Position,
  market: Market,
  shortfall: string,
): Promise<Placed> {
  const side = closingSide(position);
  const quantity = turningQuantity(position, market);
  const best = (await readBest(market, side)) ?? position.mark_price ?? "0";
  const fault =
    numberFault("Quantity", quantity, market.step, market.quantityMax) ??
    (await readOwnFault(market, { value: valueAt(best, quantity), prices: [] }));
  if (fault !== null) throw new Error(fault);
  const options = { bound: await ownBound(side, market), isReduceOnly: false };
  return sendBody(market, side, marketBody(market, side, quantity, options), shortfall);
}
