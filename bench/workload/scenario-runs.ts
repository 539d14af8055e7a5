// Runs the streams of `scenario-flow.ts` through the venue's book and the book of plain objects, as
// `book-drivers.ts` does with the published stream.

import { TimeInForce } from "../../src/core/orders.ts";
import { FastBookRun, MapBookRun, sideOf } from "./book-drivers.ts";
import { MessageKind, type ScenarioFlow } from "./scenario-flow.ts";

/** Runs a scenario through a new fast book. */
export class FastScenarioRun extends FastBookRun {
  readonly #flow: ScenarioFlow;

  constructor(flow: ScenarioFlow) {
    super(flow);
    this.#flow = flow;
  }

  run(from: number, to: number): void {
    for (let i = from; i < to; i++) this.#handle(i);
  }

  #handle(i: number): void {
    const flow = this.#flow;
    const { book, writer, request } = this;
    const kind = flow.kinds[i];
    request.slot = flow.slots[i] ?? 0;
    request.generation = flow.generations[i] ?? 0;
    request.price = flow.prices[i] ?? 0;
    request.qty = flow.qtys[i] ?? 0;
    if (kind === MessageKind.cancel) {
      writer.ended(request, book.cancel(request.slot, request.generation), book);
    } else if (kind === MessageKind.modify) {
      request.seenQty = flow.seen[i] ?? 0;
      writer.ended(request, book.amend(request), book);
    } else {
      const id = flow.ids[i] ?? 0;
      request.side = sideOf(flow.sides[i]);
      request.timeInForce = kind === MessageKind.ioc ? TimeInForce.ioc : TimeInForce.gtc;
      request.account = id;
      writer.ids[request.slot] = id;
      writer.ended(request, book.place(request), book);
    }
  }
}

/** Runs a scenario through a new book of plain objects. */
export class MapScenarioRun extends MapBookRun<ScenarioFlow> {
  run(from: number, to: number): void {
    const { kinds, ids, sides, prices, qtys } = this.flow;
    const { book } = this;
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
}
