// Rules that every book must follow, whatever its implementation: no owner trades with itself, no bid reaches an ask
// of another owner, and no reduce-only order trades more than the position that it can close.

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
  "slot" | "generation" | "account" | "side" | "isReduceOnly" | "price" | "qty" | "icebergQty"
>;

/** An account that owns another one in these streams. */
const parent = 2;
const child = 3;

/** The owner of an account in a family of these streams; 0 for all others. */
export function familyOf(account: number): number {
  return account === parent || account === child ? parent : 0;
}

function areOfOne(one: Pick<OpenOrder, "account">, other: Pick<OpenOrder, "account">): boolean {
  const ownerOf = ({ account }: Pick<OpenOrder, "account">) => familyOf(account) || account;
  return ownerOf(one) === ownerOf(other);
}

/** What a book reports about a resting order; the first element names the kind of report. */
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

  /**
   * Applies to the resting orders what the book reported for the current order, and returns the slots that have
   * become free.
   */
  settle(taker: OpenOrder, told: readonly Told[]): number[] {
    const gone: number[] = [];
    for (const [what, slot, second, third] of told) {
      const maker = this.open.get(slot);
      assert(maker !== undefined, "a reported resting order must be open");
      if (what === "met") {
        assert(areOfOne(maker, taker), "an order may end only at an order of its own owner");
        continue;
      }
      if (what === "filled") this.#trade(taker, maker, second, third);
      else
        assert(
          what === "removed" || areOfOne(maker, taker),
          "only orders of the same owner may be reduced or removed",
        );
      if (what === "removed") assert.equal(third, maker.qty, "a removal must report what was left");
      maker.qty -= what === "filled" ? third : what === "reduced" ? second : maker.qty;
      assert(maker.qty >= 0, "an order must not lose more than it has");
      if (maker.qty > 0) continue;
      this.open.delete(slot);
      gone.push(slot);
    }
    return gone;
  }

  #trade(taker: OpenOrder, maker: OpenOrder, price: number, qty: number): void {
    assert(!areOfOne(maker, taker), "an owner must not trade with itself");
    assert.notEqual(maker.side, taker.side, "a trade must be between two sides");
    assert.equal(price, maker.price, "the trade must have the resting order's price");
    assert(
      taker.side === Side.buy ? price <= taker.price : price >= taker.price,
      "the price must be within the incoming order's limit",
    );
    if (!this.#keepsPositions) return;
    for (const { account, side, isReduceOnly } of [taker, maker]) {
      const lots = this.position(account);
      const reducible = side === Side.buy ? -lots : lots;
      assert(
        !isReduceOnly || qty <= reducible,
        "a reduce-only order must not trade beyond the position",
      );
      this.move(account, side === Side.buy ? qty : -qty);
    }
  }

  /**
   * Asserts that no bid reaches an ask of another owner, and that the book has as many orders and the same positions
   * as this audit.
   */
  check(book: OrderBook): void {
    const bids = [...this.open.values()].filter(({ side }) => side === Side.buy);
    const asks = [...this.open.values()].filter(({ side }) => side === Side.sell);
    const lowest = asks.reduce(
      (least, { price }) => Math.min(least, price),
      Number.POSITIVE_INFINITY,
    );
    for (const bid of bids.filter(({ price }) => price >= lowest)) {
      const met = asks.find((ask) => ask.price <= bid.price && !areOfOne(ask, bid));
      assert.equal(met, undefined, "a book must never be crossed by two owners");
    }
    assert.equal(book.restingCount(), this.open.size);
    for (const [account, lots] of this.#positions) assert.equal(book.position(account), lots);
  }
}

/** How often each outcome occurred, so that a test can show that its stream covers all of them. */
export type OutcomeCounts = Map<MatchOutcome, number>;
