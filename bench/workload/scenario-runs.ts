// Runs the streams of `scenario-flow.ts` through the venue's book and through the book of plain objects, as
// `book-drivers.ts` runs the published one.

import { emptyMatchRequest } from "../../src/core/match-messages.ts";
import { Side, StpMode, TimeInForce } from "../../src/core/orders.ts";
import { FastBook } from "../../src/engine/matching/fast-book.ts";
import { OrderPool } from "../../src/engine/matching/order-pool.ts";
import { RecordWriter } from "./book-drivers.ts";
import { MapBook } from "./map-book.ts";
import type { FlowResult } from "./order-flow.ts";
import { MessageKind, type ScenarioFlow } from "./scenario-flow.ts";

/** A scenario through a fresh fast book. */
export class FastScenarioRun {
  readonly #flow: ScenarioFlow;
  readonly #writer: RecordWriter;
  readonly #book: FastBook;
  readonly #request = emptyMatchRequest();

  constructor(flow: ScenarioFlow) {
    this.#flow = flow;
    this.#writer = new RecordWriter(flow.slotsUsed);
    const pool = new OrderPool(flow.slotsUsed);
    this.#book = new FastBook({ market: 0, pool, listener: this.#writer });
    this.#request.stpMode = StpMode.skip;
  }

  run(from: number, to: number): void {
    for (let i = from; i < to; i++) this.#handle(i);
  }

  result(): FlowResult {
    const { trades, volume, notional, hash } = this.#writer;
    return { trades, volume, notional, hash, resting: this.#book.restingCount() };
  }

  #handle(i: number): void {
    const flow = this.#flow;
    const book = this.#book;
    const request = this.#request;
    const kind = flow.kinds[i];
    request.slot = flow.slots[i] ?? 0;
    request.generation = flow.generations[i] ?? 0;
    request.price = flow.prices[i] ?? 0;
    request.qty = flow.qtys[i] ?? 0;
    this.#writer.takerSlot = request.slot;
    if (kind === MessageKind.cancel) {
      const outcome = book.cancel(request.slot, request.generation);
      this.#writer.ended(request, outcome, book);
    } else if (kind === MessageKind.modify) {
      request.seenQty = flow.seen[i] ?? 0;
      this.#writer.ended(request, book.amend(request), book);
    } else {
      const id = flow.ids[i] ?? 0;
      request.side = flow.sides[i] === 0 ? Side.buy : Side.sell;
      request.timeInForce = kind === MessageKind.ioc ? TimeInForce.ioc : TimeInForce.gtc;
      request.account = id;
      this.#writer.ids[request.slot] = id;
      this.#writer.ended(request, book.place(request), book);
    }
  }
}

/** A scenario through a fresh book of plain objects. */
export class MapScenarioRun {
  readonly #flow: ScenarioFlow;
  readonly #book = new MapBook();

  constructor(flow: ScenarioFlow) {
    this.#flow = flow;
  }

  run(from: number, to: number): void {
    const { kinds, ids, sides, prices, qtys } = this.#flow;
    const book = this.#book;
    for (let i = from; i < to; i++) {
      const kind = kinds[i] ?? 0;
      const id = ids[i] ?? 0;
      const price = prices[i] ?? 0;
      const qty = qtys[i] ?? 0;
      if (kind === MessageKind.cancel) book.cancel(id);
      else if (kind === MessageKind.modify) book.modify(id, price, qty);
      else if (kind === MessageKind.ioc) book.immediate(sides[i] ?? 0, price, qty);
      else book.limit(id, sides[i] ?? 0, price, qty);
    }
  }

  result(): FlowResult {
    return this.#book.result();
  }
}
