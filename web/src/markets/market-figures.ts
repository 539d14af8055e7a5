// Live figures of the market: trades, 24-hour statistics, mark price and funding, from the public streams.

import { computed, signal } from "@preact/signals";
import { request } from "../member/venue-api.ts";
import type { Feed, MarketFrame } from "./feed.ts";
import { oncePerFrame } from "./frame-clock.ts";
import { type Market, surfaceOf } from "./market.ts";
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
  readonly high: string;
  readonly low: string;
  readonly quoteVolume: string;
  readonly trades: number;
}

/** The figures if the market traded in the last 24 hours; else null, because their prices may be substitutes. */
export function tradedDay(day: Day | null | undefined): Day | null {
  return day != null && day.trades > 0 ? day : null;
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
/**
 * Price of the newest trade; null for a market without a trade in 24 hours. Trades are up to a second ahead of the
 * statistics.
 */
export const lastPrice = computed<string | null>(() => {
  const [newest] = prints.value;
  const traded = tradedDay(day.value);
  const isRecent = newest !== undefined && Date.now() - newest.timeMs < dayMs;
  return (traded !== null || isRecent ? newest?.price : null) ?? traded?.last ?? null;
});
export const mark = signal<Mark | null>(null);
/** Local time of the newest mark price; null before the first one. */
export const markAtMs = signal<number | null>(null);
/** Open interest of a perpetual, in its base asset; null if unknown. */
export const openInterest = signal<string | null>(null);
/** The newest refusal whose message names a restriction of the market. */
export const restriction = signal<Refusal | null>(null);

const dayMs = 86_400_000;
/** Enough for a tape that shows only large trades. */
const printsKept = 300;
/** How many trades are read at the start; the rest come from the stream. */
const printsRead = 200;

/** The 24-hour statistics with the field names of the routes. */
interface DayRow {
  readonly lastPrice: string;
  readonly priceChange: string;
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
  const { lastPrice: last, priceChange: change } = row;
  const { highPrice: high, lowPrice: low, quoteVolume, count: trades } = row;
  return { last, change, high, low, quoteVolume, trades };
}

export function dayOfTicker({ c, p, h, l, q, n }: MarketFrame<"futuresTicker">): Day {
  return { last: c, change: p, high: h, low: l, quoteVolume: q, trades: n };
}

export function markOfFrame({ p, i, r, T }: MarketFrame<"markPrice">): Mark {
  return { price: p, index: i, fundingRate: r, nextFundingMs: T };
}

/** Interval at which open interest is read: no stream has it. */
export const openInterestMs = 5_000;

/** Reads the open interest of a perpetual. */
export async function readOpenInterest({ symbol }: Pick<Market, "symbol">): Promise<string> {
  const ticker = await request<{ open_interest: string }>("GET", `/v1/markets/${symbol}/ticker`);
  return ticker.open_interest;
}

/** Keeps the open interest of a perpetual current. Returns a function that ends this. */
function followOpenInterest(market: Pick<Market, "symbol">): () => void {
  let isFollowed = true;
  const read = (): void => {
    if (document.hidden) return;
    readOpenInterest(market).then(
      (figure) => {
        if (isFollowed) openInterest.value = figure;
      },
      // The figure stays as it was; it is read again soon.
      () => undefined,
    );
  };
  read();
  const reading = setInterval(read, openInterestMs);
  return () => {
    isFollowed = false;
    clearInterval(reading);
    openInterest.value = null;
  };
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
  market: Market,
  onTrade: (print: Print) => void,
): () => void {
  const { symbol, stream, listed, isPerpetual } = market;
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
  const root = surfaceOf(market);
  // If this fails, the list of trades starts empty and fills from the stream.
  request<TradeRow[]>("GET", `${root}/trades?symbol=${listed}&limit=${printsRead}`).then(
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
    feed.listen<MarketFrame<"futuresTicker">>(`${stream}@ticker`, (frame) => {
      day.value = dayOfTicker(frame);
    }),
  ];
  if (isPerpetual) {
    const take = (frame: MarketFrame<"markPrice">) => {
      mark.value = markOfFrame(frame);
      markAtMs.value = Date.now();
    };
    ends.push(feed.listen<MarketFrame<"markPrice">>(`${stream}@markPrice`, take));
    ends.push(followOpenInterest({ symbol }));
  }
  return () => {
    isFollowed = false;
    for (const end of ends) end();
    // A view that does not follow the market must not take an old mark for the present one.
    mark.value = null;
  };
}
