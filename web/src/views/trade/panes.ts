// Which pane a narrow screen shows, and how the ticket gets the focus. A chart in full screen covers the
// ticket, so it gives way.

import { signal } from "@preact/signals";
import { type Side, ticketSide } from "../../markets/ticket-requests.ts";
import { isFull } from "./chart/chart-settings.ts";

export const panes = ["Chart", "Book", "Trades", "Order", "Account"] as const;
export type Pane = (typeof panes)[number];

export const pane = signal<Pane>("Chart");

/** The first field is the price or, of an order without one, the quantity. */
const fieldsOfTicket = ["input[inputmode=decimal]", ":is(input, select, button, a)"] as const;

/**
 * Shows the ticket, and acts on it: at once if it is in sight, so that the very next key goes there. A pane that is not
 * shown yet cannot take the focus.
 */
function inTicket(act: () => void): void {
  const isShown = document.querySelector("#ticket")?.checkVisibility() === true;
  isFull.value = false;
  pane.value = "Order";
  if (isShown) act();
  else requestAnimationFrame(act);
}

/** Shows the ticket and puts the focus into its first field or, without any, to its first control. */
export function focusTicket(): void {
  inTicket(() => {
    const found = fieldsOfTicket.map((name) => document.querySelector(`#ticket ${name}`));
    const field = found.find((one) => one !== null);
    if (field instanceof HTMLElement) field.focus();
    // What is left of an earlier order is replaced by the next key, not continued.
    if (field instanceof HTMLInputElement) field.select();
  });
}

/** Shows the ticket with a side chosen. The ticket takes the side, and puts the focus into the quantity. */
export function openTicket(side: Side): void {
  inTicket(() => {
    ticketSide.value = side;
  });
}
