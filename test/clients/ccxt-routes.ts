// Records which routes ccxt requests. Each row of a route table lists the routes that one ccxt method must call, and
// the test checks that ccxt called exactly these and that none answered 404 (CNF-7, CNF-8).

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
    // ccxt pauses between requests to respect a limit per address; the test accounts have the house tier and need no
    // pause.
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

  /** Number of answers with HTTP status 404 so far. */
  get answers404(): number {
    return this.#answers404;
  }

  /** Returns the routes requested since the last call of this method, in order. */
  takeCalled(): string[] {
    return this.#asked.splice(0);
  }
}

/** A row of a route table: the action, the routes it must request in order, and the feature it proves. */
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
