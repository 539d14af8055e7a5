// Aggregated depth of one market: quantity per price level and side. Fed with what rests and what
// leaves; it knows no orders, no clock and no matching, and may show a book crossed by orders of one
// account.

import { Side } from "../../core/orders.ts";
import { DepthLevels, type DepthMemory } from "./depth-levels.ts";

/** One level handed out: ticks and lots. */
export type LevelVisitor = (price: number, qty: number) => void;

export class DepthBook {
  readonly #sides: readonly [DepthLevels, DepthLevels];

  /** Prices whose quantity changed since they were last asked for; null while nobody asks. */
  #touched: readonly [Set<number>, Set<number>] | null = null;

  constructor(memory: DepthMemory) {
    this.#sides = [new DepthLevels(Side.buy, memory), new DepthLevels(Side.sell, memory)];
  }

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
    return this.#sides[side].lotsAt(price);
  }

  /** `qty` lots more rest at `price`. */
  add(side: Side, price: number, qty: number): void {
    if (this.#touched !== null) this.#touched[side].add(price);
    this.#sides[side].add(price, qty);
  }

  /** `qty` lots left the level; asserts that it had them. */
  remove(side: Side, price: number, qty: number): void {
    if (this.#touched !== null) this.#touched[side].add(price);
    this.#sides[side].remove(price, qty);
  }

  /** Best price of a side in ticks, 0 if it is empty. */
  best(side: Side): number {
    return this.#sides[side].best;
  }

  /** Number of levels of a side. */
  levels(side: Side): number {
    return this.#sides[side].count;
  }

  /** Hands out at most `limit` levels of a side, best first. */
  visit(side: Side, limit: number, visitor: LevelVisitor): void {
    const levels = this.#sides[side];
    let price = levels.best;
    for (let handed = 0; handed < limit && price !== 0; handed++) {
      visitor(price, levels.lotsAt(price));
      price = levels.nextWorse(price);
    }
  }
}
