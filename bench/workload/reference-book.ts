// The plain book inside the workload generator. It determines which orders later operations can name, and counts the
// results that every measured book must reach. It needs no accounts and no order types, because no order of the stream
// meets another order of its account.

/** The fields of an order that the stream uses. */
export interface FlowOrder {
  id: number;
  side: number;
  price: number;
  qty: number;
  slot: number;
}

interface LiveOrder extends FlowOrder {
  /** Index of the order's id in the list of live orders. */
  liveIndex: number;
  /** The order before this one in the queue of its price. */
  ahead: LiveOrder | undefined;
  behind: LiveOrder | undefined;
}

/** The queue of one price. It is a linked list, because thousands of orders may wait in it. */
interface Level {
  first: LiveOrder | undefined;
  last: LiveOrder | undefined;
}

export type Draw = (bound: number) => number;

/** Maximum number of recent orders kept for cancels. When it is reached, the oldest `recentForgotten` are dropped. */
const recentMax = 20_000;
const recentForgotten = 10_000;

/** Heap of one side's prices with the best on top: the highest price for sign 1, the lowest for sign −1. */
class PriceHeap {
  readonly #sign: 1 | -1;
  readonly #ranks: number[] = [];

  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }

  get size(): number {
    return this.#ranks.length;
  }

  get best(): number {
    return this.#at(0) * this.#sign;
  }

  add(price: number): void {
    const ranks = this.#ranks;
    let at = ranks.push(price * this.#sign) - 1;
    for (let up = (at - 1) >> 1; at > 0 && this.#at(at) > this.#at(up); up = (at - 1) >> 1) {
      this.#swap(at, up);
      at = up;
    }
  }

  drop(): void {
    const last = this.#ranks.pop() ?? 0;
    const size = this.#ranks.length;
    if (size === 0) return;
    this.#ranks[0] = last;
    for (let at = 0; ; ) {
      let better = 2 * at + 1;
      if (better + 1 < size && this.#at(better + 1) > this.#at(better)) better++;
      if (better >= size || this.#at(better) <= this.#at(at)) return;
      this.#swap(at, better);
      at = better;
    }
  }

  #at(index: number): number {
    return this.#ranks[index] ?? 0;
  }

  #swap(one: number, other: number): void {
    const rank = this.#at(one);
    this.#ranks[one] = this.#at(other);
    this.#ranks[other] = rank;
  }
}

export class ReferenceBook {
  trades = 0;
  volume = 0;
  notional = 0;
  hash = 2166136261 | 0;
  priceMin = 1e9;
  priceMax = 0;
  /** Called with the slot of each order that leaves the book. */
  onGone: (slot: number) => void = () => {};
  readonly #levels: readonly Map<number, Level>[] = [new Map(), new Map()];
  readonly #best = [-1, -1];
  /** One heap per side, with prices that have a level now or had one earlier. */
  readonly #prices = [new PriceHeap(1), new PriceHeap(-1)] as const;
  readonly #sideQty = [0, 0];
  readonly #live = new Map<number, LiveOrder>();
  readonly #liveIds: number[] = [];
  readonly #recent: number[] = [];

  get resting(): number {
    return this.#liveIds.length;
  }

  /** Returns the best price of a side; −1 if the side is empty. */
  best(side: number): number {
    return this.#best[side] ?? -1;
  }

  /** Returns the results that every measured book must reach. */
  result() {
    const { trades, volume, notional, hash, resting } = this;
    return { trades, volume, notional, hash, resting };
  }

  /** Returns the order of a side that trades next; undefined if the side is empty. */
  first(side: number): FlowOrder | undefined {
    return this.#levelsOf(side).get(this.best(side))?.first;
  }

  sideQty(side: number): number {
    return this.#sideQty[side] ?? 0;
  }

  rest(order: FlowOrder): void {
    const { side, price, qty, id } = order;
    const live: LiveOrder = {
      ...order,
      liveIndex: this.#liveIds.length,
      ahead: undefined,
      behind: undefined,
    };
    this.#enqueue(live);
    this.#live.set(id, live);
    this.#liveIds.push(id);
    this.#recent.push(id);
    this.#sideQty[side] = this.sideQty(side) + qty;
    const best = this.best(side);
    if (best < 0 || (side === 0 ? price > best : price < best)) this.#best[side] = price;
    this.priceMin = Math.min(this.priceMin, price);
    this.priceMax = Math.max(this.priceMax, price);
  }

