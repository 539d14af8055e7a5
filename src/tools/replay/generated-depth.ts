// Depth around trades for a recording that has none. The best price on the side that a trade took from is the trade's
// price, the other side begins one step of the source behind it, and each further level is a step away. A level's size is
// drawn from the seed, its price and the second of history: lognormal around five times the mean trade of the seconds
// before, growing with the distance. So the same recording and seed give the same depth, wherever the replay begins within
// a second. Sizes taken by trades are restored with the next moment of depth.

import type { PastBook, PastEvent, PastLevel, PastTrade } from "./past-events.ts";

interface GeneratedDepthOptions {
  readonly seed: number;
  readonly levels: number;
  /** Least time between two moments of depth while the best prices stay, in microseconds. */
  readonly depthUs: number;
}

/** Median size of a level, in mean trades. */
const medianTrades = 5;
/** Standard deviation of the logarithm of sizes. */
const spreadOfSizes = 0.8;
/** By which share of the median each further level is larger. */
const growth = 0.15;
/** Weight of a trade in the mean. */
const meanWeight = 0.01;
const secondUs = 1_000_000;

export class GeneratedDepth {
  readonly #options: GeneratedDepthOptions;
  /** Ticks between two prices of the source: the greatest common divisor of all prices so far. */
  #step = 0;
  #bid = 0;
  #meanQty = 0;
  /** The mean that counts in the current second. */
  #secondQty = 0;
  #second = -1;
  #shownUs = Number.NEGATIVE_INFINITY;

  constructor(options: GeneratedDepthOptions) {
    this.#options = options;
  }

  /** Returns the trades with depth before those that need it. All prices of the first block count for the step. */
  around(events: readonly PastEvent[]): PastEvent[] {
    const given: PastEvent[] = [];
    const trades = events.filter((event) => event.kind === "trade");
    if (this.#step === 0) for (const { price } of trades) this.#step = divisor(this.#step, price);
    for (const trade of trades) {
      const book = this.#before(trade);
      if (book !== null) given.push(book);
      given.push(trade);
    }
    return given;
  }

  /** Depth at the time of the trade if its price is not the best one, or if the time has come. */
  #before(trade: PastTrade): PastBook | null {
    const { price, isBuy, qty, atUs } = trade;
    this.#step = divisor(this.#step, price);
    this.#meanQty = this.#meanQty === 0 ? qty : this.#meanQty + meanWeight * (qty - this.#meanQty);
    const bid = isBuy ? price - this.#step : price;
    const isSame = bid === this.#bid;
    if (bid <= 0 || (isSame && atUs < this.#shownUs + this.#options.depthUs)) return null;
    this.#bid = bid;
    this.#shownUs = atUs;
    const second = Math.floor(atUs / secondUs);
    if (second !== this.#second) this.#secondQty = this.#meanQty;
    this.#second = second;
    return { kind: "book", atUs, bids: this.#side(bid, -1), asks: this.#side(bid + this.#step, 1) };
  }

  #side(best: number, sign: 1 | -1): PastLevel[] {
    const levels: PastLevel[] = [];
    for (let level = 0; level < this.#options.levels; level++) {
      const price = best + sign * level * this.#step;
      if (price <= 0) break;
      levels.push([price, this.#sizeOf(price, sign, level)]);
    }
    return levels;
  }

  #sizeOf(price: number, sign: number, level: number): number {
    const drawn = Math.exp(
      spreadOfSizes * normalOf(this.#options.seed, price * sign, this.#second),
    );
    return Math.max(1, Math.round(medianTrades * this.#secondQty * (1 + growth * level) * drawn));
  }
}

function divisor(one: number, other: number): number {
  let [large, small] = [one, other];
  while (small > 0) [large, small] = [small, large % small];
  return large;
}

/** A number of about a normal distribution from three integers: the sum of four uniform ones, centred and scaled. */
function normalOf(seed: number, price: number, second: number): number {
  let state =
    Math.imul(seed ^ Math.imul(price, 0x9e3779b1), 0x85ebca6b) ^ Math.imul(second, 0xc2b2ae35);
  let sum = 0;
  for (let draw = 0; draw < 4; draw++) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    state ^= state >>> 13;
    sum += (state >>> 0) / 2 ** 32;
  }
  return (sum - 2) * Math.sqrt(3);
}
