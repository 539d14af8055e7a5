// Restrictions of a market that its trader must know, in one sentence. The public data of the venue shows halts and
// prices. Only the refusal of an order shows that a perpetual is reduce-only or paused. The functions depend only on
// their arguments.

import type { Market } from "./market.ts";

/** A refused order of a market. */
export interface Refusal {
  readonly symbol: string;
  /** Message of the venue. */
  readonly message: string;
  readonly atMs: number;
}

export interface NoticeFacts {
  readonly market: Market;
  /** Local time of the newest mark price; null before the first one. */
  readonly markAtMs: number | null;
  /** The newest refusal that restricts a market; null without one. */
  readonly refusal: Refusal | null;
  readonly nowMs: number;
}

/** A mark price is published at least every three seconds, so a mark price of this age is stale. */
const staleMs = 15_000;
/** The venue does not report the end of a restriction, so the notice expires after this time. */
const refusalMs = 60_000;

const onlyReduce = "You can only reduce or close positions.";

const restrictions: ReadonlyArray<readonly [message: string, notice: (symbol: string) => string]> =
  [
    [
      "market is reduce-only",
      (symbol) => `${symbol} is reduce-only because its index price is stale. ${onlyReduce}`,
    ],
    [
      "trading paused in this market",
      (symbol) => `New positions in ${symbol} are paused. ${onlyReduce}`,
    ],
    ["trading paused", () => `Trading is paused on this venue. ${onlyReduce}`],
    [
      "market has no index price yet",
      (symbol) => `${symbol} has no index price yet. It accepts orders once it has one.`,
    ],
  ];

/** What is said above the market for the message of a refusal; undefined if it concerns only the order. */
function restrictionOf(message: string): ((symbol: string) => string) | undefined {
  // The page shows the venue's messages with a capital letter.
  return restrictions.find(([known]) => known === message.toLowerCase())?.[1];
}

/** Whether the message of a refusal concerns the market and not only the order. */
export function isRestriction(message: string): boolean {
  return restrictionOf(message) !== undefined;
}

/** Returns why a market accepts no orders; empty if it does. */
export function closedText({ symbol, isDelisted, isTrading }: Market): string {
  if (isDelisted) return `${symbol} is delisted. It no longer accepts orders.`;
  return isTrading ? "" : `${symbol} is halted. It accepts no orders for now.`;
}

/** Returns the notice to show above the market; empty if the market trades without restrictions. */
export function marketNotice({ market, markAtMs, refusal, nowMs }: NoticeFacts): string {
  const { symbol } = market;
  const closed = closedText(market);
  if (closed !== "") return closed;
  if (refusal !== null && refusal.symbol === symbol && nowMs - refusal.atMs < refusalMs) {
    const notice = restrictionOf(refusal.message);
    if (notice !== undefined) return notice(symbol);
  }
  const isStale = market.isPerpetual && markAtMs !== null && nowMs - markAtMs > staleMs;
  if (!isStale) return "";
  return `The mark price of ${symbol} is stale: last update ${Math.floor((nowMs - markAtMs) / 1000)} s ago.`;
}
