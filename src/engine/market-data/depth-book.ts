// Aggregated depth of one market: quantity per price level and side, best level last in each array
// so that changes near the touch move little. Fed with what rests and what leaves; it knows no
// orders, no clock and no matching, and may show a book crossed by orders of one account.

import { assert } from "../../core/assert.ts";
import { Side } from "../../core/orders.ts";

/** Levels of one side in parallel arrays, worst first. */
interface Levels {
  readonly prices: number[];
  readonly qtys: number[];
}

/** One level handed out: ticks and lots. */
export type LevelVisitor = (price: number, qty: number) => void;

export class DepthBook {
  readonly #sides: readonly [Levels, Levels] = [
    { prices: [], qtys: [] },
    { prices: [], qtys: [] },
  ];

  /** Prices whose quantity changed since they were last asked for; null while nobody asks. */
  #touched: readonly [Set<number>, Set<number>] | null = null;

  /** Begins or ends to remember which levels change. */
  watch(isWatched: boolean): void {
    if (isWatched !== (this.#touched !== null)) {
      this.#touched = isWatched ? [new Set(), new Set()] : null;
    }
  }

  /** Hands out every level of a side that changed since the last time, with 0 lots if it is gone. */
  takeChanges(side: Side, visitor: LevelVisitor): void {
    const touched = this.#touched?.[side];
    if (touched === undefined) return;
    for (const price of touched) visitor(price, this.qtyAt(side, price));
    touched.clear();
  }

  /** Lots at a price; 0 where there is no level. */
  qtyAt(side: Side, price: number): number {
    const { prices, qtys } = this.#sides[side];
    const at = this.#placeOf(side, price);
    return prices[at] === price ? (qtys[at] ?? 0) : 0;
  }

  /** `qty` lots more rest at `price`. */
  add(side: Side, price: number, qty: number): void {
    assert(qty > 0 && price > 0, "a level gains a positive quantity");
    if (this.#touched !== null) this.#touched[side].add(price);
    const { prices, qtys } = this.#sides[side];
    const at = this.#placeOf(side, price);
    if (prices[at] === price) {
      qtys[at] = (qtys[at] ?? 0) + qty;
    } else {
      prices.splice(at, 0, price);
      qtys.splice(at, 0, qty);
    }
  }

  /** `qty` lots left the level; asserts that it had them. */
  remove(side: Side, price: number, qty: number): void {
    const { prices, qtys } = this.#sides[side];
    const at = this.#placeOf(side, price);
    const rest = (qtys[at] ?? 0) - qty;
    assert(prices[at] === price && qty > 0 && rest >= 0, "a level loses what it had");
    if (this.#touched !== null) this.#touched[side].add(price);
    if (rest > 0) {
      qtys[at] = rest;
    } else {
      prices.splice(at, 1);
      qtys.splice(at, 1);
    }
  }

  /** Best price of a side in ticks, 0 if it is empty. */
  best(side: Side): number {
    return this.#sides[side].prices.at(-1) ?? 0;
  }

  /** Number of levels of a side. */
  levels(side: Side): number {
    return this.#sides[side].prices.length;
  }

  /** Hands out at most `limit` levels of a side, best first. */
  visit(side: Side, limit: number, visitor: LevelVisitor): void {
    const { prices, qtys } = this.#sides[side];
    const end = Math.max(prices.length - limit, 0);
    for (let at = prices.length - 1; at >= end; at--) visitor(prices[at] ?? 0, qtys[at] ?? 0);
  }

  /** Where `price` is or belongs: the first place that is not worse. */
  #placeOf(side: Side, price: number): number {
    const { prices } = this.#sides[side];
    const isBuy = side === Side.buy;
    let low = 0;
    let high = prices.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = prices[middle] ?? 0;
      const isWorse = isBuy ? found < price : found > price;
      if (isWorse) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
