// Depth as JSON text, rendered once per change of a book for each number of levels and each number format. The cache
// holds at most one text per market, format and standard number of levels.

import { Side } from "../../../core/orders.ts";
import { priceText, qtyText, type ShownMarket, shownIn } from "../orders/order-format.ts";
import type { MarketView } from "../read-model.ts";
import type { SurfaceView } from "../requests/surface-view.ts";

/**
 * Rendered texts of one book. The strings are flat: V8 would traverse a concatenated string (a rope) again for each
 * answer that contains it.
 */
interface RenderedDepth {
  readonly seq: number;
  readonly levels: string;
  /** The complete answer of the routes that add only `lastUpdateId` to the levels. */
  readonly whole: string;
}

/** Numbers of levels whose texts are cached; texts with another number of levels are rendered for each request. */
const keptLimits: ReadonlySet<number> = new Set([5, 10, 20, 50, 100, 500, 1000]);

function sideText(
  { depth }: MarketView,
  market: ShownMarket,
  { side, limit }: { side: Side; limit: number },
): string {
  const rows: string[] = [];
  depth.visit(side, limit, (price, qty) => {
    rows.push(`["${priceText(market, price)}","${qtyText(market, qty)}"]`);
  });
  return rows.join(",");
}

function render(view: MarketView, market: ShownMarket, limit: number): RenderedDepth {
  const bids = sideText(view, market, { side: Side.buy, limit });
  const asks = sideText(view, market, { side: Side.sell, limit });
  const levels = ['"bids":[', bids, '],"asks":[', asks, "]"].join("");
  const whole = [`{"lastUpdateId":${view.depthSeq},`, levels, "}"].join("");
  return { seq: view.depthSeq, levels, whole };
}

export class DepthTexts {
  readonly #kept = new Map<number, RenderedDepth>();

  /** `"bids":[…],"asks":[…]` with at most `limit` levels per side. */
  levels(view: MarketView, limit: number): string {
    return this.#rendered(view, limit, "root").levels;
  }

  /**
   * `{"lastUpdateId":…,"bids":[…],"asks":[…]}` with at most `limit` levels per side, in the number format of `surface`.
   */
  whole(view: MarketView, limit: number, surface: SurfaceView): string {
    return this.#rendered(view, limit, surface).whole;
  }

  #rendered(view: MarketView, limit: number, surface: SurfaceView): RenderedDepth {
    const market = shownIn(surface, view.market);
    const key = (view.market.id * 2 + (market.isPadded === true ? 1 : 0)) * 8192 + limit;
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.seq === view.depthSeq) return kept;
    const rendered = render(view, market, limit);
    if (keptLimits.has(limit)) this.#kept.set(key, rendered);
    return rendered;
  }
}
