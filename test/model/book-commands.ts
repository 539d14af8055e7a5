// Commands that compare the fast book with the naive one. A seeded stream has up to the requested number of open
// orders, often crosses orders of one account, and covers every order type, every time in force, far prices, stale
// handles and amends. With swinging prices the middle at times falls by up to 80 % at once or rises to up to five times
// its value, and orders are placed at every distance from it. Both books get the same commands; the first difference
// throws an error that names the command.

import assert from "node:assert/strict";
import { emptyMatchRequest } from "../../src/core/generated/messages.ts";
import { priceTicksMax } from "../../src/core/limits.ts";
import { MatchOutcome } from "../../src/core/match-messages.ts";
import { OrderType, pegOffsetMax, Side, StpMode, TimeInForce } from "../../src/core/orders.ts";
import { FastBook } from "../../src/engine/matching/fast-book.ts";
import { NaiveBook } from "../../src/engine/matching/naive-book.ts";
import type {
  IncomingOrder,
  MatchingBounds,
  OrderBook,
} from "../../src/engine/matching/order-book.ts";
import { OrderPool } from "../../src/engine/matching/order-pool.ts";
import { SignedPositions } from "../../src/engine/matching/signed-positions.ts";
import { BookAudit, familyOf, type OpenOrder, type OutcomeCounts, ToldList } from "./book-audit.ts";

export interface ComparisonOptions {
  seed: number;
  commands: number;
  /** Matching limits for each order; small, so that few steps reach them. */
  bounds: MatchingBounds;
  /** Number of commands between two comparisons of the whole state. */
  hashEvery: number;
  /** Largest number of open orders; once it is reached, cancels replace new orders. */
  depthMax: number;
  /** True to compare books of a perpetual market, which keep positions. */
  keepsPositions: boolean;
  /**
   * Where orders are placed: "near" a drifting middle (the default); "swinging" over the whole range; or far "apart"
   * over the whole range, so that few orders have the same price.
   */
  prices?: "near" | "swinging" | "apart";
}

/** What a comparison covered. */
export interface Compared {
  readonly outcomes: OutcomeCounts;
  /** Number of different order prices, at most `pricesCounted`. */
  readonly prices: number;
  /** Largest number of simultaneous price levels that a comparison of states found. */
  readonly levelsMost: number;
}

/** Different prices are counted up to this number. */
export const pricesCounted = 150_000;

/** The stream uses the accounts from 1 to this number. */
const accounts = 6;

class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  below(bound: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % bound;
  }
}

/** Sends both books the same commands; throws at the first difference. */
export function compareBooks(options: ComparisonOptions): Compared {
  const comparison = new Comparison(options);
  for (let i = 0; i < options.commands; i++) comparison.step(i);
  const { counts: outcomes, levelsMost, prices } = comparison;
  return { outcomes, levelsMost, prices: prices.size };
}

class Comparison {
  readonly counts: OutcomeCounts = new Map();
  readonly prices = new Set<number>();
  levelsMost = 0;
  readonly #random: Random;
  readonly #options: ComparisonOptions;
  readonly #naiveTold = new ToldList();
  readonly #fastTold = new ToldList();
  readonly #naive: OrderBook;
  readonly #fast: OrderBook;
  readonly #audit: BookAudit;
  readonly #generations: number[];
  readonly #free: number[];
  readonly #isSwinging: boolean;
  #middle = 5_000_000;

