// The markets as an operator sees them: from the public routes of both surfaces, and from the metrics of perpetuals.
// Pure functions and one read.

import { placesOf } from "../decimal-text.ts";
import { request } from "../member/venue-api.ts";
import { isReduceOnly, marketStatuses } from "./incident-findings.ts";
import type { Metrics } from "./metrics-text.ts";
import type { Sample } from "./samples.ts";

interface Listed {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly status: string;
  readonly filters: readonly { readonly filterType: string; readonly tickSize?: string }[];
}

interface Day {
  readonly symbol: string;
  readonly lastPrice: string;
  readonly quoteVolume: string;
  readonly count: number;
}

interface Best {
  readonly symbol: string;
  readonly bidPrice: string;
  readonly askPrice: string;
}

interface Premium {
  readonly symbol: string;
  readonly markPrice: string;
  readonly indexPrice: string;
  readonly lastFundingRate: string;
}

/** What the routes of one surface say of its markets. */
export interface Read {
  readonly isPerpetual: boolean;
  readonly listed: readonly Listed[];
  readonly days: readonly Day[];
  readonly bests: readonly Best[];
  /** Of the perpetuals that have a mark. */
  readonly premiums: readonly Premium[];
}

export interface MarketRow {
  readonly name: string;
  /** As the operator's commands name it, or "reduce only". */
  readonly status: string;
  /** The asset of volume and open interest. */
  readonly quote: string;
  readonly last: string;
  /** Best bid and lowest offer, each empty if its side is. */
  readonly bid: string;
  readonly offer: string;
  /** Distance of the best prices in basis points of their middle; null if a side is empty. */
  readonly spreadBps: number | null;
  readonly trades: number;
  readonly volume: number;
  readonly mark: string;
  /** The newest index; empty on spot, and before there was one. */
  readonly index: string;
  /** Where the index comes from; empty without one. */
  readonly source: string;
  /** Funding rate in percent; null on spot. */
  readonly fundingPercent: number | null;
  /** Open interest in the quote asset; null on spot. */
  readonly openInterest: number | null;
  /** What is particular about the market; empty if nothing is. */
  readonly note: string;
  /** Whether the venue names a problem of the market. */
  readonly hasProblem: boolean;
}

/** A price with the decimals of its market's tick. A price of zero means that there is none. */
function priceText(price: string | undefined, places: number): string {
  if (price === undefined || Number(price) === 0) return "";
  const [whole = "", decimals = ""] = price.split(".");
  return places === 0 ? whole : `${whole}.${decimals.slice(0, places).padEnd(places, "0")}`;
}

function tickPlaces({ filters }: Listed): number {
  const { tickSize = "0.01" } =
    filters.find(({ filterType }) => filterType === "PRICE_FILTER") ?? {};
  return placesOf(tickSize);
}

/** What an index comes from, by the value of its metric. */
const sources = ["operator", "price feed", "makers"];

/** The rows of all surfaces: halted markets, those with a problem, the others, delisted ones; each in the venue's order. */
export function marketRows(reads: readonly Read[], sample: Sample): MarketRow[] {
  const rows = reads.flatMap((read) => surfaceRows(read, sample));
  return rows.sort((one, other) => rankOf(one) - rankOf(other));
}

/** Where an operator must look comes first; a delisted market stays delisted. */
function rankOf({ status, hasProblem }: MarketRow): number {
  if (status === "delisted") return 3;
  if (status === "halted") return 0;
  return hasProblem ? 1 : 2;
}

