// One market while the journal is folded: its price over time, and the middle of its book some time after each sweep of an
// account that the report is about.

import type { Market } from "../../core/markets.ts";
import { Side } from "../../core/orders.ts";
import type { DepthBook } from "../../engine/market-data/depth-book.ts";
import { ThinnedSeries } from "./thinned-series.ts";
import type { Sweep } from "./tracked-orders.ts";

/** Points of a price chart: about one a pixel. */
const pricePointsMax = 1_200;

const shortUs = 1_000_000;
const longUs = 10_000_000;

export class MarketWatch {
  readonly market: Market;
  readonly prices = new ThinnedSeries<number>(pricePointsMax);
  readonly #depth: DepthBook;
  readonly #short: Sweep[] = [];
  readonly #long: Sweep[] = [];

  constructor(market: Market, depth: DepthBook) {
    this.market = market;
    this.#depth = depth;
  }

  get bid(): number {
    return this.#depth.best(Side.buy);
  }

  get ask(): number {
    return this.#depth.best(Side.sell);
  }

  /** Bid + ask, twice the middle; 0 if a side is empty. */
  get both(): number {
    const { bid, ask } = this;
    return bid > 0 && ask > 0 ? bid + ask : 0;
  }

  /** Notes the price after a transaction; `lastPrice` is that of the last trade, 0 before the first. */
  note(atUs: number, lastPrice: number): void {
    const price = this.both > 0 ? this.both : 2 * lastPrice;
    if (price > 0) this.prices.add(atUs, price);
  }

  /** Takes the middle of the book for this sweep when its time has come. */
  follow(sweep: Sweep): void {
    this.#short.push(sweep);
    this.#long.push(sweep);
  }

  /** Called before each event: what was due before it saw the book as it is now. */
  passTime(toUs: number): void {
    for (let next = this.#short[0]; next !== undefined; next = this.#short[0]) {
      if (next.atUs + shortUs > toUs) break;
      next.after1s = this.both || null;
      this.#short.shift();
    }
    for (let next = this.#long[0]; next !== undefined; next = this.#long[0]) {
      if (next.atUs + longUs > toUs) break;
      next.after10s = this.both || null;
      this.#long.shift();
    }
  }
}
