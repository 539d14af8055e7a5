// One matcher's state machine: the books of its markets on one order pool. Each request produces a record for each
// resting order that it affects, and then exactly one end record.
//
// It asserts the fields of each request: a request that clearing could not have sent without a bug stops the thread.
// What clearing cannot know (for example that an order is already gone) is an outcome.

import { assert, present, unreachable } from "../../core/assert.ts";
import type { MatchReplySink, MatchRequest } from "../../core/generated/messages.ts";
import { marketsMax, ordersOpenMax } from "../../core/limits.ts";
import { MatchLane, MatchOutcome, MatchRequestKind } from "../../core/match-messages.ts";
import { emptyBookHash } from "./book-hash.ts";
import { FastBook } from "./fast-book.ts";
import type { OrderBook } from "./order-book.ts";
import { OrderPool } from "./order-pool.ts";
import { SignedPositions } from "./signed-positions.ts";

/** Parts of a matching engine. Tests set `ordersMax`; the default is the venue's limit. */
export interface MatchingParts {
  markets: readonly number[];
  /** The perpetual ones among `markets`, whose books keep positions. Default none. */
  perpetuals?: readonly number[];
  sink: MatchReplySink;
  ordersMax?: number;
}

/** The books of one matcher. */
export class MatchingEngine {
  readonly #sink: MatchReplySink;
  /** Books by market id; the markets of other matchers have none here. */
  readonly #books: (FastBook | undefined)[];

  constructor(parts: MatchingParts) {
    const pool = new OrderPool(parts.ordersMax ?? ordersOpenMax);
    this.#sink = parts.sink;
    this.#books = new Array<FastBook | undefined>(marketsMax).fill(undefined);
    const { perpetuals = [] } = parts;
    assert(
      perpetuals.every((market) => parts.markets.includes(market)),
      "every perpetual must be one of the markets of the matcher",
    );
    for (const market of parts.markets) {
      assert(market >>> 0 === market && market < marketsMax, "the market must be a valid index");
      assert(this.#books[market] === undefined, "a market must have only one book");
      const positions = perpetuals.includes(market) ? { positions: new SignedPositions() } : {};
      this.#books[market] = new FastBook({ market, pool, listener: parts.sink, ...positions });
    }
  }

  /** Answers one request completely. `lane` is the ring on which the request came: on the cancel lane only cancels. */
  handle(request: MatchRequest, lane: MatchLane): void {
    assert(
      lane === MatchLane.orders || request.kind === MatchRequestKind.cancel,
      "a request on the cancel lane must be a cancel",
    );
    const book = this.#bookOf(request.market);
    const outcome = this.#answer(book, request);
    this.#sink.ended(
      request.market,
      request.slot,
      request.generation,
      lane,
      outcome,
      book.remaining,
      book.bestBid(),
      book.bestAsk(),
    );
  }

  /** Loads a resting order during recovery; orders of one price come oldest first. Produces no answer. */
  restore(request: MatchRequest): void {
    assert(request.kind === MatchRequestKind.place, "a restored order must be a place request");
    this.#bookOf(request.market).restore(request);
  }

  /** Loads a position during recovery: signed lots of `account` in a perpetual market. */
  restorePosition(market: number, account: number, lots: number): void {
    this.#bookOf(market).adjust(account, lots);
  }

  /** The book of a market this matcher owns, for reading. */
  book(market: number): OrderBook {
    return this.#bookOf(market);
  }

  /** One hash of all books of this matcher, in order of market. */
  stateHash(): number {
    let hash: number = emptyBookHash;
    for (const book of this.#books) {
      hash = Math.imul(hash, 16777619) ^ (book === undefined ? 0 : book.stateHash());
    }
    return hash;
  }

  #answer(book: FastBook, request: MatchRequest): MatchOutcome {
    switch (request.kind) {
      case MatchRequestKind.place:
        return book.place(request);
      case MatchRequestKind.cancel:
        return book.cancel(request.slot, request.generation, request.seenQty);
      case MatchRequestKind.amend:
        return book.amend(request);
      case MatchRequestKind.adjust:
        book.adjust(request.account, request.qty);
        return MatchOutcome.adjusted;
      case MatchRequestKind.readLevel:
        return book.readLevel(request.side, request.qty);
      default:
        return unreachable(request.kind);
    }
  }

  #bookOf(market: number): FastBook {
    return present(this.#books[market], "the market must have a book in this matcher");
  }
}
