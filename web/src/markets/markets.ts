// Which markets there are and which one is looked at.

import { computed, signal } from "@preact/signals";
import { request } from "../member/venue-api.ts";
import { route } from "../route.ts";
import { type Listing, type Market, marketOf } from "./market.ts";

interface Listings {
  readonly symbols: readonly Listing[];
}

/** Perpetuals first, each kind in the venue's own order; empty until loaded. */
export const markets = signal<readonly Market[]>([]);

/** The market the address names, or the first. */
export const market = computed<Market | undefined>(
  () => markets.value.find(({ symbol }) => symbol === route.value.subject) ?? markets.value[0],
);

/** Reads the listings of both kinds. */
export async function loadMarkets(): Promise<void> {
  const [perpetuals, spots] = await Promise.all([
    request<Listings>("GET", "/compat/fapi/v1/exchangeInfo"),
    request<Listings>("GET", "/compat/api/v3/exchangeInfo"),
  ]);
  markets.value = [
    ...perpetuals.symbols.map((listing) => marketOf(listing, true)),
    ...spots.symbols.map((listing) => marketOf(listing, false)),
  ];
}
