// The user's own trades as marks at the candles of a chart: one for all trades of a side in a candle. Independent of the
// page.

import { openOf, type Period } from "../../../markets/candle.ts";

/** A trade of the native routes, as far as a mark needs it. */
export interface MarkedFill {
  readonly side: "BUY" | "SELL";
  readonly time: string;
}

export interface FillMark {
  /** Of the candle. */
  readonly openMs: number;
  readonly side: "BUY" | "SELL";
  /** "B" or "S", with the number of trades if there are more than one, or with "…" if the number is not known. */
  readonly text: string;
}

/**
 * Returns the marks of trades in candles that open at `fromMs` or later, in ascending order. All trades after `knownMs`
 * are known, and perhaps not all of those before.
 */
export function fillMarks(
  fills: readonly MarkedFill[],
  period: Period,
  { fromMs, knownMs }: { readonly fromMs: number; readonly knownMs: number },
): FillMark[] {
  const counts = new Map<string, { openMs: number; side: "BUY" | "SELL"; count: number }>();
  for (const { side, time } of fills) {
    const openMs = openOf(Date.parse(time), period);
    if (openMs < fromMs) continue;
    const key = `${openMs} ${side}`;
    counts.set(key, { openMs, side, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()]
    .sort((a, b) => a.openMs - b.openMs)
    .map(({ openMs, side, count }) => {
      const letter = side === "BUY" ? "B" : "S";
      const number = count === 1 ? "" : ` ${count}`;
      return { openMs, side, text: `${letter}${openMs <= knownMs ? "…" : number}` };
    });
}
