// Commands for comparing the fast book with the naive one: a seeded stream that keeps a few hundred
// orders alive, meets its own accounts often, and visits every order type, every time in force, far
// prices, stale handles and amends. Both books get the same commands; a difference is an error that
// names the command.

import assert from "node:assert/strict";
import { emptyMatchRequest, MatchOutcome } from "../../src/core/match-messages.ts";
import { OrderType, Side, TimeInForce } from "../../src/core/orders.ts";
import { FastBook } from "../../src/engine/matching/fast-book.ts";
import { NaiveBook } from "../../src/engine/matching/naive-book.ts";
import type {
  FillListener,
  IncomingOrder,
  MatchingBounds,
  OrderBook,
} from "../../src/engine/matching/order-book.ts";
import { OrderPool } from "../../src/engine/matching/order-pool.ts";

export interface ComparisonOptions {
  seed: number;
  commands: number;
  /** Small bounds are reached in few steps. */
  bounds: MatchingBounds;
  /** Commands between two comparisons of the whole state. */
  hashEvery: number;
  /** Slots in use at most: the depth at which new orders give way to cancels. */
  depthMax: number;
}

/** How often each outcome came up, so that a test can tell the stream visits them all. */
export type OutcomeCounts = Map<MatchOutcome, number>;

class Fills implements FillListener {
  words: number[] = [];

  filled(makerSlot: number, price: number, qty: number): void {
    this.words.push(makerSlot, price, qty);
  }
}

class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  /** An integer from 0 to `bound` − 1. */
  below(bound: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % bound;
  }
}

interface Handle {
  slot: number;
  generation: number;
  price: number;
  qty: number;
}

/** Feeds both books the same commands and throws at the first difference. */
export function compareBooks(options: ComparisonOptions): OutcomeCounts {
  const comparison = new Comparison(options);
  for (let i = 0; i < options.commands; i++) comparison.step(i);
  return comparison.counts;
}

class Comparison {
  readonly counts: OutcomeCounts = new Map();
  readonly #random: Random;
  readonly #options: ComparisonOptions;
  readonly #naiveFills = new Fills();
  readonly #fastFills = new Fills();
  readonly #naive: OrderBook;
  readonly #fast: OrderBook;
  readonly #generations: number[];
  readonly #free: number[];
  readonly #open = new Map<number, Handle>();
  #middle = 5_000_000;

