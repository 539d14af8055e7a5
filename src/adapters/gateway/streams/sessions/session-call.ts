// Turns a request of an order session into a call for the request pipeline, with the same checks, routes and limits as
// over HTTP. The call is answered by a frame. The parameters of the request, sorted by name, become the text whose
// signature is checked, as on Binance's connections.

import {
  type CallResponse,
  type CallWatch,
  contentTypes,
  HttpCall,
  type Method,
} from "../../server/http-call.ts";
import type { StreamConnection } from "../stream-connection.ts";

/** Request ids that an answer can repeat. */
export type SessionId = string | number | null;

/** A parameter as it may arrive in JSON. */
export type SessionValue = string | number | boolean | readonly unknown[];

/** A parameter as text; a list as JSON, because objects in it may have no text of their own. */
export function valueText(value: SessionValue): string {
  return Array.isArray(value) ? JSON.stringify(value) : String(value);
}

/**
 * `name=value` in escaped form, or null for a text with unpaired surrogates, which JSON can hold but a query cannot.
 */
function pairOf(name: string, value: string): string | null {
  try {
    return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  } catch {
    return null;
  }
}

/**
 * The parameters as a query, sorted by name with the signature last. If a parameter is illegal, the result is its name
 * instead.
 */
export function queryOf(
  parameters: Readonly<Record<string, SessionValue>>,
): { readonly query: string } | { readonly illegal: string } {
  const names = Object.keys(parameters).filter((name) => name !== "signature");
  if (parameters["signature"] !== undefined) names.push("signature");
  const end = names.at(-1) === "signature" ? names.length - 1 : names.length;
  const sorted = [...names.slice(0, end).sort(), ...names.slice(end)];
  const pairs: string[] = [];
  for (const name of sorted) {
    const pair = pairOf(name, valueText(parameters[name] ?? ""));
    if (pair === null) return { illegal: name };
    pairs.push(pair);
  }
  return { query: pairs.join("&") };
}

/** Writes an answer as a frame: status, result or error, and the limits used. */
class FrameResponse implements CallResponse {
  readonly #connection: StreamConnection;
  readonly #id: SessionId;
  readonly #showsLimits: boolean;
  /** The call being answered. */
  call: HttpCall | null = null;
  #isJson = false;
  #status = 200;

  constructor(connection: StreamConnection, id: SessionId, showsLimits: boolean) {
    this.#connection = connection;
    this.#id = id;
    this.#showsLimits = showsLimits;
  }

  cork(write: () => void): void {
    write();
  }

  writeStatus(line: string): void {
    this.#status = Number.parseInt(line, 10);
  }

  writeHeader(name: string, value: string): void {
    if (name === "content-type") this.#isJson = value.startsWith(contentTypes.json);
  }

  end(body: string): void {
    const text = this.#isJson ? body : JSON.stringify(body);
    const field = this.#status === 200 ? "result" : "error";
    const limits = this.#showsLimits ? `,"rateLimits":[${limitRows(this.call)}]` : "";
    this.#connection.answer(
      `{"id":${JSON.stringify(this.#id)},"status":${this.#status},"${field}":${text}${limits}}`,
    );
  }

  endWithoutBody(): void {
    this.end("");
  }
}

function limitRow(
  head: `${string} ${string} ${number}`,
  { limit, count }: { limit: number; count: number },
): string {
  const [type, interval, intervalNum] = head.split(" ");
  return (
    `{"rateLimitType":"${type}","interval":"${interval}","intervalNum":${intervalNum}` +
    `,"limit":${limit},"count":${count}}`
  );
}

/** The limits against which a call counts, in Binance's order: first orders, if the call may place any, then weight. */
function limitRows(call: HttpCall | null): string {
  if (call === null || call.limits === null) return "";
  const { weightPerMinute, ordersPer10s, ordersPerMinute } = call.limits;
  const weight = limitRow("REQUEST_WEIGHT MINUTE 1", {
    limit: weightPerMinute,
    count: call.usedWeight,
  });
  if (!call.placesOrders) return weight;
  return [
    limitRow("ORDERS SECOND 10", { limit: ordersPer10s, count: call.ordersPer10s }),
    limitRow("ORDERS MINUTE 1", { limit: ordersPerMinute, count: call.ordersPerMinute }),
    weight,
  ].join(",");
}

export interface SessionCallTerms {
  readonly id: SessionId;
  readonly method: Method;
  readonly path: string;
  readonly query: string;
  readonly apiKey: string;
  readonly receivedMs: number;
  /** True if the answer includes the rate limits. */
  readonly showsLimits: boolean;
}

/** Makes the call for one request of a connection. */
export function sessionCall(
  connection: StreamConnection,
  watch: CallWatch,
  { id, showsLimits, method, path, query, apiKey, receivedMs }: SessionCallTerms,
): HttpCall {
  const response = new FrameResponse(connection, id, showsLimits);
  const { address } = connection;
  const call = new HttpCall(response, watch, { method, path, address, receivedMs });
  call.query = query;
  call.apiKey = apiKey;
  call.view = "compat";
  call.usesMicroseconds = connection.usesMicroseconds;
  response.call = call;
  return call;
}
