// Depth as JSON text, rendered once per change of a book and number of levels. Bounded: one text
// per market and distinct number of levels, and odd numbers share the text of the standard one.

import { formatScaled } from "../../core/decimal.ts";
import type { Market } from "../../core/markets.ts";
import { Side } from "../../core/orders.ts";
import type { MarketView } from "./read-model.ts";

/** Texts are joined flat: a rope would be walked again by every answer it is put into. */
interface RenderedDepth {
  readonly seq: number;
  readonly levels: string;
  /** The whole answer of a surface that shows nothing but `lastUpdateId` beside the levels. */
  readonly whole: string;
}

/** Numbers of levels whose texts are kept; others are rendered each time. */
const keptLimits: ReadonlySet<number> = new Set([5, 10, 20, 50, 100, 500, 1000]);

function sideText(view: MarketView, side: Side, limit: number): string {
  const { tickDecimals, lotDecimals }: Market = view.market;
  const rows: string[] = [];
  view.depth.visit(side, limit, (price, qty) => {
    rows.push(`["${formatScaled(price, tickDecimals)}","${formatScaled(qty, lotDecimals)}"]`);
  });
  return rows.join(",");
}

function render(view: MarketView, limit: number): RenderedDepth {
  const bids = sideText(view, Side.buy, limit);
  const asks = sideText(view, Side.sell, limit);
  const levels = ['"bids":[', bids, '],"asks":[', asks, "]"].join("");
  const whole = [`{"lastUpdateId":${view.depthSeq},`, levels, "}"].join("");
  return { seq: view.depthSeq, levels, whole };
}

export class DepthTexts {
  readonly #kept = new Map<number, RenderedDepth>();

  /** `"bids":[…],"asks":[…]` with at most `limit` levels a side. */
  levels(view: MarketView, limit: number): string {
    return this.#rendered(view, limit).levels;
  }

  /** `{"lastUpdateId":…,"bids":[…],"asks":[…]}` with at most `limit` levels a side. */
  whole(view: MarketView, limit: number): string {
    return this.#rendered(view, limit).whole;
  }

  #rendered(view: MarketView, limit: number): RenderedDepth {
    const key = view.market.id * 8192 + limit;
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.seq === view.depthSeq) return kept;
    const rendered = render(view, limit);
    if (keptLimits.has(limit)) this.#kept.set(key, rendered);
    return rendered;
  }
}