  constructor(options: ComparisonOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#generations = new Array<number>(options.depthMax + 1).fill(0);
    this.#free = this.#generations.map((_, slot) => slot);
    this.#naive = new NaiveBook(this.#naiveFills, options.bounds);
    this.#fast = new FastBook({
      market: 3,
      pool: new OrderPool(options.depthMax + 1),
      listener: this.#fastFills,
      bounds: options.bounds,
    });
  }

  step(i: number): void {
    const chance = this.#random.below(100);
    // Runs of placing and of cancelling alternate, so that the book also empties and fills up.
    const placing = Math.floor(i / 3000) % 4 === 3 ? 25 : 62;
    if (this.#free.length > 0 && chance < placing) this.#place(i);
    else if (chance < 80) this.#cancel(i);
    else this.#amend(i);
    if (i % this.#options.hashEvery === 0) this.#compareState(i);
  }

  #place(i: number): void {
    const slot = this.#free.pop() ?? 0;
    this.#generations[slot] = (this.#generations[slot] ?? 0) + 1;
    const order = this.#order(slot);
    const outcome = this.#both(i, order, (book) => book.place(order));
    if (outcome === MatchOutcome.rested) {
      const { generation, price } = order;
      this.#open.set(slot, { slot, generation, price, qty: this.#fast.remaining });
    } else {
      this.#free.push(slot);
    }
  }

  #cancel(i: number): void {
    const { slot, generation } = this.#handle();
    const stale = this.#random.below(10) === 0 ? 1 : 0;
    const command = { cancel: slot, generation: generation - stale };
    const outcome = this.#both(i, command, (book) => book.cancel(slot, generation - stale));
    if (outcome === MatchOutcome.cancelled) this.#gone(slot);
  }

  #amend(i: number): void {
    const random = this.#random;
    const handle = this.#handle();
    const { slot } = handle;
    const generation = handle.generation - (random.below(20) === 0 ? 1 : 0);
    const price =
      random.below(3) === 0 ? handle.price : Math.max(1, handle.price + random.below(31) - 15);
    const qty = 1 + random.below(Math.max(1, handle.qty) * 2);
    const amendment = { slot, generation, price, qty };
    const outcome = this.#both(i, { amend: amendment }, (book) => book.amend(amendment));
    if (outcome === MatchOutcome.rested) {
      this.#open.set(slot, { ...amendment, qty: this.#fast.remaining });
    } else if (outcome !== MatchOutcome.unknown && outcome !== MatchOutcome.wouldTake) {
      this.#gone(slot);
    }
  }

  /** An open order, or some slot with the generation it had last. */
  #handle(): Handle {
    const slot = this.#random.below(this.#generations.length);
    const generation = this.#generations[slot] ?? 0;
    return this.#open.get(slot) ?? { slot, generation, price: this.#middle, qty: 1 };
  }

  #order(slot: number): IncomingOrder {
    const random = this.#random;
    const side = random.below(2) === 0 ? Side.buy : Side.sell;
    const [type, timeInForce] = kindOf(random.below(100));
    return {
      ...emptyMatchRequest(),
      slot,
      generation: this.#generations[slot] ?? 0,
      // One account in three orders, so that own runs at the touch and crossed own books occur.
      account: random.below(3) === 0 ? 1 : 1 + random.below(6),
      side,
      type,
      timeInForce,
      price: this.#price(side),
      qty: random.below(500) === 0 ? 2 ** 40 + random.below(1000) : 1 + random.below(40),
    };
  }

  /** Mostly around a middle that drifts; sometimes far on either side, or a jump of the middle. */
  #price(side: Side): number {
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
    this.#naiveFills.words.length = 0;
    this.#fastFills.words.length = 0;
    const expected = run(this.#naive);
    const actual = run(this.#fast);
    const differs =
      actual !== expected ||
      this.#fast.remaining !== this.#naive.remaining ||
      this.#fast.bestBid() !== this.#naive.bestBid() ||
      this.#fast.bestAsk() !== this.#naive.bestAsk() ||
      this.#fastFills.words.join() !== this.#naiveFills.words.join();
    if (differs) this.#fail(i, command, { expected, actual });
    this.counts.set(actual, (this.counts.get(actual) ?? 0) + 1);
    this.#settleFills();
    return actual;
  }

  /** Makers whose whole quantity traded give their slots back. */
  #settleFills(): void {
    const words = this.#fastFills.words;
    for (let i = 0; i < words.length; i += 3) {
      const slot = words[i] ?? 0;
      const handle = this.#open.get(slot);
      assert(handle !== undefined, "a maker was open");
      handle.qty -= words[i + 2] ?? 0;
      if (handle.qty === 0) this.#gone(slot);
    }
  }

  #gone(slot: number): void {
    this.#open.delete(slot);
    this.#free.push(slot);
  }

  #compareState(i: number): void {
    assert.equal(this.#fast.stateHash(), this.#naive.stateHash(), `state after command ${i}`);
    assert.equal(this.#fast.restingCount(), this.#naive.restingCount());
    assert.equal(this.#fast.restingCount(), this.#open.size);
    for (const side of [Side.buy, Side.sell]) {
      assert.deepEqual(this.#fast.depth(side, 20), this.#naive.depth(side, 20));
    }
  }

  #fail(i: number, command: object, outcomes: object): never {
    const text = (book: OrderBook, fills: Fills) =>
      `${book.remaining} left, ${book.bestBid()} × ${book.bestAsk()}, fills ${fills.words.join()}`;
    assert.fail(
      `seed ${this.#options.seed}, command ${i}: ${JSON.stringify({ command, outcomes })}\n` +
        `naive: ${text(this.#naive, this.#naiveFills)}\nfast: ${text(this.#fast, this.#fastFills)}`,
    );
  }
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
