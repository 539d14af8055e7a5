// Parses stream names, and gives one key to all spellings of a stream. A name is `<symbol>@<feed>`, entirely in lower
// or upper case, with or without the symbol's hyphen, or spelled as documented. The number of spellings is small, so
// that clients cannot make the venue send the same data in thousands of forms. Spec STR-1, STR-15.

import type { Market, MarketTable } from "../../../core/markets.ts";
import { MarketKind } from "../../../core/markets.ts";
import { klineInterval } from "../market-data/kline-interval.ts";
import type { SurfaceView } from "../requests/surface-view.ts";

export type FeedName =
  | "depth"
  | "depth5"
  | "depth10"
  | "depth20"
  | "order"
  | "trade"
  | "aggTrade"
  | "ticker"
  | `ticker_${WindowName}`
  | "miniTicker"
  | "bookTicker"
  | "bestBidAsk"
  | "avgPrice"
  | "markPrice"
  | "forceOrder"
  | `kline_${string}`
  | `continuousKline_${string}`;

/** Windows of ticker streams, besides 24 h (Binance). */
export type WindowName = (typeof tickerWindows)[number]["name"];

export interface StreamName {
  readonly feed: FeedName;
  /** The market of the stream; null for a stream of all markets of a kind. */
  readonly market: Market | null;
  /** The kind of the stream's markets. */
  readonly kind: MarketKind;
  /** The view that sets the number format of the stream; only spot has two formats. */
  readonly view: SurfaceView;
  /** True for a stream in SBE. */
  readonly isSbe: boolean;
  /** The key of the stream, the same for every spelling of its name. */
  readonly key: string;
  /** The name as the client spelled it, which combined frames repeat. */
  readonly requested: string;
}

interface FeedTerms {
  readonly feed: FeedName;
  readonly isOnRoot: boolean;
  /** The only kind of market that has this feed; absent if both kinds have it. */
  readonly kind?: MarketKind;
}

const depthSpeeds = ["", "@0ms", "@100ms", "@250ms", "@500ms", "@1000ms"] as const;

const hourMs = 3_600_000;

/** Windows of spot ticker streams, besides 24 h. */
export const tickerWindows = [
  { name: "1h", ms: hourMs },
  { name: "4h", ms: 4 * hourMs },
  { name: "1d", ms: 24 * hourMs },
] as const;

/** Feeds by every accepted spelling of the part after the symbol. */
const feeds: ReadonlyMap<string, FeedTerms> = spelled<FeedTerms>([
  ...(["depth5", "depth10", "depth20"] as const).flatMap((feed) =>
    depthSpeeds.map((speed) => [feed + speed, { feed, isOnRoot: true }] as const),
  ),
  ...depthSpeeds.map((speed) => [`depth${speed}`, { feed: "depth", isOnRoot: false }] as const),
  ["order", { feed: "order", isOnRoot: false }],
  ["trade", { feed: "trade", isOnRoot: true }],
  ["ticker", { feed: "ticker", isOnRoot: true }],
  ["aggTrade", { feed: "aggTrade", isOnRoot: false }],
  ["miniTicker", { feed: "miniTicker", isOnRoot: false }],
  ["bookTicker", { feed: "bookTicker", isOnRoot: false }],
  ...["", "@1s", "@3s"].map(
    (speed) =>
      [
        `markPrice${speed}`,
        { feed: "markPrice", isOnRoot: false, kind: MarketKind.perpetual },
      ] as const,
  ),
  ["forceOrder", { feed: "forceOrder", isOnRoot: false, kind: MarketKind.perpetual }],
  ["avgPrice", { feed: "avgPrice", isOnRoot: false, kind: MarketKind.spot }],
  ...tickerWindows.map(
    ({ name }) =>
      [
        `ticker_${name}`,
        { feed: `ticker_${name}`, isOnRoot: false, kind: MarketKind.spot },
      ] as const,
  ),
]);

function spelled<T>(list: ReadonlyArray<readonly [string, T]>): Map<string, T> {
  const map = new Map<string, T>();
  for (const [name, terms] of list) {
    for (const form of [name, name.toLowerCase(), name.toUpperCase()]) map.set(form, terms);
  }
  return map;
}

type AllTerms = Pick<FeedTerms, "feed" | "kind">;

/** Streams of all markets of a kind. `kind` is set if only one kind has the stream. */
const allFeeds: ReadonlyMap<string, AllTerms> = spelled<AllTerms>([
  ["!ticker@arr", { feed: "ticker" }],
  ...["", "@1000ms", "@3000ms"].map(
    (speed) => [`!miniTicker@arr${speed}`, { feed: "miniTicker" }] as const,
  ),
  ["!bookTicker", { feed: "bookTicker" }],
  ...["", "@1s", "@3s"].map(
    (speed) =>
      [`!markPrice@arr${speed}`, { feed: "markPrice", kind: MarketKind.perpetual }] as const,
  ),
  ["!forceOrder@arr", { feed: "forceOrder", kind: MarketKind.perpetual }],
  ...tickerWindows.map(
    ({ name }) =>
      [`!ticker_${name}@arr`, { feed: `ticker_${name}`, kind: MarketKind.spot }] as const,
  ),
]);

