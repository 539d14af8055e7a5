// Which markets a list shows, and in which order. Independent of page and network.

import type { Market } from "./market.ts";

export const marketKinds = ["All", "Favourites", "Perpetuals", "Spot"] as const;
export type MarketKind = (typeof marketKinds)[number];

export interface MarketSearch {
  /** Part of a symbol or of the name of an asset, in any case; separators do not count. */
  readonly text: string;
  readonly kind: MarketKind;
  readonly favourites: readonly string[];
  /** The market on the page, which is listed even if it is delisted. */
  readonly current: string;
}

function plain(text: string): string {
  return text.toUpperCase().replace(/[\s/_-]/g, "");
}

/** 0 if the symbol begins with the text, 1 if only its other name does, 2 if the text is elsewhere. */
function distanceOf({ symbol, listed }: Market, text: string): number {
  if (plain(symbol).startsWith(text)) return 0;
  return plain(listed).startsWith(text) ? 1 : 2;
}

/**
 * Returns the markets to list: those that begin with the text first, of these favourites first, then in the order of
 * the venue. Delisted markets are left out.
 */
export function foundMarkets(markets: readonly Market[], search: MarketSearch): Market[] {
  const { kind, favourites, current } = search;
  const text = plain(search.text);
  const isFavourite = ({ symbol }: Market) => favourites.includes(symbol);
  const isOfKind = (market: Market): boolean => {
    if (kind === "Favourites") return isFavourite(market);
    return kind === "All" || market.isPerpetual === (kind === "Perpetuals");
  };
  const found = markets.filter((market) => {
    if (market.isDelisted && market.symbol !== current) return false;
    const names = [market.symbol, market.listed].map(plain);
    return isOfKind(market) && names.some((name) => name.includes(text));
  });
  const rank = (market: Market) => 2 * distanceOf(market, text) + (isFavourite(market) ? 0 : 1);
  return found.sort((one, other) => rank(one) - rank(other));
}