  constructor(options: ComparisonOptions) {
    const { bounds, keepsPositions, prices = "near" } = options;
    this.#isSwinging = prices !== "near";
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#generations = new Array<number>(options.depthMax + 1).fill(0);
    this.#free = this.#generations.map((_, slot) => slot);
    this.#naive = new NaiveBook({ listener: this.#naiveTold, keepsPositions, bounds });
    this.#fast = new FastBook({
      market: 3,
      pool: new OrderPool(options.depthMax + 1),
      listener: this.#fastTold,
      bounds,
      ...(keepsPositions ? { positions: new SignedPositions() } : {}),
    });
    this.#audit = new BookAudit(keepsPositions);
  }

  step(i: number): void {
    const chance = this.#random.below(100);
    // Phases of placing and of cancelling alternate, so that the book empties and fills up.
    const placing = Math.floor(i / 3000) % 4 === 3 ? 25 : 62;
    if (this.#free.length > 0 && chance < placing) this.#place(i);
    else if (chance < 80) this.#cancel(i);
    else if (chance < 99 || !this.#options.keepsPositions) this.#amend(i);
    else this.#adjust();
    if (i % this.#options.hashEvery === 0) this.#compareState(i);
  }

  #place(i: number): void {
    const slot = this.#free.pop() ?? 0;
    this.#generations[slot] = (this.#generations[slot] ?? 0) + 1;
    const order = this.#order(slot);
    const outcome = this.#both(i, order, (book) => book.place(order));
    this.#settle(order);
    if (outcome === MatchOutcome.rested) this.#rest(order);
    else this.#free.push(slot);
  }

  #cancel(i: number): void {
    const { slot, generation, qty } = this.#handle();
    const stale = this.#random.below(10) === 0 ? 1 : 0;
    // Some cancels expect a quantity that is outdated or was never right.
    const seenQty = this.#random.below(4) === 0 ? Math.max(qty - this.#random.below(2), 0) : 0;
    const command = { cancel: slot, generation: generation - stale, seenQty };
    const outcome = this.#both(i, command, (book) =>
      book.cancel(slot, generation - stale, seenQty),
    );
    if (outcome === MatchOutcome.cancelled) this.#gone(slot);
  }

  #amend(i: number): void {
    const random = this.#random;
    const order = this.#handle();
    const { slot } = order;
    const price = random.below(3) === 0 ? order.price : this.#amendedPrice(order);
    const amendment = {
      slot,
      generation: order.generation - (random.below(20) === 0 ? 1 : 0),
      owner: familyOf(order.account),
      stpMode: stpModeOf(random.below(16)),
      icebergQty: order.icebergQty,
      price,
      qty: 1 + random.below(Math.max(1, order.qty) * 2),
      // For some amends the order has traded since clearing decided the amend.
      seenQty: order.qty + (random.below(4) === 0 ? random.below(10) : 0),
    };
    const outcome = this.#both(i, { amend: amendment }, (book) => book.amend(amendment));
    const wasKept = outcome === MatchOutcome.unknown || outcome === MatchOutcome.wouldTake;
    if (wasKept) return;
    this.#audit.open.delete(slot);
    this.#settle({ ...order, price });
    if (outcome === MatchOutcome.rested) this.#rest({ ...order, price });
    else this.#free.push(slot);
  }

  /** Halves an account's position, or changes it by a few lots. */
  #adjust(): void {
    const account = 1 + this.#random.below(accounts);
    const half = Math.trunc(this.#audit.position(account) / 2);
    const lots = this.#random.below(2) === 0 ? -half : this.#random.below(61) - 30;
    for (const book of [this.#naive, this.#fast]) book.adjust(account, lots);
    this.#audit.move(account, lots);
    this.#count(MatchOutcome.adjusted);
  }

  /** Returns an open order, or for a free slot a placeholder with the slot's last generation. */
  #handle(): OpenOrder {
    const slot = this.#random.below(this.#generations.length);
    const generation = this.#generations[slot] ?? 0;
    const gone = { ...emptyMatchRequest(), slot, generation, price: this.#middle, qty: 1 };
    return this.#audit.open.get(slot) ?? gone;
  }

  #order(slot: number): IncomingOrder {
    const random = this.#random;
    const side = random.below(2) === 0 ? Side.buy : Side.sell;
    const [type, timeInForce] = kindOf(random.below(100));
    // A third of all orders come from one account, so that its orders queue at the best price and cross each other.
    const account = random.below(3) === 0 ? 1 : 1 + random.below(accounts);
    const qty = random.below(500) === 0 ? 2 ** 40 + random.below(1000) : 1 + random.below(40);
    const isIceberg =
      !this.#options.keepsPositions && type !== OrderType.market && random.below(4) === 0;
    return {
      ...emptyMatchRequest(),
      slot,
      generation: this.#generations[slot] ?? 0,
      account,
      owner: familyOf(account),
      side,
      type,
      timeInForce,
      stpMode: stpModeOf(random.below(16)),
      isReduceOnly: this.#options.keepsPositions && random.below(4) === 0,
      price: this.#price(side),
      qty,
      // A few icebergs have so many slices that only the limit on matches ends a sweep through them.
      icebergQty: isIceberg ? 1 + random.below(12) : 0,
      budget:
        type === OrderType.market && random.below(2) === 0
          ? this.#middle * random.below(50) + 1 + random.below(this.#middle)
          : 0,
    };
  }

  #amendedPrice({ side, price }: OpenOrder): number {
    const isAnywhere = this.#isSwinging && this.#random.below(2) === 0;
    return isAnywhere ? this.#price(side) : Math.max(1, price + this.#random.below(31) - 15);
  }

  #price(side: Side): number {
    const price = this.#isSwinging ? this.#farPrice(side) : this.#nearPrice(side);
    if (this.prices.size < pricesCounted) this.prices.add(price);
    return price;
  }

  /** Returns a price at any distance from a middle that at times jumps to a fifth or up to five times its value. */
  #farPrice(side: Side): number {
    const random = this.#random;
    if (random.below(Math.max(400, this.#options.depthMax)) === 0) {
      const percent = random.below(2) === 0 ? 20 + random.below(80) : 100 + random.below(400);
      const jumped = Math.floor((this.#middle * percent) / 100);
      this.#middle = Math.min(Math.max(jumped, 200_000), 800_000_000);
    }
    const isApart = this.#options.prices === "apart";
    const spread =
      2 ** (isApart ? 16 + random.below(12) : random.below(random.below(8) === 0 ? 27 : 17));
    const distance = random.below(spread) - Math.floor(spread / 8);
    const price = this.#middle + (side === Side.buy ? -distance : distance);
    return Math.min(Math.max(price, 1), priceTicksMax);
  }

  /** Returns a price near a drifting middle; sometimes far away, or after a jump of the middle. */
  #nearPrice(side: Side): number {
    const random = this.#random;
    const away = side === Side.buy ? -1 : 1;
    if (random.below(3000) === 0) this.#middle = 100_000 + random.below(9_000_000);
    this.#middle += random.below(3) - 1;
    const chance = random.below(100);
    if (chance < 4) return this.#middle + away * random.below(60_000);
    if (chance < 5) return 1 + random.below(900_000_000);
    return this.#middle + away * (random.below(24) - 6);
  }

  #both(i: number, command: object, run: (book: OrderBook) => MatchOutcome): MatchOutcome {
    this.#naiveTold.list = [];
    this.#fastTold.list = [];
    const expected = run(this.#naive);
    const actual = run(this.#fast);
    const differs =
      actual !== expected ||
      this.#fast.remaining !== this.#naive.remaining ||
      this.#fast.bestBid() !== this.#naive.bestBid() ||
      this.#fast.bestAsk() !== this.#naive.bestAsk() ||
      this.#fastTold.list.join() !== this.#naiveTold.list.join();
    if (differs) this.#fail(i, command, { expected, actual });
    this.#count(actual);
    return actual;
  }

  #count(outcome: MatchOutcome): void {
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1);
  }

  /** Frees the slots of resting orders that have left the book. */
  #settle(taker: OpenOrder): void {
    this.#free.push(...this.#audit.settle(taker, this.#fastTold.list));
  }

  #rest(order: OpenOrder): void {
    const { slot, generation, account, side, isReduceOnly, price, icebergQty } = order;
    const qty = this.#fast.remaining;
    const open = { slot, generation, account, side, isReduceOnly, price, qty, icebergQty };
    this.#audit.open.set(slot, open);
  }

  #gone(slot: number): void {
    this.#audit.open.delete(slot);
    this.#free.push(slot);
  }

  #compareState(i: number): void {
    assert.equal(
      this.#fast.stateHash(),
      this.#naive.stateHash(),
      `the state differs after command ${i}`,
    );
    for (const book of [this.#fast, this.#naive]) this.#audit.check(book);
    const levels = new Set([...this.#audit.open.values()].map(({ price }) => price));
    this.levelsMost = Math.max(this.levelsMost, levels.size);
    for (const side of [Side.buy, Side.sell]) {
      const depth = this.#naive.depth(side, 1 + pegOffsetMax);
      assert.deepEqual(this.#fast.depth(side, 1 + pegOffsetMax), depth);
      for (const level of [1, 2, 1 + (i % (1 + pegOffsetMax))]) {
        this.#both(i, { side, level }, (book) => book.readLevel(side, level));
        assert.equal(this.#fast.remaining, depth[level - 1]?.price ?? 0);
      }
    }
  }

  #fail(i: number, command: object, outcomes: object): never {
    const text = (book: OrderBook, { list }: ToldList) =>
      `${book.remaining} left, ${book.bestBid()} × ${book.bestAsk()}, reported ${list.join("; ")}`;
    assert.fail(
      `seed ${this.#options.seed}, command ${i}: ${JSON.stringify({ command, outcomes })}\n` +
        `naive: ${text(this.#naive, this.#naiveTold)}\nfast: ${text(this.#fast, this.#fastTold)}`,
    );
  }
}

/** Half of all orders use the mode that skips the account's own orders; each other mode gets an eighth. */
function stpModeOf(chance: number): StpMode {
  const modes = [StpMode.expireTaker, StpMode.expireMaker, StpMode.expireBoth, StpMode.decrement];
  return modes[chance >>> 1] ?? StpMode.skip;
}

function kindOf(chance: number): [OrderType, TimeInForce] {
  if (chance < 6) return [OrderType.market, TimeInForce.ioc];
  if (chance < 8) return [OrderType.market, TimeInForce.gtc];
  if (chance < 14) return [OrderType.limitMaker, TimeInForce.gtc];
  if (chance < 22) return [OrderType.limit, TimeInForce.gtx];
  if (chance < 30) return [OrderType.limit, TimeInForce.ioc];
  if (chance < 38) return [OrderType.limit, TimeInForce.fok];
  return [OrderType.limit, TimeInForce.gtc];
}
