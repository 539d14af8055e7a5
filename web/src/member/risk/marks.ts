// The newest mark price of every perpetual while the user has positions, so that all figures of the account follow the
// marks in every view. The market in sight has the mark that its bar shows.

import { signal } from "@preact/signals";
import type { Feed, MarketFrame } from "../../markets/feed.ts";
import { mark } from "../../markets/market-figures.ts";
import { market } from "../../markets/markets.ts";

/** By the name on the signed surfaces: BTCUSDT. */
const marks = signal<ReadonlyMap<string, string>>(new Map());

const stream = "!markPrice@arr@1s";

/** The mark of a perpetual; undefined while none is known. */
export function markOf(listed: string): string | undefined {
  const isInSight = market.value?.listed === listed && mark.value !== null;
  return isInSight ? mark.value?.price : marks.value.get(listed);
}

/** Follows the marks of all perpetuals. Returns a function that stops following and forgets them. */
export function followMarks(feed: Feed): () => void {
  const end = feed.listen<readonly MarketFrame<"markPrice">[]>(stream, (frames) => {
    const known = new Map(marks.value);
    for (const { s, p } of frames) known.set(s, p);
    marks.value = known;
  });
  return () => {
    end();
    marks.value = new Map();
  };
}
