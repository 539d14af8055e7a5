// What the random steps of a venue are drawn from: its scene, usual prices and quantities, accounts and client ids.

import { SystemAccount } from "../../src/core/accounts.ts";
import { derivedClientId } from "../../src/core/orders.ts";
import type { TestVenue } from "../support/machine/test-venue.ts";

/** The state and time of a venue, against which a step is interpreted. */
export type Scene = Pick<TestVenue, "state" | "nowUs">;

/** Six random numbers; the kind of step decides their meaning. */
export type Step = readonly [number, number, number, number, number, number];

/** Middle price in ticks and usual quantity in lots, by market. */
const anchors: readonly { price: number; qty: number }[] = [
  { price: 1500, qty: 800 },
  { price: 6_000_000, qty: 20 },
  { price: 300_000, qty: 50 },
  { price: 10_000, qty: 100 },
  { price: 6_000_000, qty: 20 },
  { price: 300_000, qty: 50 },
  { price: 1500, qty: 90_000 },
];

const firstAccount = 1001;
const accountsAtStart = 8;

/** Percentages of the usual prices that apply one after another: prices jump and return. */
const shocks = [100, 101, 97, 100, 140, 95, 20, 100, 103, 200, 100, 75] as const;

/** Returns price and quantity of a market at this moment; the price jumps every few hundred events. */
export function anchorOf(venue: Scene, market: number): { price: number; qty: number } {
  const { price, qty } = anchors[market] ?? { price: 100, qty: 1 };
  const percent = shocks[(venue.state.seq >> 8) % shocks.length] ?? 100;
  return { price: Math.max(Math.floor((price * percent) / 100), 1), qty };
}

export function accountOf(venue: Scene, choice: number): number {
  if (choice % 211 === 0) return SystemAccount.insurance;
  if (choice % 223 === 0) return venue.state.accounts.next + 5;
  return firstAccount + (choice % accountsAtStart);
}

/** Returns a client id: usually empty, else often a duplicate, and rarely one in the form that the venue reserves. */
export function clientIdOf(venue: Scene, choice: number): string {
  if (choice % 3 !== 0) return "";
  return choice % 47 === 0 ? derivedClientId(venue.state.nextOrderId) : `c-${(choice >> 2) % 300}`;
}