  /** Picks a live order to cancel: in six of ten cases a recent one, otherwise any. */
  pickLive(draw: Draw): FlowOrder {
    let order: LiveOrder | undefined;
    if (draw(10) < 6) order = this.#pickRecent(draw);
    order ??= this.#live.get(this.#liveIds[draw(this.#liveIds.length)] ?? 0);
    if (order === undefined) throw new Error("the book must have a live order");
    return order;
  }

  cancel(order: FlowOrder): void {
    const gone = this.#live.get(order.id);
    if (gone === undefined) throw new Error("an order to cancel must be live");
    this.#sideQty[gone.side] = this.sideQty(gone.side) - gone.qty;
    this.#forget(gone);
  }

  /** Reduces a live order to `qty` lots; the order keeps its priority. */
  shrink(id: number, qty: number): void {
    const order = this.#live.get(id);
    if (order === undefined) throw new Error("an order to reduce must be live");
    this.#sideQty[order.side] = this.sideQty(order.side) - (order.qty - qty);
    order.qty = qty;
  }

  /** Trades an order against the book up to `limit`, or without a price limit; returns the remaining lots. */
  take(order: FlowOrder, limit: number | undefined): number {
    const other = order.side ^ 1;
    let left = order.qty;
    while (left > 0 && this.best(other) >= 0) {
      const price = this.best(other);
      if (limit !== undefined && (order.side === 0 ? price > limit : price < limit)) break;
      left = this.#takeLevel(other, price, left);
    }
    return left;
  }

  #takeLevel(side: number, price: number, qty: number): number {
    const levels = this.#levelsOf(side);
    let left = qty;
    while (left > 0) {
      const maker = levels.get(price)?.first;
      if (maker === undefined) break;
      const traded = Math.min(left, maker.qty);
      left -= traded;
      maker.qty -= traded;
      this.#sideQty[side] = this.sideQty(side) - traded;
      this.#count(maker.id, traded, price);
      if (maker.qty === 0) this.#forget(maker);
    }
    return left;
  }

  #count(makerId: number, qty: number, price: number): void {
    this.trades++;
    this.volume += qty;
    this.notional += qty * price;
    this.hash = (Math.imul(this.hash ^ makerId, 16777619) + qty) | 0;
  }

  #pickRecent(draw: Draw): LiveOrder | undefined {
    const recent = this.#recent;
    if (recent.length > recentMax) recent.splice(0, recentForgotten);
    for (let tries = 0; tries < 8; tries++) {
      const back = draw(Math.min(2000, recent.length));
      const order = this.#live.get(recent[recent.length - 1 - back] ?? 0);
      if (order !== undefined) return order;
    }
    return undefined;
  }

  #enqueue(order: LiveOrder): void {
    const level = this.#levelsOf(order.side).get(order.price);
    if (level === undefined) {
      this.#levelsOf(order.side).set(order.price, { first: order, last: order });
      this.#pricesOf(order.side).add(order.price);
      return;
    }
    order.ahead = level.last;
    if (level.last !== undefined) level.last.behind = order;
    level.last = order;
  }

  #dequeue(order: LiveOrder): void {
    const level = this.#levelsOf(order.side).get(order.price);
    if (level === undefined) throw new Error("the price of a live order must have a level");
    if (order.ahead === undefined) level.first = order.behind;
    else order.ahead.behind = order.behind;
    if (order.behind === undefined) level.last = order.ahead;
    else order.behind.ahead = order.ahead;
    if (level.first !== undefined) return;
    this.#levelsOf(order.side).delete(order.price);
    this.#settleBest(order.side);
  }

  #forget(order: LiveOrder): void {
    this.#dequeue(order);
    this.#live.delete(order.id);
    const last = this.#liveIds.pop();
    if (last !== undefined && last !== order.id) {
      this.#liveIds[order.liveIndex] = last;
      const moved = this.#live.get(last);
      if (moved !== undefined) moved.liveIndex = order.liveIndex;
    }
    this.onGone(order.slot);
  }

  /** Drops prices without a level until the heap's top is the best price of the side. */
  #settleBest(side: number): void {
    const levels = this.#levelsOf(side);
    const prices = this.#pricesOf(side);
    while (prices.size > 0 && !levels.has(prices.best)) prices.drop();
    this.#best[side] = prices.size > 0 ? prices.best : -1;
  }

  #pricesOf(side: number): PriceHeap {
    const prices = this.#prices[side];
    if (prices === undefined) throw new Error("a side must be 0 or 1");
    return prices;
  }

  #levelsOf(side: number): Map<number, Level> {
    const levels = this.#levels[side];
    if (levels === undefined) throw new Error("a side must be 0 or 1");
    return levels;
  }
}
