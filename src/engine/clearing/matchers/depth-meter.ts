// Measures book depth near the prices of perpetuals each time marks are computed: depth of the spot market that the
// index comes from, and of the perpetual's own book. If the term `indexMakers` is set, only orders of designated makers
// count, because anybody can open accounts and quote from them. But in the perpetual's own book all orders count while
// there is an outside price. Hidden lots of iceberg orders do not count, because index and mark are public.
//
// The measurements are derived from the open orders; they are not part of the venue's state.

import { assert, byteAt, present, wordAt } from "../../../core/assert.ts";
import { marketsMax } from "../../../core/limits.ts";
import { isPerpetual, type Market } from "../../../core/markets.ts";
import { Side } from "../../../core/orders.ts";
import { basisParts } from "../../../core/perpetuals/index-price.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import { convertTicks, midOf } from "../../risk/mark-price.ts";
import { SlotState } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import { Ladder } from "./ladder.ts";
import type { BestPrices } from "./matcher-lanes.ts";

/**
 * The average prices, in ticks, to fill the value of the term `bookDepth` on each side of the perpetual's own book. A
 * last price outside the range between them is replaced by the nearer of the two.
 */
export interface BookPrices {
  readonly bid: number;
  readonly ask: number;
}

/** One book as measured for one perpetual. */
interface MeasuredBook {
  /** The market whose orders are measured. */
  readonly source: Market;
  readonly bids: Ladder;
  readonly asks: Ladder;
}

interface MeasuredPerpetual {
  readonly market: Market;
  readonly index: MeasuredBook | null;
  readonly book: MeasuredBook;
}

/** Orders farther than a tenth from the best price do not count as depth. */
const reach = 10;
/**
 * Depth within this distance of an index, in basis points, counts as its backing: a trader must consume these quotes to
 * move the index. The value equals the default limit on the distance between a mark and its index.
 */
const backingBps = 200;
const whole = 10_000;

export class DepthMeter {
  readonly #state: VenueState;
  readonly #best: BestPrices;
  readonly #perpetuals: readonly MeasuredPerpetual[];
  /**
   * Measured books by the market of their orders. In those of `#designated` only orders of designated makers count, in
   * those of `#everybody` all orders.
   */
  readonly #designated: readonly MeasuredBook[][];
  #everybody: MeasuredBook[][] = [];

