// The order book where prices move: B1 to B3 of the performance goals. What an operation costs must not depend
// on where prices are, how far they jump or how many levels there are.
//
// Each figure is compared with the same operations where prices stay, in turn with them, and told as the median of
// the rounds' ratios. It is processor time: what the neighbours take is not in it.

import { emptyMatchRequest } from "../../src/core/generated/messages.ts";
import { Side, TimeInForce } from "../../src/core/orders.ts";
import { FastBook } from "../../src/engine/matching/fast-book.ts";
import { OrderPool } from "../../src/engine/matching/order-pool.ts";
import { median } from "../report/median.ts";
import { geometric, Random } from "../workload/draws.ts";
import { nsEach } from "./processor-time.ts";

const rounds = 7;
/** The touch all books begin with. */
const touch = 10_000_000;
const listener = { filled: () => {}, reduced: () => {}, removed: () => {}, met: () => {} };

/** Measures B1 to B3; some ten seconds. */
export async function measure(): Promise<Record<string, number>> {
  return { ...jumpFigures(), ...farFigures(), ...walkFigures() };
}

/** Bids below the touch, one order each `gap` ticks, and one order that comes and goes. */
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

  /** Places a bid at `price` and takes it back. */
  visit(price: number): void {
    const request = this.#request;
    request.slot = this.#slot;
    request.generation++;
    request.price = price;
    this.#book.place(request);
    this.#book.cancel(request.slot, request.generation);
  }
}

/** Medians of both, and of their ratio round by round, after two rounds that warm both. */
function compared(names: string, moved: () => number, still: () => number): Record<string, number> {
  for (let round = 0; round < 2; round++) moved() + still();
  const pairs = Array.from({ length: rounds }, () => ({ moved: moved(), still: still() }));
  return {
    [`${names} ns`]: median(pairs.map((pair) => pair.moved)),
    [`${names} ns where prices stay`]: median(pairs.map((pair) => pair.still)),
    [`${names} ratio`]: median(pairs.map((pair) => pair.moved / pair.still)),
  };
}

/** The touch goes up by 20,000 ticks and comes back, against one tick. */
function jumpFigures(): Record<string, number> {
  const book = new QuotedBook(3000, 1);
  const times = 100_000;
  return compared(
    "B1 touch there and back",
    () => nsEach(times, () => book.visit(touch + 20_000)),
    () => nsEach(times, () => book.visit(touch + 1)),
  );
}

/** An order comes and goes among 40,000 levels, 25 ticks from each other, against 3,000 so at the touch. */
function farFigures(): Record<string, number> {
  const far = new QuotedBook(40_000, 25);
  const near = new QuotedBook(3000, 25);
  const times = 100_000;
  const random = new Random(7);
  const farPrices = Int32Array.from({ length: times }, () => touch - random.below(40_000 * 25));
  const nearPrices = Int32Array.from({ length: times }, () => touch - random.below(3000 * 25));
  return compared(
    "B2 insert and cancel",
    () => nsEach(times, (turn) => far.visit(farPrices[turn] ?? 0)),
    () => nsEach(times, (turn) => near.visit(nearPrices[turn] ?? 0)),
  );
}

/** A market whose middle walks down by 60 % at random, against one whose middle stays. */
function walkFigures(): Record<string, number> {
  const steps = 400_000;
  const moved = new WalkedMarket(steps, 0.6);
  const still = new WalkedMarket(steps, 0);
  return compared(
    "B3 walk through 60 %",
    () => moved.nsEach(),
    () => still.nsEach(),
  );
}

/** Orders kept at rest by a walked market. */
const walkedOrders = 4096;

/**
 * A stream of three operations a step: the oldest order is cancelled, a limit comes to rest around the middle, and
 * an IOC order takes a little of one side.
 */
class WalkedMarket {
  readonly #prices: Int32Array;
  readonly #limits: Int32Array;
  readonly #sides: Uint8Array;

  constructor(steps: number, fall: number) {
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

  /** Nanoseconds a step takes in a fresh book. */
  nsEach(): number {
    const book = new FastBook({ market: 0, pool: new OrderPool(walkedOrders + 1), listener });
    const request = emptyMatchRequest();
    return nsEach(this.#prices.length, (step) => {
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
    });
  }
}
