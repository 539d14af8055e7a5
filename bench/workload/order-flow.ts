// Generates one symbol's day in a million operations: the seeded stream on which every book is measured. After a
// prefill, the stream has 55 % passive limits at geometric distance, 35 % cancels of live orders, 5 % crossing limits
// and 5 % market orders. The generator runs a plain reference book, because cancels and market orders depend on which
// orders rest. Every measured book must reach the reference book's results. The stream depends only on its options and
// is the same on every machine.

import { createHash } from "node:crypto";
import { geometric, lognormal, Random } from "./draws.ts";
import { type FlowColumns, FlowWriter } from "./flow-columns.ts";
import { type FlowOrder, ReferenceBook } from "./reference-book.ts";

export const FlowKind = { passive: 0, cancel: 1, crossing: 2, market: 3 } as const;
export type FlowKind = (typeof FlowKind)[keyof typeof FlowKind];

export interface OrderFlowOptions {
  seed: number;
  /** Number of timed operations after the prefill. */
  operations: number;
  /** Number of passive orders in the prefill. */
  prefill: number;
  /**
   * Number of resting orders at which the generator aims: the more orders rest, the larger its taking orders are. The
   * actual number settles about a quarter higher.
   */
  restingTarget: number;
}

/** The results that every book must reach. */
export interface FlowResult {
  trades: number;
  volume: number;
  notional: number;
  /** Hash over maker ids and quantities, in the order of the trades. */
  hash: number;
  resting: number;
}

/** The stream as parallel columns, including its prefill. */
export interface OrderFlow extends FlowColumns {
  readonly options: OrderFlowOptions;
  readonly accounts: Int32Array;
  /** Largest number of slots in use, which is the pool size that a book needs. */
  readonly slotsUsed: number;
  readonly priceMin: number;
  readonly priceMax: number;
  readonly orderCount: number;
  readonly expected: FlowResult;
}

/** Options of the stream behind the published figures; about 19,000 orders rest. */
export const dayOptions: OrderFlowOptions = {
  seed: 20260101,
  operations: 1_000_000,
  prefill: 15_000,
  restingTarget: 15_000,
};

/** Options of the deep variant; about 218,000 orders rest. */
export const deepOptions: OrderFlowOptions = {
  seed: 20260101,
  operations: 1_000_000,
  prefill: 185_000,
  restingTarget: 185_000,
};

/** Price in ticks around which orders are placed while no order rests. */
const anchor = 100_000;

/**
 * Cumulative chances of the kinds of operations, in parts of a thousand: passive limits first, then cancels, and so on.
 */
const passiveBelow = 550;
const cancelBelow = 900;
const crossingBelow = 950;

const distancesNear = geometric(1 / 20);
const distancesFar = geometric(1 / 400);
const quantities = lognormal(3);

/** Generates the whole stream; a million operations take about a second. */
export function generateOrderFlow(options: OrderFlowOptions): OrderFlow {
  return new Generation(options).run();
}

class Generation {
  readonly #options: OrderFlowOptions;
  readonly #random: Random;
  readonly #book = new ReferenceBook();
  readonly #writer: FlowWriter;
  readonly #accounts: Int32Array;
  #orders = 0;

  constructor(options: OrderFlowOptions) {
    const length = options.prefill + options.operations;
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#writer = new FlowWriter(length);
    this.#accounts = new Int32Array(length);
    this.#book.onGone = (slot) => this.#writer.freeSlot(slot);
  }

