// The baseline book in straightforward JavaScript: an object per order, a Map of orders by id, a Map of levels by
// price, and sorted arrays of levels. It has no self-trade check, no events and no time in force. It therefore does
// less work than the fast book, so the ratio of the two is conservative.

import type { FlowResult } from "./order-flow.ts";

interface MapOrder {
  id: number;
  qty: number;
  level: MapLevel;
  ahead: MapOrder | null;
  behind: MapOrder | null;
}

interface MapLevel {
  key: number;
  side: number;
  price: number;
  first: MapOrder | null;
  last: MapOrder | null;
}

/** Added to the prices of one side, so that both sides can share one Map of levels. */
const sideKey = 1e9;

export class MapBook {
  trades = 0;
  volume = 0;
  notional = 0;
  hash = 2166136261 | 0;
  /** Levels in order from the worst price, so that the best level is popped off the end. */
  readonly #bids: MapLevel[] = [];
  readonly #asks: MapLevel[] = [];
  readonly #levels = new Map<number, MapLevel>();
  readonly #orders = new Map<number, MapOrder>();

  limit(id: number, side: number, price: number, qty: number): void {
    const left = this.#take(side, price, qty);
    if (left === 0) return;
    const level = this.#level(side, price);
    const order: MapOrder = { id, qty: left, level, ahead: level.last, behind: null };
    if (level.last === null) level.first = order;
    else level.last.behind = order;
    level.last = order;
    this.#orders.set(id, order);
  }

  market(side: number, qty: number): void {
    this.#take(side, side === 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY, qty);
  }

  cancel(id: number): void {
    const order = this.#orders.get(id);
    if (order !== undefined) this.#remove(order);
  }

  /**
   * Changes an order. At the same price with no larger quantity the order keeps its priority; otherwise it is cancelled
   * and placed again.
   */
  modify(id: number, price: number, qty: number): void {
    const order = this.#orders.get(id);
    if (order === undefined) return;
    const { level } = order;
    if (price === level.price && qty <= order.qty) {
      order.qty = qty;
      return;
    }
    this.#remove(order);
    this.limit(id, level.side, price, qty);
  }

  /** Trades up to the limit price; the remainder does not rest. */
  immediate(side: number, price: number, qty: number): void {
    this.#take(side, price, qty);
  }

  result(): FlowResult {
    const { trades, volume, notional, hash } = this;
    return { trades, volume, notional, hash, resting: this.#orders.size };
  }

  #take(side: number, limit: number, qty: number): number {
    const levels = side === 0 ? this.#asks : this.#bids;
    let left = qty;
    while (left > 0) {
      const level = levels[levels.length - 1];
      if (level === undefined) break;
      if (side === 0 ? level.price > limit : level.price < limit) break;
      left = this.#takeLevel(level, left);
    }
    return left;
  }

  #takeLevel(level: MapLevel, qty: number): number {
    let left = qty;
    let order = level.first;
    while (order !== null && left > 0) {
      const behind: MapOrder | null = order.behind;
      const traded = Math.min(left, order.qty);
      left -= traded;
      this.trades++;
      this.volume += traded;
      this.notional += traded * level.price;
      this.hash = (Math.imul(this.hash ^ order.id, 16777619) + traded) | 0;
      if (traded === order.qty) this.#remove(order);
      else order.qty -= traded;
      order = behind;
    }
    return left;
  }

  #remove(order: MapOrder): void {
    const level = order.level;
    if (order.ahead === null) level.first = order.behind;
    else order.ahead.behind = order.behind;
    if (order.behind === null) level.last = order.ahead;
    else order.behind.ahead = order.ahead;
    this.#orders.delete(order.id);
    if (level.first === null) this.#drop(level);
  }

  #level(side: number, price: number): MapLevel {
    const key = side * sideKey + price;
    const found = this.#levels.get(key);
    if (found !== undefined) return found;
    const level: MapLevel = { key, side, price, first: null, last: null };
    this.#levels.set(key, level);
    const levels = side === 0 ? this.#bids : this.#asks;
    levels.splice(placeOf(levels, level), 0, level);
    return level;
  }

  #drop(level: MapLevel): void {
    this.#levels.delete(level.key);
    const levels = level.side === 0 ? this.#bids : this.#asks;
    if (levels[levels.length - 1] === level) levels.pop();
    else levels.splice(placeOf(levels, level), 1);
  }
}

/** Finds the index of a level by binary search; the worst price comes first. */
function placeOf(levels: readonly MapLevel[], level: MapLevel): number {
  let low = 0;
  let high = levels.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const price = levels[middle]?.price ?? 0;
    const worse = level.side === 0 ? price < level.price : price > level.price;
    if (worse) low = middle + 1;
    else high = middle;
  }
  return low;
}
