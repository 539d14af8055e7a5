// What the confirmation of an order says.

import { shown } from "../../decimal-text.ts";
import type { Market } from "../../markets/market.ts";
import type { Estimate } from "../../markets/order-estimate.ts";
import { orderKinds } from "../../markets/order-kinds.ts";
import { type Ticket, takesTpSl } from "../../markets/order-ticket.ts";

/** Returns the lines that say what the ticket sends, and nothing that it does not send. */
export function summaryOf(ticket: Ticket, market: Market, estimate: Estimate | null): string[] {
  const { kind, takeProfit, stopLoss, parts } = ticket;
  const { label, hasPrice, hasTrigger } = orderKinds[kind];
  const quantity = estimate?.quantity ?? ticket.quantity;
  const price = (text: string) => shown(text, market.pricePlaces);
  const first = `${label}${hasPrice ? ` at ${price(ticket.price)}` : ""}`;
  const withTpSl = takesTpSl(ticket, market);
  return [
    `${ticket.side === "BUY" ? "Buy" : "Sell"} ${quantity} ${market.base} on ${market.symbol}`,
    `${first}${hasTrigger ? `, trigger ${price(ticket.trigger)}` : ""}`,
    ...(kind === "SCALE" ? [`${parts} orders, the last at ${price(ticket.lastPrice)}`] : []),
    ...(kind === "TWAP" ? [`${parts} orders in ${ticket.minutes} minutes`] : []),
    `Order value ${shown(estimate?.value, 2)} ${market.quote}`,
    ...(ticket.isReduceOnly && market.isPerpetual ? ["Reduce only"] : []),
    ...(withTpSl && takeProfit !== "" ? [`Take profit ${price(takeProfit)}`] : []),
    ...(withTpSl && stopLoss !== "" ? [`Stop loss ${price(stopLoss)}`] : []),
  ];
}
