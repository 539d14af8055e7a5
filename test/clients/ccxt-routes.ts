// ccxt with a record of the routes it calls: the tables below list the routes of each method, and the tests check
// that none is missing (CNF-7, CNF-8).

import assert from "node:assert/strict";
import type { binance } from "ccxt";
import type { ClientRun, Feature } from "./client-run.ts";

export type Exchange = binance;

export class CcxtClient {
  readonly exchange: Exchange;
  readonly #asked: string[] = [];
  #answers404 = 0;

  constructor(client: unknown) {
    this.exchange = client as Exchange;
    // Its pause between requests fits a limit per address; the tests' accounts have the house tier.
    this.exchange.enableRateLimit = false;
    const fetch = this.exchange.fetch.bind(this.exchange);
    this.exchange.fetch = async (url, method, headers, body) => {
      this.#asked.push(`${method} ${new URL(url).pathname.replace(/^\/compat/, "")}`);
      return fetch(url, method, headers, body);
    };
    const handle = this.exchange.handleErrors.bind(this.exchange);
    this.exchange.handleErrors = (...answer: Parameters<typeof handle>) => {
      if (answer[0] === 404) this.#answers404++;
      return handle(...answer);
    };
  }

  /** How many of all answers were 404. */
  get answers404(): number {
    return this.#answers404;
  }

  /** The routes requested since the last call. */
  takeCalled(): string[] {
    return this.#asked.splice(0);
  }
}

/** A row of a route table: what to do, its routes in order, and the result. */
export interface RouteRow {
  readonly feature: Feature;
  readonly name: string;
  readonly routes: readonly string[];
  readonly act: () => Promise<void>;
}

export async function walkRoutes(
  run: ClientRun,
  client: CcxtClient,
  keys: string,
  rows: readonly RouteRow[],
): Promise<void> {
  for (const { feature, name, routes, act } of rows) {
    await run.step(feature, `${keys}: ${name}`, async () => {
      client.takeCalled();
      await act();
      assert.deepEqual(client.takeCalled(), routes);
    });
  }
  await run.step("markets", `${keys}: no route is missing`, async () => {
    assert.equal(client.answers404, 0);
  });
}
