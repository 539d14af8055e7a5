// The market whose leverage the user is changing.

import { effect, signal } from "@preact/signals";
import type { Market } from "../../markets/market.ts";
import { session } from "../session.ts";

/** The market whose dialog is open; null for none. */
export const leverageMarket = signal<Market | null>(null);

// The dialog ends with the session, so that the next one does not begin with it.
effect(() => {
  if (session.value === null) leverageMarket.value = null;
});