function surfaceRows(read: Read, sample: Sample): MarketRow[] {
  const { metrics } = sample;
  const { isPerpetual, listed, days, bests, premiums } = read;
  // The metrics are read each second, so that a halt is shown at once.
  const statuses = marketStatuses(metrics);
  return listed.map((market) => {
    const { symbol, baseAsset } = market;
    const places = tickPlaces(market);
    const day = days.find((one) => one.symbol === symbol);
    const best = bests.find((one) => one.symbol === symbol);
    const premium = premiums.find((one) => one.symbol === symbol);
    // Binance's interface calls the money of perpetuals USDT.
    const quote = isPerpetual ? "USDC" : market.quoteAsset;
    const name = isPerpetual ? `${baseAsset}-PERP` : symbol;
    const [bid, offer] = [priceText(best?.bidPrice, places), priceText(best?.askPrice, places)];
    const hasBoth = bid !== "" && offer !== "";
    const listedAs = statuses.get(name) ?? market.status.toLowerCase();
    const isRestricted = listedAs === "trading" && isReduceOnly(sample, name);
    const status = isRestricted ? "reduce only" : listedAs;
    return {
      ...{ name, status, quote, bid, offer },
      ...perpetualFigures(premium, { name, places }, metrics),
      last: priceText(day?.lastPrice, places),
      spreadBps: hasBoth ? spreadOf(Number(bid), Number(offer)) : null,
      trades: day?.count ?? 0,
      volume: Number(day?.quoteVolume ?? 0),
      note: noteOf({ name, status, bid, offer }, sample),
      hasProblem: sample.told.some((one) => one.market === name),
    };
  });
}

function perpetualFigures(
  premium: Premium | undefined,
  { name, places }: { readonly name: string; readonly places: number },
  metrics: Metrics,
) {
  if (premium === undefined)
    return { mark: "", index: "", source: "", fundingPercent: null, openInterest: null };
  const { markPrice, indexPrice, lastFundingRate } = premium;
  const interest = metrics.by("rialto_perpetual_open_interest_usdc", "market");
  // The route has the mark in place of an index that was never measured.
  const hasIndex = metrics.by("rialto_perpetual_index_stale_seconds", "market").has(name);
  const source = metrics.by("rialto_perpetual_index_source", "market").get(name);
  return {
    mark: priceText(markPrice, places),
    index: hasIndex ? priceText(indexPrice, places) : "",
    source: sources[source ?? -1] ?? (hasIndex ? "not measured now" : ""),
    fundingPercent: 100 * Number(lastFundingRate),
    openInterest: interest.get(name) ?? 0,
  };
}

function noteOf(
  { name, status, bid, offer }: Pick<MarketRow, "name" | "status" | "bid" | "offer">,
  { told }: Sample,
): string {
  if (status === "halted") return "takes no orders until it is resumed";
  if (status === "delisted") return "";
  const sides = [...(bid === "" ? ["bids"] : []), ...(offer === "" ? ["offers"] : [])];
  // What an empty side lacks is said from the prices, before it has lasted long enough to be a problem.
  const restrictions = told.filter(({ kind, market }) => market === name && kind !== "book_empty");
  const isCrossed = sides.length === 0 && Number(bid) >= Number(offer);
  return [
    ...(sides.length > 0 ? [`no ${sides.join(" and no ")}`] : []),
    // Orders of one account do not trade with each other (ORD-40), so its own prices may cross.
    ...(isCrossed ? ["one account's bid and offer cross"] : []),
    ...restrictions.map(({ text }) => text.slice(name.length + 1)),
    ...(told.some(({ kind }) => kind === "makers_held") ? ["the venue's makers are held"] : []),
  ].join("; ");
}

function spreadOf(bid: number, offer: number): number {
  return (10_000 * (offer - bid)) / ((offer + bid) / 2);
}

async function readSurface(root: string, isPerpetual: boolean): Promise<Read> {
  const [{ symbols: listed }, days, bests, premiums] = await Promise.all([
    request<{ symbols: Listed[] }>("GET", `${root}/exchangeInfo`),
    request<Day[]>("GET", `${root}/ticker/24hr`),
    request<Best[]>("GET", `${root}/ticker/bookTicker`),
    isPerpetual ? request<Premium[]>("GET", `${root}/premiumIndex`) : [],
  ]);
  return { isPerpetual, listed, days, bests, premiums };
}

/** Reads both surfaces, perpetuals first. */
export function readMarkets(): Promise<Read[]> {
  return Promise.all([readSurface("/compat/fapi/v1", true), readSurface("/compat/api/v3", false)]);
}
