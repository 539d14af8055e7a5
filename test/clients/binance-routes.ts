// Calls any client that returns Binance's own JSON, by route. Such clients differ only in method names and in how
// they take parameters. A table per client maps routes to its methods, so that one test scenario runs with every
// client. The table omits routes that the client does not offer.

import assert from "node:assert/strict";
import type { Json } from "../support/client/json.ts";

export type Values = Readonly<Record<string, unknown>>;

export type Answer = Json;

/**
 * How a client calls a route: the name of the client's method, then the names of the parameters that the method takes
 * by position. All other parameters are passed as one object.
 */
export type Method = readonly [name: string, ...positional: string[]];

export type MethodTable<Route extends string> = Readonly<Partial<Record<Route, Method>>>;

/** An error as a client reports it to its caller. */
export interface Fault {
  readonly code: unknown;
  readonly msg: unknown;
  /** The HTTP status, if the client exposes it. */
  readonly status?: unknown;
  /** The class name of the error, where the client has error classes. */
  readonly name?: unknown;
}

/** How one client names the routes and shapes its answers and errors. */
export interface ClientDialect<Route extends string> {
  readonly methods: MethodTable<Route>;
  /** Extracts the JSON body from what the client's method returned. */
  readonly bodyOf: (answer: Answer) => unknown;
  readonly faultOf: (error: Answer) => Fault;
  /** True if the client does not encode lists as JSON, so that the caller passes them as text. */
  readonly takesListsAsText?: boolean;
}

/**
 * Asserts that a body has no `code` other than 200 and no integer that a double cannot represent. Clients treat such a
 * code as an error, and turn such an integer into an object (CMP-8).
 */
function assertPlain(body: unknown): void {
  const code = typeof body === "object" && body !== null && "code" in body ? body.code : 200;
  assert.equal(Number(code), 200);
  JSON.stringify(body, (_, value: unknown) => {
    if (Number.isInteger(value)) assert.ok(Number.isSafeInteger(value), String(value));
    assert.notEqual(typeof value, "bigint");
    return value;
  });
}

/** A client of one account that is called by route. */
export class RoutedClient<Route extends string> {
  readonly #client: Readonly<Record<string, (...values: unknown[]) => unknown>>;
  readonly #dialect: ClientDialect<Route>;

  constructor(client: unknown, dialect: ClientDialect<Route>) {
    this.#client = client as Readonly<Record<string, (...values: unknown[]) => unknown>>;
    this.#dialect = dialect;
  }

  has(route: Route): boolean {
    return this.#dialect.methods[route] !== undefined;
  }

  /**
   * Calls a route and returns the answer's body. Fails if the client does not offer the route or the venue refuses.
   */
  async send(route: Route, values: Values = {}): Promise<Answer> {
    const [name, ...positional] = this.#dialect.methods[route] ?? [""];
    const method = this.#client[name];
    assert.ok(method !== undefined, `the client does not offer ${route}`);
    const rest = Object.entries(values)
      .filter(([key]) => !positional.includes(key))
      .map(([key, value]) => [key, this.#written(value)]);
    const first = positional.map((key) => values[key]);
    const isEmpty = rest.length === 0 && positional.length > 0;
    const parameters = isEmpty ? first : [...first, Object.fromEntries(rest)];
    const answer = await Reflect.apply(method, this.#client, parameters);
    const body: unknown = await this.#dialect.bodyOf(answer);
    assertPlain(body);
    return body;
  }

  #written(value: unknown): unknown {
    const isText = this.#dialect.takesListsAsText === true && Array.isArray(value);
    return isText ? JSON.stringify(value) : value;
  }

  /** Calls a route and returns the body, or the client's error as a value. */
  async attempt(
    route: Route,
    values: Values = {},
  ): Promise<{ readonly body: Answer } | { readonly fault: Fault }> {
    try {
      return { body: await this.send(route, values) };
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return { fault: this.#dialect.faultOf(error) };
    }
  }

  /** Calls a route that must be refused, and returns the error as the client reports it. */
  async refused(route: Route, values: Values = {}): Promise<Fault> {
    const outcome = await this.attempt(route, values);
    if ("fault" in outcome) return outcome.fault;
    return assert.fail(`expected a refusal, but the answer is ${JSON.stringify(outcome.body)}`);
  }
}
