// A price source in memory, for tests of the code that reads prices.

import type { PriceAnswer, PriceSource } from "../../../src/ports/price-source.ts";

export class FakePriceSource implements PriceSource {
  readonly name = "fake";
  #answer: PriceAnswer = { kind: "prices", readings: [] };

  say(prices: Readonly<Record<string, string>>, atMs: number): void {
    const rows = Object.entries(prices);
    const readings = rows.map(([symbol, price]) => ({ symbol, price, atMs }));
    this.#answer = { kind: "prices", readings };
  }

  fail(message: string): void {
    this.#answer = { kind: "fault", message };
  }

  read(): Promise<PriceAnswer> {
    return Promise.resolve(this.#answer);
  }
}
