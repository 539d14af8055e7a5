// The orders of one book as a client has them: from a snapshot by REST, and from then on from the frames of the stream of
// orders. It follows the rules of the guide, and asserts that nothing is missing and that every change fits the book.

import assert from "node:assert/strict";
import type { Frame } from "./stream-client.ts";

/** An order in its queue; quantities are in the smallest step of the texts. */
export interface FollowedOrder {
  readonly id: number;
  readonly side: "BUY" | "SELL";
  readonly price: string;
  qty: bigint;
}

/** A decimal text with a fixed number of decimals as a number of its last ones. */
function stepsOf(text: string): bigint {
  return BigInt(text.replace(".", ""));
}

/** Whether the snapshot is new enough to continue with the stream's first frame. */
export function continues(snapshot: Frame, frame: Frame): boolean {
  return frame.U <= snapshot.lastUpdateId + 1;
}

export class FollowedOrders {
  /** By price, the orders in the order of their queue. */
  readonly #queues = { BUY: new Map<string, number[]>(), SELL: new Map<string, number[]>() };
  readonly #orders = new Map<number, FollowedOrder>();
  /** Update id of the snapshot or of the last frame. */
  u: number;

  constructor({ lastUpdateId, bids, asks }: Frame) {
    this.u = lastUpdateId;
    for (const [side, rows] of [
      ["BUY", bids],
      ["SELL", asks],
    ] as const) {
      for (const [price, qty, id] of rows) this.#join({ id, side, price, qty: stepsOf(qty) });
    }
  }

  /** Applies the changes of the next frame that the snapshot does not have. */
  take({ U, u, o }: Frame): void {
    assert.ok(U <= this.u + 1, `frame ${U} to ${u} comes directly after ${this.u}`);
    if (u <= this.u) return;
    assert.equal(o.at(-1).u, u, "a frame must end at its last change");
    for (const change of o) if (change.u > this.u) this.#change(change);
    this.u = u;
  }

  order(id: number): FollowedOrder | undefined {
    return this.#orders.get(id);
  }

  /** The orders at a price that are ahead of this one. */
  aheadOf(id: number): FollowedOrder[] {
    const order = this.#orders.get(id);
    assert.ok(order !== undefined, `order ${id} must be in the book`);
    const queue = this.#queues[order.side].get(order.price) ?? [];
    return queue.slice(0, queue.indexOf(id)).flatMap((other) => this.#orders.get(other) ?? []);
  }

  /** The orders of a side, best price first, each as price, quantity and id. */
  rows(side: "BUY" | "SELL"): [price: string, qty: bigint, id: number][] {
    return this.#prices(side).flatMap((price) =>
      (this.#queues[side].get(price) ?? []).map((id): [string, bigint, number] => [
        price,
        this.#orders.get(id)?.qty ?? 0n,
        id,
      ]),
    );
  }

  /** The levels of a side, best first, each as price and quantity. */
  levels(side: "BUY" | "SELL"): [price: string, qty: bigint][] {
    const levels = new Map<string, bigint>();
    for (const [price, qty] of this.rows(side)) levels.set(price, (levels.get(price) ?? 0n) + qty);
    return [...levels];
  }

  #prices(side: "BUY" | "SELL"): string[] {
    const away = side === "BUY" ? -1 : 1;
    return [...this.#queues[side].keys()].sort(
      (one, other) => away * (Number(one) - Number(other)),
    );
  }

  #change({ i: id, x, S: side, p: price, q, l }: Frame): void {
    const qty = stepsOf(q);
    if (x === "NEW") {
      this.#join({ id, side, price, qty });
      return;
    }
    const order = this.#orders.get(id);
    assert.ok(order !== undefined, `order ${id} must be in the book before ${x}`);
    assert.deepEqual([side, price], [order.side, order.price], `the place of order ${id}`);
    assert.ok(qty < order.qty, `order ${id} must lose lots by ${x}`);
    if (x === "TRADE" && qty > 0n)
      assert.equal(qty, order.qty - stepsOf(l), `what order ${id} has after its trade`);
    order.qty = qty;
    if (qty === 0n) this.#leave(order);
  }

  #join(order: FollowedOrder): void {
    assert.equal(this.#orders.has(order.id), false, `order ${order.id} must join once`);
    assert.ok(order.qty > 0n, `order ${order.id} must have lots`);
    this.#orders.set(order.id, order);
    const queue = this.#queues[order.side].get(order.price);
    if (queue === undefined) this.#queues[order.side].set(order.price, [order.id]);
    else queue.push(order.id);
  }

  #leave({ id, side, price }: FollowedOrder): void {
    this.#orders.delete(id);
    const left = (this.#queues[side].get(price) ?? []).filter((other) => other !== id);
    if (left.length > 0) this.#queues[side].set(price, left);
    else this.#queues[side].delete(price);
  }
}

/** The orders and the depth of one connection that has both streams; they are compared at each frame of depth. */
export class FollowedBook {
  readonly orders: FollowedOrders;
  /** Number of frames of depth that were compared. */
  compared = 0;
  readonly #since: number;
  readonly #levels = { b: new Map<string, string>(), a: new Map<string, string>() };

  constructor(snapshot: Frame) {
    this.orders = new FollowedOrders(snapshot);
    this.#since = snapshot.lastUpdateId;
  }

  take(frame: Frame): void {
    if (frame.e === "orderUpdate") this.orders.take(frame);
    else if (frame.e === "depthUpdate") this.#takeDepth(frame);
  }

  #takeDepth(frame: Frame): void {
    for (const side of ["b", "a"] as const) {
      for (const [price, qty] of frame[side]) {
        if (Number(qty) === 0) this.#levels[side].delete(price);
        else this.#levels[side].set(price, qty);
      }
    }
    if (frame.u < this.#since) return;
    assert.ok(this.orders.u <= Math.max(frame.u, this.#since), "orders must not be ahead of depth");
    this.#compare("BUY", [...this.#levels.b], `bids at ${frame.u}`);
    this.#compare("SELL", [...this.#levels.a], `asks at ${frame.u}`);
    this.compared++;
  }

  #compare(side: "BUY" | "SELL", levels: [string, string][], where: string): void {
    const away = side === "BUY" ? -1 : 1;
    const sorted = levels.sort(([one], [other]) => away * (Number(one) - Number(other)));
    assert.deepEqual(this.orders.levels(side), countedRows(sorted), where);
  }
}

/** The rows of a REST answer, of depth or of its orders, with quantities as the client keeps them. */
export function countedRows(rows: readonly Frame[]): [string, bigint, ...number[]][] {
  return rows.map(([price, qty, ...id]) => [price, stepsOf(qty), ...id]);
}
