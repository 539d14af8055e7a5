// The title of the page: the price of the market while trading, otherwise the name of the view.

import { effect } from "@preact/signals";
import { shown } from "./decimal-text.ts";
import { lastPrice } from "./markets/market-figures.ts";
import { market } from "./markets/markets.ts";
import { type Page, route } from "./route.ts";

function tradeTitle(): string {
  const { value } = market;
  if (value === undefined) return "Rialto";
  const last = lastPrice.value;
  const price = last === null ? "" : `${shown(last, value.pricePlaces)} `;
  return `${price}${value.symbol} · Rialto`;
}

/** Keeps the title current; `titles` are the names of the views. */
export function keepTitle(titles: Readonly<Record<Page, string>>): void {
  effect(() => {
    const { page } = route.value;
    document.title = page === "trade" ? tradeTitle() : `${titles[page]} · Rialto`;
  });
}
