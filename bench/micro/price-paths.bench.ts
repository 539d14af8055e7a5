// Measures the order book under moving prices (performance goals B1 to B3). The cost of an operation must not depend on
// the price, the size of its jumps or the number of levels. Each figure is compared with that of a second run without
// the difficulty (constant prices, small jumps or few levels); rounds of the two runs alternate. Figures are medians of
// processor time, which excludes other processes.

import { mToNs } from "tinybench";
import { emptyMatchRequest } from "../../src/core/generated/messages.ts";
import { Side, TimeInForce } from "../../src/core/orders.ts";
import { FastBook } from "../../src/engine/matching/fast-book.ts";
import { OrderPool } from "../../src/engine/matching/order-pool.ts";
import { geometric, Random } from "../workload/draws.ts";
import { processorTime, type Subject, sampled } from "./sampling.ts";

/** The best bid of every book at the start, in ticks. */
const touch = 10_000_000;
const listener = { filled: () => {}, reduced: () => {}, removed: () => {}, met: () => {} };

/** Measures B1 to B3 in about ten seconds. */
export async function measure(): Promise<Record<string, number>> {
  return { ...(await jumpFigures()), ...(await farFigures()), ...(await walkFigures()) };
}

/**
 * A book of bids, one at the best price and one every `gap` ticks below, and one further order that is placed and
 * cancelled.
 */
class QuotedBook {
  readonly #book: FastBook;
  readonly #request = emptyMatchRequest();
  readonly #slot: number;

  constructor(levels: number, gap: number) {
    this.#book = new FastBook({ market: 0, pool: new OrderPool(levels + 1), listener });
    const request = this.#request;
    request.side = Side.buy;
    request.qty = 1;
    request.account = 1;
    request.generation = 1;
    for (request.slot = 0; request.slot < levels; request.slot++) {
      request.price = touch - gap * request.slot;
      this.#book.place(request);
    }
    this.#slot = levels;
  }

  /** Places a bid at `price` and cancels it; returns the price. */
  visit(price: number): number {
    const request = this.#request;
    request.slot = this.#slot;
    request.generation++;
    request.price = price;
    this.#book.place(request);
    this.#book.cancel(request.slot, request.generation);
    return price;
  }
}

/** Returns the medians of seven alternating rounds of both subjects and their ratio, after two warm-up rounds. */
async function compared(
  names: string,
  subjects: Readonly<Record<"moved" | "still", Subject>>,
): Promise<Record<string, number>> {
  const sampling = { samples: 7, warmUp: 2, clock: processorTime };
  const { moved, still } = await sampled(subjects, sampling);
  return {
    [`${names} ns`]: mToNs(moved.p50),
    [`${names} ns where prices stay`]: mToNs(still.p50),
    [`${names} ratio`]: moved.p50 / still.p50,
    [`${names}, margin of error in percent`]: Math.max(moved.rme, still.rme),
  };
}

/** Measures a best bid that rises by 20,000 ticks and returns, compared with one that rises by one tick. */
function jumpFigures(): Promise<Record<string, number>> {
  const book = new QuotedBook(3000, 1);
  const batch = 100_000;
  return compared("B1 touch there and back", {
    moved: { batch, call: () => book.visit(touch + 20_000) },
    still: { batch, call: () => book.visit(touch + 1) },
  });
}

/**
 * Measures placing and cancelling an order among 40,000 levels with gaps of 25 ticks, compared with 3,000 such levels.
 */
function farFigures(): Promise<Record<string, number>> {
  const far = new QuotedBook(40_000, 25);
  const near = new QuotedBook(3000, 25);
  const batch = 100_000;
  const random = new Random(7);
  const farPrices = Int32Array.from({ length: batch }, () => touch - random.below(40_000 * 25));
  const nearPrices = Int32Array.from({ length: batch }, () => touch - random.below(3000 * 25));
  return compared("B2 insert and cancel", {
    moved: { batch, call: (turn) => far.visit(farPrices[turn] ?? 0) },
    still: { batch, call: (turn) => near.visit(nearPrices[turn] ?? 0) },
  });
}

/** Measures a market whose middle price falls by 60 % in a random walk, compared with a constant middle price. */
function walkFigures(): Promise<Record<string, number>> {
  const steps = 400_000;
  return compared("B3 walk through 60 %", {
    moved: new WalkedMarket(steps, 0.6),
    still: new WalkedMarket(steps, 0),
  });
}

/** Number of resting orders in a market of the random walk. */
const walkedOrders = 4096;

/**
 * A market with three operations per step: cancel the oldest order, rest a limit order around the middle price, and
 * take a little of one side with an IOC order.
 */
class WalkedMarket implements Subject {
  readonly batch: number;
  readonly #prices: Int32Array;
  readonly #limits: Int32Array;
  readonly #sides: Uint8Array;
  #request = emptyMatchRequest();
  #book = freshBook();

  constructor(steps: number, fall: number) {
    this.batch = steps;
    const random = new Random(11);
    const distances = geometric(1 / 60);
    this.#prices = new Int32Array(steps);
    this.#limits = new Int32Array(steps);
    this.#sides = new Uint8Array(steps);
    const drift = (touch * fall) / steps;
    let middle = touch;
    for (let step = 0; step < steps; step++) {
      const wander = random.below(201) - 100;
      middle += fall === 0 ? 0 : wander - drift;
      const side = random.next() & 1;
      const distance = 1 + random.pick(distances);
      const at = Math.round(middle);
      this.#sides[step] = side;
      this.#prices[step] = side === 0 ? at - distance : at + distance;
      this.#limits[step] = side === 0 ? at - 20 : at + 20;
    }
  }

  /** Each sample uses a new book. */
  before(): void {
    this.#book = freshBook();
    this.#request = emptyMatchRequest();
  }

  call(step: number): number {
    const book = this.#book;
    const request = this.#request;
    const slot = step % walkedOrders;
    const turn = Math.floor(step / walkedOrders);
    book.cancel(slot, turn);
    request.side = this.#sides[step] === 0 ? Side.buy : Side.sell;
    request.timeInForce = TimeInForce.gtc;
    request.slot = slot;
    request.generation = turn + 1;
    request.account = step;
    request.qty = 2;
    request.price = this.#prices[step] ?? 0;
    book.place(request);
    request.side = request.side === Side.buy ? Side.sell : Side.buy;
    request.timeInForce = TimeInForce.ioc;
    request.slot = walkedOrders;
    request.generation = step + 1;
    request.qty = 1;
    request.price = this.#limits[step] ?? 0;
    book.place(request);
    return slot;
  }
}

function freshBook(): FastBook {
  return new FastBook({ market: 0, pool: new OrderPool(walkedOrders + 1), listener });
}
