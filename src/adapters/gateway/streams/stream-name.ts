// Names of streams: what a client may ask for, and the one key behind all spellings of it. A name is
// `<symbol>@<feed>` in lower or upper case throughout, with or without the hyphen of the symbol, or
// as documented; so few spellings exist, and none can be used to make the venue say a thing a
// thousand times over. Spec STR-1, STR-15.

import type { Market, MarketTable } from "../../../core/markets.ts";
import { MarketKind } from "../../../core/markets.ts";
import { candleIntervals } from "../../../core/unix-ms.ts";
import type { SurfaceView } from "../surface-view.ts";

export type IntervalName = (typeof candleIntervals)[number]["name"];

export type FeedName =
  | "depth"
  | "depth5"
  | "depth10"
  | "depth20"
  | "trade"
  | "aggTrade"
  | "ticker"
  | "miniTicker"
  | "bookTicker"
  | "markPrice"
  | "forceOrder"
  | `kline_${IntervalName}`;

export interface StreamName {
  readonly feed: FeedName;
  /** Null: of all markets. */
  readonly market: Market | null;
  /** The view whose figures it carries: a spot market writes them in two ways. */
  readonly view: SurfaceView;
  /** Equal for equal streams, however they were asked for. */
  readonly key: string;
  /** As the client wrote it: combined frames repeat it. */
  readonly requested: string;
}

interface FeedTerms {
  readonly feed: FeedName;
  readonly isOnRoot: boolean;
  /** The only kind of market that has it; both have it when absent. */
  readonly kind?: MarketKind;
}

const depthSpeeds = ["", "@100ms", "@250ms", "@500ms", "@1000ms"] as const;

/** Feeds by every accepted spelling of what follows the symbol. */
const feeds: ReadonlyMap<string, FeedTerms> = spelled([
  ...(["depth5", "depth10", "depth20"] as const).flatMap((feed) =>
    depthSpeeds.map((speed) => [feed + speed, { feed, isOnRoot: true }] as const),
  ),
  ...depthSpeeds.map((speed) => [`depth${speed}`, { feed: "depth", isOnRoot: false }] as const),
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
  ...candleIntervals.map(
    ({ name }) => [`kline_${name}`, { feed: `kline_${name}`, isOnRoot: name === "1m" }] as const,
  ),
]);

function spelled(list: ReadonlyArray<readonly [string, FeedTerms]>): Map<string, FeedTerms> {
  const map = new Map<string, FeedTerms>();
  for (const [name, terms] of list) {
    for (const form of [name, name.toLowerCase(), name.toUpperCase()]) map.set(form, terms);
  }
  return map;
}

/** Liquidations of all markets, which have one stream beside their own. */
const allForceOrders: ReadonlySet<string> = new Set(
  ["!forceOrder@arr"].flatMap((name) => [name, name.toLowerCase(), name.toUpperCase()]),
);

/** What `requested` names in a view, or undefined if nothing has that name there. */
export function readStreamName(
  requested: string,
  table: MarketTable,
  view: SurfaceView,
): StreamName | undefined {
  if (allForceOrders.has(requested)) {
    if (view === "root") return undefined;
    return { feed: "forceOrder", market: null, view, key: "!forceOrder@arr", requested };
  }
  const at = requested.indexOf("@");
  const symbol = requested.slice(0, Math.max(at, 0));
  const upper = symbol.toUpperCase();
  if (symbol !== upper && symbol !== symbol.toLowerCase()) return undefined;
  const market = table.find(upper);
  const terms = feeds.get(requested.slice(at + 1));
  if (market === undefined || terms === undefined) return undefined;
  const isSpot = market.kind === MarketKind.spot;
  if (view === "root" && !(terms.isOnRoot && isSpot)) return undefined;
  if (terms.kind !== undefined && terms.kind !== market.kind) return undefined;
  return { feed: terms.feed, market, view, key: `${market.id}@${terms.feed}@${view}`, requested };
}