  run(): OrderFlow {
    const options = this.#options;
    for (let i = 0; i < options.prefill; i++) this.#passive();
    const fewest = Math.min(4000, options.restingTarget * 0.25);
    for (let i = 0; i < options.operations; i++) {
      const chance = this.#random.below(1000);
      if (chance < passiveBelow || this.#book.resting < fewest) this.#passive();
      else if (chance < cancelBelow) this.#cancel();
      else this.#taking(chance < crossingBelow ? FlowKind.crossing : FlowKind.market);
    }
    const book = this.#book;
    return {
      ...this.#writer.columns,
      options,
      accounts: this.#accounts,
      slotsUsed: this.#writer.slotsUsed,
      priceMin: book.priceMin,
      priceMax: book.priceMax,
      orderCount: this.#orders,
      expected: book.result(),
    };
  }

  #passive(): void {
    const random = this.#random;
    const book = this.#book;
    const side = random.next() & 1;
    const away = side === 0 ? -1 : 1;
    const own = book.best(side);
    const fallback = own >= 0 ? own - 2 * away : anchor - away;
    const other = book.best(side ^ 1);
    const reference = other >= 0 ? other : fallback;
    const table = random.below(100) < 95 ? distancesNear : distancesFar;
    const price = reference + away * (1 + random.pick(table));
    const qty = random.pick(quantities);
    const order = this.#record(FlowKind.passive, { side, price, qty });
    book.rest(order);
  }

  #cancel(): void {
    const order = this.#book.pickLive((bound) => this.#random.below(bound));
    const { id, side, price, qty, slot } = order;
    this.#write(FlowKind.cancel, { id, side, price, qty, slot }, 0);
    this.#book.cancel(order);
  }

  #taking(kind: FlowKind): void {
    const random = this.#random;
    const book = this.#book;
    const side = random.next() & 1;
    const other = side ^ 1;
    const fullness = (book.resting / this.#options.restingTarget) ** 2;
    const appetite = Math.min(4, Math.max(0.25, fullness));
    const wanted = Math.max(1, Math.round(random.pick(quantities) * 1.75 * appetite));
    const qty = Math.min(wanted, book.sideQty(other) - 1);
    // Draw the account before the price, and draw no price for a market order. Another sequence of draws would change
    // the published stream.
    const account = 1 + random.below(1000);
    const away = side === 0 ? 1 : -1;
    const price = kind === FlowKind.crossing ? book.best(other) + away * random.below(4) : 0;
    const order = this.#record(kind, { side, price, qty }, account);
    const left = book.take(order, kind === FlowKind.crossing ? price : undefined);
    if (kind === FlowKind.crossing && left > 0) book.rest({ ...order, qty: left });
    else this.#writer.freeSlot(order.slot);
  }

  /** Writes a new order with the next id and the slot that clearing would issue. */
  #record(
    kind: FlowKind,
    terms: { side: number; price: number; qty: number },
    account = 1 + this.#random.below(1000),
  ) {
    const slot = this.#writer.takeSlot();
    const order = { id: ++this.#orders, ...terms, slot };
    this.#write(kind, order, account);
    return order;
  }

  #write(kind: FlowKind, order: FlowOrder, account: number): void {
    this.#accounts[this.#writer.write(kind, order)] = account;
  }
}

const headerBytes = 32;
const recordBytes = 16;

/** Returns the SHA-256 of the stream in its published binary form, in hex; it identifies the stream. */
export function orderFlowDigest(flow: OrderFlow): string {
  const bytes = Buffer.alloc(headerBytes + recordBytes * flow.length);
  bytes.write("OBW1", 0, "latin1");
  const { prefill, operations } = flow.options;
  const header = [prefill, operations, flow.priceMin, flow.priceMax, flow.orderCount + 1];
  header.forEach((value, i) => {
    bytes.writeUInt32LE(value, 4 + 4 * i);
  });
  for (let i = 0; i < flow.length; i++) {
    const at = headerBytes + recordBytes * i;
    bytes.writeUInt32LE(flow.ids[i] ?? 0, at);
    bytes.writeUInt32LE(flow.prices[i] ?? 0, at + 4);
    bytes.writeUInt32LE(flow.qtys[i] ?? 0, at + 8);
    bytes[at + 12] = flow.kinds[i] ?? 0;
    bytes[at + 13] = flow.sides[i] ?? 0;
    bytes.writeUInt16LE(flow.accounts[i] ?? 0, at + 14);
  }
  return createHash("sha256").update(bytes).digest("hex");
}
