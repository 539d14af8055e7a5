// The markets as a list to choose from: which rows a search shows, in which order, and which markets are favourites.
// The figures come from the streams of all markets, which are followed only while the list is open.

import { signal } from "@preact/signals";
import { keptSignal } from "../kept-signal.ts";
import type { Feed, MarketFrame } from "./feed.ts";
import type { Market } from "./market.ts";
import {
  type Day,
  dayOfTicker,
  type Mark,
  markOfFrame,
  openInterestMs,
  readOpenInterest,
} from "./market-figures.ts";

export interface ListFigures {
  readonly day: Day | null;
  readonly mark: Mark | null;
  /** Open interest of a perpetual, in its base asset; null if unknown. */
  readonly openInterest: string | null;
}

const nothing: ListFigures = { day: null, mark: null, openInterest: null };

/** Figures of the markets by symbol, as far as they are known. */
export const listFigures = signal<ReadonlyMap<string, ListFigures>>(new Map());

const favouritesMax = 100;

function acceptSymbols(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((symbol) => typeof symbol === "string").slice(0, favouritesMax);
}

export const favourites = keptSignal<readonly string[]>("rialto-favourites", [], acceptSymbols);

export function turnFavourite(symbol: string): void {
  const { value } = favourites;
  favourites.value = value.includes(symbol)
    ? value.filter((one) => one !== symbol)
    : [...value, symbol].slice(-favouritesMax);
}

/** Follows the figures of all markets. Returns a function that stops following them. */
export function followList(feed: Feed, markets: readonly Market[]): () => void {
  const learn = (symbol: string, part: Partial<ListFigures>): void => {
    const known = listFigures.peek();
    listFigures.value = new Map(known).set(symbol, { ...(known.get(symbol) ?? nothing), ...part });
  };
  const perpetuals = markets.filter(({ isPerpetual }) => isPerpetual);
  const readAll = (): void => {
    for (const market of perpetuals) {
      readOpenInterest(market).then(
        (openInterest) => learn(market.symbol, { openInterest }),
        // The figure stays as it was; it is read again soon.
        () => undefined,
      );
    }
  };
  readAll();
  const reading = setInterval(readAll, openInterestMs);
  const ends = markets.map(({ symbol, stream }) =>
    feed.listen<MarketFrame<"futuresTicker">>(`${stream}@ticker`, (frame) => {
      learn(symbol, { day: dayOfTicker(frame) });
    }),
  );
  for (const { symbol, stream } of perpetuals) {
    const take = (frame: MarketFrame<"markPrice">) => learn(symbol, { mark: markOfFrame(frame) });
    ends.push(feed.listen(`${stream}@markPrice`, take));
  }
  return () => {
    clearInterval(reading);
    for (const end of ends) end();
  };
}
