// The markets of the venue, and the selected one.

import { computed, effect, signal } from "@preact/signals";
import { keptSignal } from "../kept-signal.ts";
import { request } from "../member/venue-api.ts";
import { route } from "../route.ts";
import { floorLeverageOf, type Listing, type Market, marketOf } from "./market.ts";

interface Listings {
  readonly symbols: readonly Listing[];
}

/** Perpetuals first, each kind in the order of the venue; empty until loaded. */
export const markets = signal<readonly Market[]>([]);

/** Symbol of the market that was traded last in this browser; empty before the first one. */
const last = keptSignal<string>("rialto-market", "", (value) =>
  typeof value === "string" ? value : undefined,
);

/**
 * By listed name, the leverage above which the margin floor exceeds the margin; only markets with a floor. It comes and
 * goes with a market's outside price, so it is no part of the market: nothing is loaded again when it does.
 */
export const floorLeverages = signal<ReadonlyMap<string, number>>(new Map());

/** The market that the page's address names, otherwise the last one, otherwise the first one. */
export const market = computed<Market | undefined>(
  () =>
    markets.value.find(({ symbol }) => symbol === route.value.subject) ??
    markets.value.find(({ symbol, isDelisted }) => symbol === last.value && !isDelisted) ??
    markets.value[0],
);

effect(() => {
  const { page, subject } = route.value;
  if (page === "trade" && market.value?.symbol === subject) last.value = subject;
});

/** Reads the listings of both kinds. Unchanged listings keep their objects, so that nothing is loaded again. */
export async function loadMarkets(): Promise<void> {
  const [perpetuals, spots] = await Promise.all([
    request<Listings>("GET", "/compat/fapi/v1/exchangeInfo"),
    request<Listings>("GET", "/compat/api/v3/exchangeInfo"),
  ]);
  const read = [
    ...perpetuals.symbols.map((listing) => marketOf(listing, true)),
    ...spots.symbols.map((listing) => marketOf(listing, false)),
  ];
  const floors = perpetuals.symbols.flatMap((listing) => {
    const leverage = floorLeverageOf(listing);
    return leverage === null ? [] : [[listing.symbol, leverage] as const];
  });
  floorLeverages.value = new Map(floors);
  if (JSON.stringify(read) !== JSON.stringify(markets.value)) markets.value = read;
}
