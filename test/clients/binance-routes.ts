// Clients that return Binance's own JSON differ only in method names and in how they take parameters. A table per
// client maps routes to its methods, so that the same test scenario calls every client by route. The table omits
// routes that the client does not offer.

import assert from "node:assert/strict";
import type { Json } from "../support/client/json.ts";

export type Values = Readonly<Record<string, unknown>>;

export type Answer = Json;

/** How a client calls a route: its method, then the parameters it takes by position. */
export type Method = readonly [name: string, ...positional: string[]];

export type MethodTable<Route extends string> = Readonly<Partial<Record<Route, Method>>>;

/** The contents of a client's error. */
export interface Fault {
  readonly code: unknown;
  readonly msg: unknown;
  /** The HTTP status, where the client exposes it. */
  readonly status?: unknown;
  /** The class of the error, where the client has classes. */
  readonly name?: unknown;
}

/** A client's names for routes, and its forms of answers and errors. */
export interface ClientDialect<Route extends string> {
  readonly methods: MethodTable<Route>;
  /** The body of an answer. */
  readonly bodyOf: (answer: Answer) => unknown;
  readonly faultOf: (error: Answer) => Fault;
  /** The client writes no JSON: its user passes lists as text. */
  readonly takesListsAsText?: boolean;
}

/**
 * CMP-8: clients treat a `code` other than 200 as an error, and turn integers that a double cannot hold into
 * objects.
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

/** One account's client, called by route. */
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

  /** Calls a route and returns the body. */
  async send(route: Route, values: Values = {}): Promise<Answer> {
    const [name, ...positional] = this.#dialect.methods[route] ?? [""];
    const method = this.#client[name];
    assert.ok(method !== undefined, `the client offers ${route}`);
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

  /** Calls a route; a refusal is returned as a value. */
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

  /** Calls a route that must be refused and returns the client's form of the error. */
  async refused(route: Route, values: Values = {}): Promise<Fault> {
    const outcome = await this.attempt(route, values);
    if ("fault" in outcome) return outcome.fault;
    return assert.fail(`answered, not refused: ${JSON.stringify(outcome.body)}`);
  }
}
