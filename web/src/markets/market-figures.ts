// What changes with the market: its trades, its day, its mark. Read from the streams everybody has.

import { signal } from "@preact/signals";
import { request } from "../member/venue-api.ts";
import type { Feed, MarketFrame } from "./feed.ts";
import { oncePerFrame } from "./frame-clock.ts";
import type { Market } from "./market.ts";

export interface Print {
  readonly id: number;
  readonly price: string;
  readonly quantity: string;
  readonly timeMs: number;
  /** Whether the taker sold. */
  readonly isSale: boolean;
}

export interface Day {
  readonly last: string;
  readonly change: string;
  readonly changePercent: string;
  readonly high: string;
  readonly low: string;
  readonly quoteVolume: string;
}

export interface Mark {
  readonly price: string;
  readonly index: string;
  readonly fundingRate: string;
  readonly nextFundingMs: number;
}

/** Newest first. */
export const prints = signal<readonly Print[]>([]);
export const day = signal<Day | null>(null);
export const mark = signal<Mark | null>(null);

const printsKept = 60;

/** The same day as the routes name it. */
interface DayRow {
  readonly lastPrice: string;
  readonly priceChange: string;
  readonly priceChangePercent: string;
  readonly highPrice: string;
  readonly lowPrice: string;
  readonly quoteVolume: string;
}

interface TradeRow {
  readonly id: number;
  readonly price: string;
  readonly qty: string;
  readonly time: number;
  readonly isBuyerMaker: boolean;
}

function printOf({ t, p, q, T, m }: MarketFrame<"trade">): Print {
  return { id: t, price: p, quantity: q, timeMs: T, isSale: m };
}

function printOfRow({ id, price, qty, time, isBuyerMaker }: TradeRow): Print {
  return { id, price, quantity: qty, timeMs: time, isSale: isBuyerMaker };
}

function dayOfRow(row: DayRow): Day {
  const { lastPrice: last, priceChange: change, priceChangePercent: changePercent } = row;
  const { highPrice: high, lowPrice: low, quoteVolume } = row;
  return { last, change, changePercent, high, low, quoteVolume };
}

/** Trades of the stream and of the list, each once, newest first. */
function merged(newer: readonly Print[], older: readonly Print[]): Print[] {
  const known = new Set(newer.map(({ id }) => id));
  return [...newer, ...older.filter(({ id }) => !known.has(id))].slice(0, printsKept);
}

/** Follows a market's figures until the answer is called. `onTrade` hears each trade at once. */
export function followFigures(
  feed: Feed,
  { stream, listed, isPerpetual }: Market,
  onTrade: (print: Print) => void,
): () => void {
  prints.value = [];
  day.value = null;
  mark.value = null;
  let isFollowed = true;
  let fresh: Print[] = [];
  const show = oncePerFrame(() => {
    if (isFollowed) prints.value = merged(fresh, prints.value);
    fresh = [];
  });
  const root = isPerpetual ? "/compat/fapi/v1" : "/compat/api/v3";
  // Without it the tape begins empty and fills from the stream.
  request<TradeRow[]>("GET", `${root}/trades?symbol=${listed}&limit=${printsKept}`).then(
    (rows) => {
      if (isFollowed) prints.value = merged(prints.value, rows.map(printOfRow).reverse());
    },
    () => undefined,
  );
  // The stream tells the day once a second: nobody waits for that with an empty bar.
  request<DayRow>("GET", `${root}/ticker/24hr?symbol=${listed}`).then(
    (row) => {
      if (isFollowed) day.value ??= dayOfRow(row);
    },
    () => undefined,
  );
  const ends = [
    feed.hear<MarketFrame<"trade">>(`${stream}@trade`, (frame) => {
      const print = printOf(frame);
      fresh.unshift(print);
      onTrade(print);
      show();
    }),
    feed.hear<MarketFrame<"futuresTicker">>(`${stream}@ticker`, ({ c, p, P, h, l, q }) => {
      day.value = { last: c, change: p, changePercent: P, high: h, low: l, quoteVolume: q };
    }),
  ];
  if (isPerpetual) {
    const take = ({ p, i, r, T }: MarketFrame<"markPrice">) => {
      mark.value = { price: p, index: i, fundingRate: r, nextFundingMs: T };
    };
    ends.push(feed.hear<MarketFrame<"markPrice">>(`${stream}@markPrice`, take));
  }
  return () => {
    isFollowed = false;
    for (const end of ends) end();
  };
}
