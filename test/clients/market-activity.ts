// Keeps a spot book and a perpetual book active: a maker places and cancels orders, and a taker trades. Active and
// quiet seconds alternate: in active seconds a client has updates to follow, and in quiet ones its own book must equal
// the venue's. Changes happen near the best prices, where a missed or misread update shows.

import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { signedFetch } from "../support/client/signed-fetch.ts";

interface Account {
  readonly key: string;
  readonly secret: string;
}

interface Book {
  readonly path: string;
  readonly symbol: string;
  /**
   * Middle of the book, in units of the price's last decimal; `step` is the distance between two levels, in the same
   * unit.
   */
  readonly middle: number;
  readonly step: number;
  readonly priceDecimals: number;
  /** Quantities are one to nine times this number. */
  readonly lot: number;
  readonly quantityDecimals: number;
}

const books: readonly Book[] = [
  {
    path: "/compat/api/v3/order",
    symbol: "CC-USDC",
    ...{ middle: 1500, step: 1, priceDecimals: 4 },
    ...{ lot: 100, quantityDecimals: 1 },
  },
  {
    path: "/compat/fapi/v1/order",
    symbol: "BTCUSDT",
    ...{ middle: 6_000_000, step: 100, priceDecimals: 2 },
    ...{ lot: 0.01, quantityDecimals: 3 },
  },
];

const levels = 25;
const restingMax = 60;
const turnMs = 150;
/** What the taker buys first, so that there is open interest at every moment. */
const openingLots = 20;
/** Turns in one round. The first `quietTurns` of them change nothing. */
const roundTurns = 32;
const quietTurns = 14;

/** The two markets whose books are kept active. */
export const activeMarkets = { spot: "CC-USDC", perpetual: "BTCUSDT" } as const;

export class MarketActivity {
  readonly #address: string;
  readonly #maker: Account;
  readonly #taker: Account;
  readonly #random = new SeededRandom(20);
  /** Ids of the maker's open orders, oldest first: one list per book. */
  readonly #resting = books.map((): number[] => []);
  readonly #timer: NodeJS.Timeout;
  readonly #refused: string[] = [];
  #turn = 0;
  #isBusy = false;

  private constructor(address: string, maker: Account, taker: Account) {
    this.#address = address;
    this.#maker = maker;
    this.#taker = taker;
    this.#timer = setInterval(() => void this.#next(), turnMs);
  }

  /** Fills both books, then changes them until `stop`. The maker needs money for 60 open orders in each book. */
  static async start(address: string, maker: Account, taker: Account): Promise<MarketActivity> {
    const activity = new MarketActivity(address, maker, taker);
    for (const [index, book] of books.entries()) {
      for (let level = 1; level <= levels; level++) {
        await activity.#rest(index, book, "BUY", level);
        await activity.#rest(index, book, "SELL", level);
      }
      await activity.#trade(book, "BUY", openingLots);
    }
    const [message] = activity.#refused;
    if (message !== undefined) throw new Error(`the books could not be filled: ${message}`);
    return activity;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #next(): Promise<void> {
    this.#turn = (this.#turn + 1) % roundTurns;
    if (this.#isBusy || this.#turn < quietTurns) return;
    this.#isBusy = true;
    try {
      for (const [index, book] of books.entries()) await this.#move(index, book);
    } finally {
      this.#isBusy = false;
    }
  }

  async #move(index: number, book: Book): Promise<void> {
    // A purchase and a sale each round, so that the taker's position does not come back to nothing.
    if (this.#turn % 8 === 0) await this.#trade(book, this.#turn % 16 === 0 ? "BUY" : "SELL", 1);
    const side = this.#random.below(2) === 0 ? "BUY" : "SELL";
    const resting = this.#resting[index] ?? [];
    await this.#rest(index, book, side, 1 + this.#random.below(levels));
    if (resting.length < restingMax) return;
    const [orderId] = resting.splice(this.#random.below(20), 1);
    if (orderId === undefined) return;
    // The answer is ignored: the cancel may be refused because the order has traded meanwhile.
    const parameters = { symbol: book.symbol, orderId };
    const { path } = book;
    await signedFetch(this.#address, this.#maker, { method: "DELETE", path, parameters });
  }

  async #rest(index: number, book: Book, side: string, level: number): Promise<void> {
    const ticks = book.middle + (side === "BUY" ? -level : level) * book.step;
    const price = (ticks / 10 ** book.priceDecimals).toFixed(book.priceDecimals);
    const orderId = await this.#order(this.#maker, book, {
      ...{ side, type: "LIMIT", timeInForce: "GTC", price },
      quantity: (book.lot * (1 + this.#random.below(9))).toFixed(book.quantityDecimals),
    });
    if (orderId !== null) this.#resting[index]?.push(orderId);
  }

  async #trade(book: Book, side: string, lots: number): Promise<void> {
    const quantity = (lots * book.lot).toFixed(book.quantityDecimals);
    await this.#order(this.#taker, book, { side, type: "MARKET", quantity });
  }

  /** Places an order and returns its id, or null if it was refused, which can happen on a machine that stalls. */
  async #order(account: Account, book: Book, order: Readonly<Record<string, string>>) {
    const { path, symbol } = book;
    const { status, json } = await signedFetch<{ readonly orderId: number }>(
      this.#address,
      account,
      { method: "POST", path, parameters: { symbol, ...order } },
    );
    if (status !== 200) this.#refused.push(`${path}: ${status} ${JSON.stringify(json)}`);
    return status === 200 ? json.orderId : null;
  }
}
