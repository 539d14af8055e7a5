// The orders of a book as they queue: the best of each side, with what each shows. They are found in the front's order
// table at each request, so books whose orders nobody asks for cost nothing. Spec MBO-9, MBO-10.

import { numberAt, wordAt } from "../../../core/assert.ts";
import { Side } from "../../../core/orders.ts";
import { rankOf } from "../../../engine/level-set.ts";
import type { DepthBook } from "../../../engine/market-data/depth-book.ts";
import { SlotState } from "../../../engine/state/orders/order-table.ts";
import { priceText, qtyText, shownIn } from "../orders/order-format.ts";
import type { MarketView, ReadModel } from "../read-model.ts";
import type { SurfaceView } from "../requests/surface-view.ts";

/**
 * The price of the level at `limit` in a side of the depth, or its last one: as each level has an order, no order behind
 * it is among the first `limit`. 0 if the side is empty.
 */
function lastPrice(depth: DepthBook, side: Side, limit: number): number {
  let last = 0;
  depth.visit(side, limit, (price) => {
    last = price;
  });
  return last;
}

/** Slots of the first `limit` orders of each side (by side): the best price first, and at a price the longest there. */
export function queuedOrders(
  { state: { orders }, incoming }: ReadModel,
  { market, depth }: MarketView,
  limit: number,
): readonly [bids: readonly number[], asks: readonly number[]] {
  const found: [number[], number[]] = [[], []];
  const last = [lastPrice(depth, Side.buy, limit), lastPrice(depth, Side.sell, limit)] as const;
  for (let slot = 0; slot < orders.touched; slot++) {
    if (orders.state[slot] !== SlotState.open || orders.market[slot] !== market.id) continue;
    if (orders.orderId[slot] === incoming) continue;
    const side = orders.side[slot] === Side.buy ? Side.buy : Side.sell;
    const price = wordAt(orders.price, slot);
    if (rankOf(side, price) >= rankOf(side, last[side])) found[side].push(slot);
  }
  for (const side of [Side.buy, Side.sell]) {
    const rank = (slot: number) => rankOf(side, wordAt(orders.price, slot));
    found[side].sort(
      (one, other) => rank(other) - rank(one) || orders.rankUs(one) - orders.rankUs(other),
    );
    found[side].length = Math.min(found[side].length, limit);
  }
  return found;
}

/** The answer with the first `limit` orders of each side: each is price, quantity shown, and order id. */
export function queuedOrdersText(
  model: ReadModel,
  view: MarketView,
  { limit, surface }: { readonly limit: number; readonly surface: SurfaceView },
): string {
  const { orders } = model.state;
  const market = shownIn(surface, view.market);
  const [bids, asks] = queuedOrders(model, view, limit).map((slots) =>
    slots.map((slot) => {
      const price = priceText(market, wordAt(orders.price, slot));
      const qty = qtyText(market, orders.shownLots(slot));
      return `["${price}","${qty}",${numberAt(orders.orderId, slot)}]`;
    }),
  );
  return `{"lastUpdateId":${view.depthSeq},"bids":[${bids}],"asks":[${asks}]}`;
}
