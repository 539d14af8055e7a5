// What the confirmation of an order says.

import { bare, rounded, shown } from "../../decimal-text.ts";
import type { Market } from "../../markets/market.ts";
import type { Estimate } from "../../markets/order-estimate.ts";
import { orderKinds, tradesAtMarket } from "../../markets/order-kinds.ts";
import { type Ticket, takesTpSl, takesVisible } from "../../markets/order-ticket.ts";
import { attachedNotes, type Bringing } from "../../markets/ticket/attached-notes.ts";
import {
  atLimit,
  marketReach,
  unfilledText,
  withinPercent,
} from "../../markets/ticket/book-fill.ts";
import { type FeeRates, feesOf } from "../../markets/ticket/fees.ts";
import { closedByOrdersNote } from "../../markets/ticket/opening-notes.ts";
import { pegText } from "../../markets/ticket/pegs.ts";

/** How far an order at the market trades: within the user's own limit, and not what the book lacks. */
function reachLines(
  { kind, price }: Ticket,
  market: Market,
  estimate: Estimate | null,
  slippageMax: string,
): string[] {
  const percent = slippageMax === "" ? marketReach : slippageMax;
  const isBound = tradesAtMarket(kind) && slippageMax !== "";
  const fill = estimate?.fill ?? null;
  const reached = tradesAtMarket(kind) ? withinPercent(percent) : atLimit(price, market);
  const unfilled = fill === null ? "" : unfilledText(fill, reached, market);
  return [
    ...(isBound ? [`At most ${bare(slippageMax)} % worse than the best price`] : []),
    ...(unfilled === "" ? [] : [unfilled]),
  ];
}

/** What an iceberg shows of itself. */
function visibleLines(ticket: Ticket, market: Market): string[] {
  const isIceberg = takesVisible(ticket, market) && ticket.visible !== "";
  return isIceberg ? [`Visible quantity ${ticket.visible} ${market.base}`] : [];
}

/** What an order of a perpetual costs, and the price at which its position would be liquidated. */
export function costLines(
  ticket: Ticket,
  { isPerpetual, quote, pricePlaces }: Market,
  estimate: Estimate | null,
  rates: FeeRates | undefined,
): string[] {
  if (!isPerpetual || estimate === null) return [];
  const { value, margin, liquidation, whyNone } = estimate;
  const fees = rates === undefined ? [] : feesOf(ticket, value, rates);
  const none = whyNone === "" ? "–" : `none, ${whyNone}`;
  return [
    ...fees.map(({ role, percent, amount }) => {
      const name = role === "maker" ? "Maker fee" : "Taker fee";
      return `${name} ${percent} %: ${shown(rounded(amount, 2), 2)} ${quote}`;
    }),
    `Margin ${shown(margin, 2)} USDC`,
    `Est. liq. price ${liquidation === null ? none : shown(liquidation, pricePlaces)}`,
  ];
}

/** What the order does that its terms do not say. */
export function noteLines(order: Bringing): string[] {
  const { ticket, means, estimate } = order;
  const { lines, late } = attachedNotes(order);
  const counted = closedByOrdersNote(ticket, means, estimate?.traded);
  return [...lines, late, counted].filter((text) => text !== "");
}

/**
 * Returns the lines that say what the ticket sends, and nothing that it does not send. `slippageMax` is the user's own
 * limit; empty for none.
 */
export function summaryOf(
  ticket: Ticket,
  market: Market,
  estimate: Estimate | null,
  slippageMax: string,
): string[] {
  const { kind, takeProfit, stopLoss, parts, stopPrice } = ticket;
  const { label, hasPrice, hasTrigger } = orderKinds[kind];
  const quantity = estimate?.quantity ?? ticket.quantity;
  const price = (text: string) => shown(text, market.pricePlaces);
  const pegged = kind === "PEGGED" ? `: ${pegText(ticket, market)}` : "";
  const first = `${label}${pegged}${hasPrice ? ` at ${price(ticket.price)}` : ""}`;
  const withTpSl = takesTpSl(ticket, market);
  return [
    `${ticket.side === "BUY" ? "Buy" : "Sell"} ${quantity} ${market.base} on ${market.symbol}`,
    `${first}${hasTrigger ? `, trigger ${price(ticket.trigger)}` : ""}`,
    ...visibleLines(ticket, market),
    ...(kind === "OCO" && stopPrice !== "" ? [`The stop at the limit ${price(stopPrice)}`] : []),
    ...(kind === "SCALE" ? [`${parts} orders, the last at ${price(ticket.lastPrice)}`] : []),
    ...(kind === "TWAP" ? [`${parts} orders in ${ticket.minutes} minutes`] : []),
    `Order value ${shown(estimate?.fullValue, 2)} ${market.quote}`,
    ...reachLines(ticket, market, estimate, slippageMax),
    ...(ticket.isReduceOnly && market.isPerpetual ? ["Reduce only"] : []),
    ...(withTpSl && takeProfit !== "" ? [`Take profit ${price(takeProfit)}`] : []),
    ...(withTpSl && stopLoss !== "" ? [`Stop loss ${price(stopLoss)}`] : []),
  ];
}
