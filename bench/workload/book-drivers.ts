// Runs the stream of `order-flow.ts` through each measured book in the same way. The fast book writes what a matcher
// writes: one 64-byte record per fill and one per request into a preallocated buffer, publishing the position once per
// batch. The stream contains the handles that clearing would issue; the other books look up orders by id, as they were
// designed to do.

// biome-ignore lint/correctness/noUnresolvedImports: the package misspells the name of its types file
import { OrderBook as NpmOrderBook } from "nodejs-order-book";
import { emptyMatchRequest, type MatchRequest } from "../../src/core/generated/messages.ts";
import type { MatchOutcome } from "../../src/core/match-messages.ts";
import { OrderType, Side } from "../../src/core/orders.ts";
import { FastBook } from "../../src/engine/matching/fast-book.ts";
import type { BookListener } from "../../src/engine/matching/order-book.ts";
import { OrderPool } from "../../src/engine/matching/order-pool.ts";
import { MapBook } from "./map-book.ts";
import { FlowKind, type FlowResult, type OrderFlow } from "./order-flow.ts";

/** The buffer wraps after `records` records, and the position is published after every `batch` records. */
const records = 65_536;
const batch = 64;

/** A price far above all prices of the stream, so that a MARKET order trades without a limit. */
const highestPrice = 1_000_000_000;

const fillRecord = 1;
const endRecord = 2;

/** Writes the book's answers as 64-byte records and counts the results of the stream. */
export class RecordWriter implements BookListener {
  trades = 0;
  volume = 0;
  notional = 0;
  hash = 2166136261 | 0;
  /** Id of the order in each slot. The driver writes the ids, as clearing would. */
  readonly ids: Int32Array;
  readonly #words = new Int32Array(new SharedArrayBuffer(records * 64));
  readonly #doubles = new Float64Array(this.#words.buffer);
  readonly #published = new Int32Array(new SharedArrayBuffer(64));
  #written = 0;

  constructor(slots: number) {
    this.ids = new Int32Array(slots);
  }

