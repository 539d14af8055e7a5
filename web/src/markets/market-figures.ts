// Live figures of the market: trades, 24-hour statistics, mark price and funding, from the public streams.

import { signal } from "@preact/signals";
import { request } from "../member/venue-api.ts";
import type { Feed, MarketFrame } from "./feed.ts";
import { oncePerFrame } from "./frame-clock.ts";
import type { Market } from "./market.ts";
import type { Refusal } from "./market-notice.ts";

export interface Print {
  readonly id: number;
  readonly price: string;
  readonly quantity: string;
  readonly timeMs: number;
  /** Whether the taker sold. */
  readonly isSale: boolean;
}

/** Figures of the last 24 hours. Before the first trade, the prices are substitutes (spec CMP-11). */
export interface Day {
  readonly last: string;
  readonly change: string;
  readonly changePercent: string;
  readonly high: string;
  readonly low: string;
  readonly quoteVolume: string;
  readonly trades: number;
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
/** Local time of the newest mark price; null before the first one. */
export const markAtMs = signal<number | null>(null);
/** The newest refusal whose message names a restriction of the market. */
export const restriction = signal<Refusal | null>(null);

const printsKept = 60;

/** The 24-hour statistics with the field names of the routes. */
interface DayRow {
  readonly lastPrice: string;
  readonly priceChange: string;
  readonly priceChangePercent: string;
  readonly highPrice: string;
  readonly lowPrice: string;
  readonly quoteVolume: string;
  readonly count: number;
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
  const { highPrice: high, lowPrice: low, quoteVolume, count: trades } = row;
  return { last, change, changePercent, high, low, quoteVolume, trades };
}

/** Merges newer and older trades without duplicates, newest first. */
function merged(newer: readonly Print[], older: readonly Print[]): Print[] {
  const known = new Set(newer.map(({ id }) => id));
  return [...newer, ...older.filter(({ id }) => !known.has(id))].slice(0, printsKept);
}

/**
 * Follows a market's figures; calls `onTrade` immediately for each trade. Returns a function that stops following them.
 */
export function followFigures(
  feed: Feed,
  { stream, listed, isPerpetual }: Market,
  onTrade: (print: Print) => void,
): () => void {
  prints.value = [];
  day.value = null;
  mark.value = null;
  markAtMs.value = null;
  let isFollowed = true;
  let fresh: Print[] = [];
  const show = oncePerFrame(() => {
    if (isFollowed) prints.value = merged(fresh, prints.value);
    fresh = [];
  });
  const root = isPerpetual ? "/compat/fapi/v1" : "/compat/api/v3";
  // If this fails, the list of trades starts empty and fills from the stream.
  request<TradeRow[]>("GET", `${root}/trades?symbol=${listed}&limit=${printsKept}`).then(
    (rows) => {
      if (isFollowed) prints.value = merged(prints.value, rows.map(printOfRow).reverse());
    },
    () => undefined,
  );
  // The stream sends the statistics once a second; this fills the bar at once.
  request<DayRow>("GET", `${root}/ticker/24hr?symbol=${listed}`).then(
    (row) => {
      if (isFollowed) day.value ??= dayOfRow(row);
    },
    () => undefined,
  );
  const ends = [
    feed.listen<MarketFrame<"trade">>(`${stream}@trade`, (frame) => {
      const print = printOf(frame);
      fresh.unshift(print);
      onTrade(print);
      show();
    }),
    feed.listen<MarketFrame<"futuresTicker">>(`${stream}@ticker`, ({ c, p, P, h, l, q, n }) => {
      const prices = { last: c, change: p, changePercent: P, high: h, low: l };
      day.value = { ...prices, quoteVolume: q, trades: n };
    }),
  ];
  if (isPerpetual) {
    const take = ({ p, i, r, T }: MarketFrame<"markPrice">) => {
      mark.value = { price: p, index: i, fundingRate: r, nextFundingMs: T };
      markAtMs.value = Date.now();
    };
    ends.push(feed.listen<MarketFrame<"markPrice">>(`${stream}@markPrice`, take));
  }
  return () => {
    isFollowed = false;
    for (const end of ends) end();
  };
}
