// The first requests of a source, and none after them: a load that cannot exceed an order limit, however fast the machine.

import type { RequestSource } from "../../src/tools/load/load-run.ts";

export class FirstRequests implements RequestSource {
  readonly #source: RequestSource;
  #left: number;

  constructor(source: RequestSource, count: number) {
    this.#source = source;
    this.#left = count;
  }

  next(index: number): string | null {
    if (this.#left === 0) return null;
    this.#left--;
    return this.#source.next(index);
  }

  answered(index: number, status: number, body: Buffer): void {
    this.#source.answered(index, status, body);
  }

  lost(index: number): void {
    this.#source.lost(index);
  }
}