/** The connection on which a name was requested, which can decide the meaning of the name. */
export interface NameScope {
  readonly view: SurfaceView;
  /** True if the URL is a futures root: names of all markets then mean perpetuals. Otherwise they mean spot markets. */
  readonly isFutures: boolean;
  /**
   * True if streams that Binance has retired do not exist: streams of perpetuals outside the futures roots, and the list
   * of all spot tickers. Spec CMP-41.
   */
  readonly isStrict: boolean;
  /** True if the URL is the root of market data in SBE, which has streams of its own. */
  readonly isSbe: boolean;
}

/** Streams in SBE; only spot has any. A name of JSON can be that of another stream here. */
const sbeFeeds: ReadonlyMap<string, FeedTerms> = spelled<FeedTerms>(
  (["trade", "bestBidAsk", "depth", "depth20"] as const).map((feed) => [
    feed,
    { feed, isOnRoot: false, kind: MarketKind.spot },
  ]),
);

/** Candle names are case sensitive: `1m` is one minute and `1M` one month. */
const candleForm = /^(kline|continuousKline)_(\d+[smhdwM])$/;
const perpetualSuffix = "_PERPETUAL";

/**
 * The candle feed with the name `text`, which is the part of a stream name after the `@`; undefined if there is none.
 * Only perpetuals have continuous candles.
 */
function candleTerms(text: string): FeedTerms | undefined {
  const match = candleForm.exec(text);
  const [, form, interval = ""] = match ?? [];
  if (klineInterval(interval) === undefined) return undefined;
  const feed = text as FeedName;
  if (form === "kline") return { feed, isOnRoot: interval === "1m" };
  return { feed, isOnRoot: false, kind: MarketKind.perpetual };
}

/** The stream named by `requested`, or undefined if no stream has that name on this connection. */
export function readStreamName(
  requested: string,
  table: MarketTable,
  scope: NameScope,
): StreamName | undefined {
  if (requested.startsWith("!")) return readAllName(requested, scope);
  const { view, isSbe } = scope;
  const at = requested.indexOf("@");
  const symbol = requested.slice(0, Math.max(at, 0));
  const upper = symbol.toUpperCase();
  if (symbol !== upper && symbol !== symbol.toLowerCase()) return undefined;
  const text = requested.slice(at + 1);
  const terms = isSbe ? sbeFeeds.get(text) : jsonFeed(text);
  if (terms === undefined) return undefined;
  const isContinuous = terms.feed.startsWith("continuousKline");
  if (isContinuous !== upper.endsWith(perpetualSuffix)) return undefined;
  const market = table.find(isContinuous ? upper.slice(0, -perpetualSuffix.length) : upper);
  if (market === undefined) return undefined;
  const { kind } = market;
  if (view === "root" && !(terms.isOnRoot && kind === MarketKind.spot)) return undefined;
  if (terms.kind !== undefined && terms.kind !== kind) return undefined;
  if (isRetired(kind, scope)) return undefined;
  return {
    feed: terms.feed,
    market,
    kind,
    view,
    isSbe,
    key: `${market.id}@${terms.feed}@${isSbe ? "sbe" : view}`,
    requested,
  };
}

/** The feed with the name `text`, in JSON. */
function jsonFeed(text: string): FeedTerms | undefined {
  return feeds.get(text) ?? candleTerms(text) ?? candleTerms(properCase(text));
}

/**
 * Restores the case of a candle name in an upper-case stream name: `KLINE_1M` means one minute there, as documented.
 */
function properCase(text: string): string {
  const [form = "", interval = ""] = text.split("_");
  const isUpper = text === text.toUpperCase();
  const isForm = form === "KLINE" || form === "kline";
  return isUpper && isForm ? `kline_${interval.toLowerCase()}` : text;
}

function isRetired(kind: MarketKind, { isStrict, isFutures }: NameScope): boolean {
  return isStrict && !isFutures && kind === MarketKind.perpetual;
}

function readAllName(requested: string, scope: NameScope): StreamName | undefined {
  const { view, isFutures, isStrict, isSbe } = scope;
  const terms = allFeeds.get(requested);
  if (terms === undefined || view === "root" || isSbe) return undefined;
  const kind = terms.kind ?? (isFutures ? MarketKind.perpetual : MarketKind.spot);
  if (isRetired(kind, scope)) return undefined;
  if (isStrict && terms.feed === "ticker" && kind === MarketKind.spot) return undefined;
  const key = `!${terms.feed}@${kind}`;
  return { feed: terms.feed, market: null, kind, view, isSbe, key, requested };
}
