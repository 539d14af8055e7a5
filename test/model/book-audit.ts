// Rules that any book must keep, whatever its implementation: no account trades with itself, no two accounts
// cross, and no reduce-only order trades beyond the position it found.

import assert from "node:assert/strict";
import type { MatchOutcome } from "../../src/core/match-messages.ts";
import { Side } from "../../src/core/orders.ts";
import type {
  BookListener,
  IncomingOrder,
  OrderBook,
} from "../../src/engine/matching/order-book.ts";

/** The fields of an order that the audit needs. */
export type OpenOrder = Pick<
  IncomingOrder,
  "slot" | "generation" | "account" | "side" | "isReduceOnly" | "price" | "qty"
>;

/** A report of the book about resting orders; the first element names its kind. */
export type Told =
  | ["filled", maker: number, price: number, qty: number]
  | ["reduced", maker: number, qty: number]
  | ["removed", maker: number, reason: number, remaining: number]
  | ["met", maker: number];

/** Records the reports of one book. */
export class ToldList implements BookListener {
  list: Told[] = [];

  filled(_taker: number, ...args: [number, number, number]): void {
    this.list.push(["filled", ...args]);
  }

  reduced(_taker: number, ...args: [number, number]): void {
    this.list.push(["reduced", ...args]);
  }

  removed(_taker: number, ...args: [number, number, number]): void {
    this.list.push(["removed", ...args]);
  }

  met(_taker: number, maker: number): void {
    this.list.push(["met", maker]);
  }
}

/** Open orders and positions of one book, derived from its answers. */
export class BookAudit {
  readonly open = new Map<number, OpenOrder>();
  readonly #positions = new Map<number, number>();
  readonly #keepsPositions: boolean;

  constructor(keepsPositions: boolean) {
    this.#keepsPositions = keepsPositions;
  }

  position(account: number): number {
    return this.#positions.get(account) ?? 0;
  }

  move(account: number, lots: number): void {
    this.#positions.set(account, this.position(account) + lots);
  }

  /** Applies the effects of the current order on resting orders; returns the slots that are free again. */
  settle(taker: OpenOrder, told: readonly Told[]): number[] {
    const gone: number[] = [];
    for (const [what, slot, second, third] of told) {
      const maker = this.open.get(slot);
      assert(maker !== undefined, "what is met was open");
      if (what === "met") {
        assert.equal(maker.account, taker.account, "an order ends at one of its own account");
        continue;
      }
      if (what === "filled") this.#trade(taker, maker, second, third);
      else assert(what === "removed" || maker.account === taker.account, "only own orders shrink");
      if (what === "removed") assert.equal(third, maker.qty, "what leaves is what was left");
      maker.qty -= what === "filled" ? third : what === "reduced" ? second : maker.qty;
      assert(maker.qty >= 0, "no order loses more than it has");
      if (maker.qty > 0) continue;
      this.open.delete(slot);
      gone.push(slot);
    }
    return gone;
  }

  #trade(taker: OpenOrder, maker: OpenOrder, price: number, qty: number): void {
    assert.notEqual(maker.account, taker.account, "nobody trades with themselves");
    assert.notEqual(maker.side, taker.side, "trades have two sides");
    assert.equal(price, maker.price, "the resting order's price");
    assert(taker.side === Side.buy ? price <= taker.price : price >= taker.price, "the limit");
    if (!this.#keepsPositions) return;
    for (const { account, side, isReduceOnly } of [taker, maker]) {
      const lots = this.position(account);
      const reducible = side === Side.buy ? -lots : lots;
      assert(!isReduceOnly || qty <= reducible, "reduce-only never trades beyond the position");
      this.move(account, side === Side.buy ? qty : -qty);
    }
  }

  /** Asserts that no bid of an account reaches an ask of another, and that the book's positions are right. */
  check(book: OrderBook): void {
    const bids = [...this.open.values()].filter(({ side }) => side === Side.buy);
    const asks = [...this.open.values()].filter(({ side }) => side === Side.sell);
    const lowest = asks.reduce(
      (least, { price }) => Math.min(least, price),
      Number.POSITIVE_INFINITY,
    );
    for (const bid of bids.filter(({ price }) => price >= lowest)) {
      const met = asks.find(({ account, price }) => price <= bid.price && account !== bid.account);
      assert.equal(met, undefined, "a book is never crossed by two accounts");
    }
    assert.equal(book.restingCount(), this.open.size);
    for (const [account, lots] of this.#positions) assert.equal(book.position(account), lots);
  }
}

/** Number of each outcome, so that a test can show that the stream covers all of them. */
export type OutcomeCounts = Map<MatchOutcome, number>;
