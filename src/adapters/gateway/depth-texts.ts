// Depth as JSON text, rendered once per change of a book and number of levels. Bounded: one text
// per market and distinct number of levels, and odd numbers share the text of the standard one.

import { formatScaled } from "../../core/decimal.ts";
import type { Market } from "../../core/markets.ts";
import { Side } from "../../core/orders.ts";
import type { MarketView } from "./read-model.ts";

interface RenderedDepth {
  seq: number;
  text: string;
}

/** Numbers of levels whose texts are kept; others are rendered each time. */
const keptLimits: ReadonlySet<number> = new Set([5, 10, 20, 50, 100, 500, 1000]);

function sideText(view: MarketView, side: Side, limit: number): string {
  const { tickDecimals, lotDecimals }: Market = view.market;
  let text = "";
  view.depth.visit(side, limit, (price, qty) => {
    text += `${text === "" ? "" : ","}["${formatScaled(price, tickDecimals)}","${formatScaled(qty, lotDecimals)}"]`;
  });
  return text;
}

export class DepthTexts {
  readonly #kept = new Map<number, RenderedDepth>();

  /** `"bids":[…],"asks":[…]` with at most `limit` levels a side. */
  levels(view: MarketView, limit: number): string {
    if (!keptLimits.has(limit)) return this.#render(view, limit);
    const key = view.market.id * 8192 + limit;
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.seq === view.depthSeq) return kept.text;
    const text = this.#render(view, limit);
    this.#kept.set(key, { seq: view.depthSeq, text });
    return text;
  }

  #render(view: MarketView, limit: number): string {
    const bids = sideText(view, Side.buy, limit);
    return `"bids":[${bids}],"asks":[${sideText(view, Side.sell, limit)}]`;
  }
}