  filled(takerSlot: number, makerSlot: number, price: number, qty: number): void {
    const id = this.ids[makerSlot] ?? 0;
    const at = (this.#written & (records - 1)) << 4;
    const message = this.#words;
    message[at] = fillRecord;
    message[at + 1] = takerSlot;
    message[at + 2] = makerSlot;
    message[at + 3] = price;
    this.#doubles[(at >>> 1) + 2] = qty;
    this.trades++;
    this.volume += qty;
    this.notional += qty * price;
    this.hash = (Math.imul(this.hash ^ id, 16777619) + qty) | 0;
    this.#publish();
  }

  reduced(): void {
    throw new Error("no order of the stream may use self-trade prevention");
  }

  met(): void {
    throw new Error("no order of the stream may use self-trade prevention");
  }

  removed(): void {
    throw new Error("no order of the stream may be reduce-only");
  }

  ended(
    request: Pick<MatchRequest, "slot" | "generation">,
    outcome: MatchOutcome,
    book: FastBook,
  ): void {
    const at = (this.#written & (records - 1)) << 4;
    const message = this.#words;
    message[at] = endRecord;
    message[at + 1] = request.slot;
    message[at + 2] = request.generation;
    message[at + 3] = outcome;
    this.#doubles[(at >>> 1) + 2] = book.remaining;
    message[at + 6] = book.bestBid();
    message[at + 7] = book.bestAsk();
    this.#publish();
  }

  /**
   * Counts a written record, and publishes the position after each full batch. The records are stored before the
   * position, so a reader sees only complete records.
   */
  #publish(): void {
    this.#written++;
    if ((this.#written & (batch - 1)) === 0) Atomics.store(this.#published, 0, this.#written);
  }
}

/** Runs a stream through a new fast book; the subclass defines the stream's messages. */
export abstract class FastBookRun {
  protected readonly writer: RecordWriter;
  protected readonly book: FastBook;
  protected readonly request = emptyMatchRequest();

  constructor({ slotsUsed }: { slotsUsed: number }) {
    this.writer = new RecordWriter(slotsUsed);
    const pool = new OrderPool(slotsUsed);
    this.book = new FastBook({ market: 0, pool, listener: this.writer });
  }

  abstract run(from: number, to: number): void;

  result(): FlowResult {
    const { trades, volume, notional, hash } = this.writer;
    return { trades, volume, notional, hash, resting: this.book.restingCount() };
  }
}

/** Runs a stream through a new book of plain objects; the subclass defines the stream's messages. */
export abstract class MapBookRun<Flow> {
  protected readonly flow: Flow;
  protected readonly book = new MapBook();

  constructor(flow: Flow) {
    this.flow = flow;
  }

  abstract run(from: number, to: number): void;

  result(): FlowResult {
    return this.book.result();
  }
}

/** Runs the published stream through a new fast book. */
export class FastRun extends FastBookRun {
  readonly #flow: OrderFlow;

  constructor(flow: OrderFlow) {
    super(flow);
    this.#flow = flow;
  }

  run(from: number, to: number): void {
    const { kinds, sides, ids, prices, qtys, accounts, slots, generations } = this.#flow;
    const { book, writer, request } = this;
    for (let i = from; i < to; i++) {
      const kind = kinds[i] ?? 0;
      request.slot = slots[i] ?? 0;
      request.generation = generations[i] ?? 0;
      if (kind === FlowKind.cancel) {
        writer.ended(request, book.cancel(request.slot, request.generation), book);
        continue;
      }
      const market = kind === FlowKind.market;
      request.side = sideOf(sides[i]);
      request.type = market ? OrderType.market : OrderType.limit;
      request.price = market ? marketPrice(request.side) : (prices[i] ?? 0);
      request.qty = qtys[i] ?? 0;
      request.account = accountOf(accounts[i] ?? 0, kind, i);
      writer.ids[request.slot] = ids[i] ?? 0;
      writer.ended(request, book.place(request), book);
    }
  }
}

/** Number of accounts of the stream, whose ids are 1 to 1000. */
const streamAccounts = 1000;

/** Returns the side for a code of the stream, without a branch, because sides are random. */
export const sideOf = (code = 0): Side => {
  return code as Side;
};

/**
 * Returns the account of an order. Takers never have the account of a maker, so the self-trade check runs on every fill
 * but never changes a result.
 */
const accountOf = (account: number, kind: number, i: number): number => {
  return kind === FlowKind.passive ? account : account + streamAccounts * (i + 1);
};

const marketPrice = (side: Side): number => {
  return side === Side.buy ? highestPrice : 1;
};

/** Runs the published stream through a new book of plain objects. */
export class MapRun extends MapBookRun<OrderFlow> {
  run(from: number, to: number): void {
    const { kinds, ids, sides, prices, qtys } = this.flow;
    const { book } = this;
    for (let i = from; i < to; i++) {
      const kind = kinds[i] ?? 0;
      if (kind === FlowKind.cancel) book.cancel(ids[i] ?? 0);
      else if (kind === FlowKind.market) book.market(sides[i] ?? 0, qtys[i] ?? 0);
      else book.limit(ids[i] ?? 0, sides[i] ?? 0, prices[i] ?? 0, qtys[i] ?? 0);
    }
  }
}

/** Runs the published stream through the npm package nodejs-order-book. */
export class NpmRun {
  readonly #flow: OrderFlow;
  readonly #book = new NpmOrderBook();

  constructor(flow: OrderFlow) {
    this.#flow = flow;
  }

  run(from: number, to: number): void {
    const { kinds, ids, sides, prices, qtys } = this.#flow;
    const book = this.#book;
    for (let i = from; i < to; i++) {
      const kind = kinds[i] ?? 0;
      const id = String(ids[i]);
      const side = (sides[i] === 0 ? "buy" : "sell") as Parameters<typeof book.market>[0]["side"];
      const size = qtys[i] ?? 0;
      if (kind === FlowKind.cancel) book.cancel(id);
      else if (kind === FlowKind.market) book.market({ side, size });
      else book.limit({ id, side, size, price: prices[i] ?? 0 });
    }
  }
}
