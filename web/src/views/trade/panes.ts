// Which pane a narrow screen shows, and how the ticket gets the focus. A chart in full screen covers the
// ticket, so it gives way.

import { signal } from "@preact/signals";
import { type Side, ticketSide } from "../../markets/ticket-requests.ts";
import { isFull } from "./chart/chart-settings.ts";

export const panes = ["Chart", "Book", "Trades", "Order", "Account"] as const;
export type Pane = (typeof panes)[number];

export const pane = signal<Pane>("Chart");

const fieldsOfTicket = "#ticket :is(input:not([type=checkbox], [type=range]), select, button, a)";

/** Shows the ticket and puts the focus into its first field. */
export function focusTicket(): void {
  isFull.value = false;
  pane.value = "Order";
  requestAnimationFrame(() => document.querySelector<HTMLElement>(fieldsOfTicket)?.focus());
}

/** Shows the ticket with a side chosen. The ticket takes the side, and puts the focus into the quantity. */
export function openTicket(side: Side): void {
  isFull.value = false;
  pane.value = "Order";
  // A pane that is not shown yet cannot take the focus.
  requestAnimationFrame(() => {
    ticketSide.value = side;
  });
}