  constructor(state: VenueState, best: BestPrices) {
    this.#state = state;
    this.#best = best;
    const { table } = state;
    this.#perpetuals = table.markets.filter(isPerpetual).map((market) => {
      const source = market.indexMarket === null ? null : table.market(market.indexMarket);
      const index = source === null ? null : measuredBook(source);
      return { market, index, book: measuredBook(market) };
    });
    this.#designated = table.markets.map(() => []);
  }

  /** Measures all books. */
  measure(): void {
    this.#assign();
    this.#takeDesignated();
    this.#takeEverybody();
  }

  /**
   * The index from the venue's own spot market as last measured, in thousandths of the perpetual's tick: the middle of
   * the average prices to fill the value of the term `indexDepth` on each side, or of the best prices if the term is 0.
   * 0 if a side lacks that depth.
   */
  indexPrice(market: Market): number {
    const measured = this.#of(market).index;
    if (measured === null) return 0;
    const { source, bids, asks } = measured;
    const depth = this.#valueOf(market, RiskTerm.indexDepth, source);
    const middle =
      depth === 0n
        ? midOf(wordAt(this.#best.bid, source.id), wordAt(this.#best.ask, source.id)) * basisParts
        : middleOf(bids.impactPrice(depth), asks.impactPrice(depth));
    return convertTicks(middle, source, market);
  }

  /**
   * Minor units quoted within 2 % of the index on the thinner side of the venue's own spot market: what must be
   * consumed to move the index. Null without such a spot market or without an index. Spec RSK-37.
   */
  backing(market: Market, level: number): bigint | null {
    const measured = this.#of(market).index;
    if (measured === null || level === 0) return null;
    const { source, bids, asks } = measured;
    const middle = convertTicks(level, market, source);
    assert(middle > 0, "the mid price must be positive");
    const bid = bids.valueUntil(Math.ceil((middle * (whole - backingBps)) / whole / basisParts));
    const ask = asks.valueUntil(Math.floor((middle * (whole + backingBps)) / whole / basisParts));
    const isBidThinner = bid < ask;
    return isBidThinner ? bid : ask;
  }

  /** The average prices to fill the value of `bookDepth`; null if a side is too thin or the prices cross. RSK-28. */
  bookPrices(market: Market): BookPrices | null {
    const { bids, asks } = this.#of(market).book;
    const depth = this.#valueOf(market, RiskTerm.bookDepth, market);
    const [bid, ask] = [bids.impactPrice(depth), asks.impactPrice(depth)];
    if (middleOf(bid, ask) === 0) return null;
    return { bid: Math.floor(bid / basisParts), ask: Math.ceil(ask / basisParts) };
  }

  /** The value of a term in minor units of the quote asset of `source`. */
  #valueOf({ id }: Market, term: RiskTerm, source: Market): bigint {
    return BigInt(this.#state.riskTerms.of(id, term)) * 10n ** BigInt(source.quote.decimals);
  }

  #of({ id }: Market): MeasuredPerpetual {
    const found = this.#perpetuals.find(({ market }) => market.id === id);
    return present(found, "the market of a depth measurement must be a perpetual");
  }

  /**
   * Decides for each book whether all orders count or only those of designated makers. All count if the term
   * `indexMakers` is 0, and in the perpetual's own book while there is an outside price.
   */
  #assign(): void {
    const { riskTerms, references } = this.#state;
    for (const list of this.#designated) list.length = 0;
    this.#everybody = [];
    for (const { market, index, book } of this.#perpetuals) {
      for (const side of [index?.bids, index?.asks, book.bids, book.asks]) side?.clear();
      const trustsAll = riskTerms.of(market.id, RiskTerm.indexMakers) === 0;
      if (index !== null) this.#count(index, trustsAll);
      this.#count(book, trustsAll || references.best(market.id) > 0);
    }
  }

  #count(book: MeasuredBook, isEverybodys: boolean): void {
    const { id } = book.source;
    assert(id < this.#designated.length, "the market of the book must be known");
    if (!isEverybodys) this.#designated[id]?.push(book);
    else {
      this.#everybody[id] ??= [];
      this.#everybody[id].push(book);
    }
  }

  #takeDesignated(): void {
    const { accounts, orders } = this.#state;
    for (let place = 1; place < accounts.next; place++) {
      const account = accounts.at(place);
      if (!accounts.isDesignatedMaker(account)) continue;
      let slot = orders.firstOfAccount(account);
      for (; slot >= 0; slot = orders.nextOfAccount(slot)) {
        const books = this.#designated[byteAt(orders.market, slot)];
        if (books !== undefined && books.length > 0) this.#take(slot, books);
      }
    }
  }

  /**
   * Adds orders to the books in which all orders count, in one walk over all slots. There may be a million slots, so
   * the fields are read from columns. Most orders are too far from the best price to count.
   */
  #takeEverybody(): void {
    if (this.#everybody.length === 0) return;
    const { state, market, side, price, touched } = this.#state.orders;
    const near = this.#nearPrices();
    for (let slot = 0; slot < touched; slot++) {
      if (byteAt(state, slot) !== SlotState.open) continue;
      const at = 2 * (2 * byteAt(market, slot) + byteAt(side, slot));
      const ticks = wordAt(price, slot);
      if (ticks < wordAt(near, at) || ticks > wordAt(near, at + 1)) continue;
      this.#take(
        slot,
        present(
          this.#everybody[byteAt(market, slot)],
          "the market must have a depth measurement over all accounts",
        ),
      );
    }
  }

  /** By market and side: the lowest and highest price that counts; an empty range if none does. */
  #nearPrices(): Int32Array {
    const near = new Int32Array(4 * marketsMax).map((_, at) => (at % 2 === 0 ? 1 : 0));
    for (const market of this.#everybody.keys()) {
      if (this.#everybody[market] === undefined) continue;
      for (const [side, bests] of [this.#best.bid, this.#best.ask].entries()) {
        const best = wordAt(bests, market);
        const far = Math.floor(best / reach);
        near.set([best - far, best + far], 4 * market + 2 * side);
      }
    }
    return near;
  }

  #take(slot: number, books: readonly MeasuredBook[]): void {
    const { orders } = this.#state;
    if (!orders.isOnBook(slot)) return;
    assert(books.length > 0, "a measured order must belong to at least one book");
    const price = wordAt(orders.price, slot);
    const lots = orders.shownLots(slot);
    const isBid = orders.side[slot] === Side.buy;
    for (const { bids, asks } of books) (isBid ? bids : asks).add(price, lots);
  }
}

/** The middle of two prices; 0 (no price) if a side is missing or one account's orders cross each other. */
function middleOf(bid: number, ask: number): number {
  return bid > ask ? 0 : midOf(bid, ask);
}

function measuredBook(source: Market): MeasuredBook {
  const { tickLot } = source;
  return {
    source,
    bids: new Ladder(Side.buy, tickLot),
    asks: new Ladder(Side.sell, tickLot),
  };
}
