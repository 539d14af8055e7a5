// What the fault proxy reads of a request and of its answer: the names by which an order is found again, the market and
// the code. It never needs them: what it cannot read is passed on unread. Secrets, signatures and listen keys are never
// among the facts.

import { RequestParameters, windowEnd } from "../../services/access/signed-request.ts";
import type { FaultSubject } from "./fault-match.ts";

export interface RequestFacts extends FaultSubject {
  /** Null if the request carries none. */
  readonly clientOrderId: string | null;
  readonly orderId: string | null;
  /** The parameters by name; null if they cannot be read. */
  readonly parameters: RequestParameters | null;
}

export interface AnswerFacts {
  readonly code: number | null;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
  readonly orderStatus: string | null;
}

export const noAnswer: AnswerFacts = {
  code: null,
  orderId: null,
  clientOrderId: null,
  orderStatus: null,
};

/** Longest path in the log; the venue has no longer ones. */
const pathLengthMax = 256;
/** A listen key or another token in a path. */
const tokenForm = /[A-Za-z0-9]{64}/g;
const symbolForm = /^[A-Za-z0-9_-]{1,32}$/;
const orderNames = ["newClientOrderId", "origClientOrderId", "clientOrderId", "client_order_id"];
const listenKeyForm = /^[A-Za-z0-9]{64}$/;

/** A path without the tokens in it. */
export function shownPath(path: string): string {
  return path.slice(0, pathLengthMax).replace(tokenForm, "*");
}

/** The listen key at the end of a stream's path, or in its query; null if there is none. */
export function listenKeyOf(path: string, query: string): string | null {
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (listenKeyForm.test(last)) return last;
  const named = new URLSearchParams(query);
  const streams = [...(named.get("streams") ?? "").split("/"), named.get("listenKey") ?? ""];
  return streams.find(isListenKey) ?? null;
}

export function isListenKey(text: unknown): text is string {
  return typeof text === "string" && listenKeyForm.test(text);
}

/** The facts of an HTTP request. `body` is its text, empty if it was not read. */
export function httpFacts(
  method: string,
  { path, query }: { readonly path: string; readonly query: string },
  body: string,
): RequestFacts {
  const form = body.startsWith("{") ? parameterText(recordOf(body)) : body;
  return factsOf({ method, path, parameters: parametersOf(query, form) });
}

/** The facts of a request of an order session. */
export function sessionFacts(path: string, method: string, params: unknown): RequestFacts {
  return factsOf({ method, path, parameters: parametersOf(parameterText(params), "") });
}

function parametersOf(query: string, body: string): RequestParameters | null {
  const parsed = RequestParameters.parse(query, body);
  return parsed instanceof RequestParameters ? parsed : null;
}

interface NamedParameters {
  readonly method: string;
  readonly path: string;
  readonly parameters: RequestParameters | null;
}

function factsOf({ method, path, parameters }: NamedParameters): RequestFacts {
  const symbol = parameters?.get("symbol") ?? parameters?.get("market");
  const named = orderNames.map((name) => parameters?.get(name)).find((text) => text !== undefined);
  return {
    ...{ method, path: shownPath(path), parameters, event: "", stream: "" },
    market: symbol !== undefined && symbolForm.test(symbol) ? symbol : null,
    clientOrderId: named?.slice(0, 64) ?? null,
    orderId: parameters?.get("orderId")?.slice(0, 32) ?? null,
    isDepth: path.endsWith("/depth") || method === "depth",
  };
}

/** The scalar fields of an object as a query. */
function parameterText(params: unknown): string {
  if (typeof params !== "object" || params === null) return "";
  const pairs = Object.entries(params).filter(([, value]) => typeof value !== "object");
  const texts = pairs.map(([name, value]): [string, string] => [name, String(value)]);
  return new URLSearchParams(texts).toString();
}

/** Parses a JSON object; null for anything else. */
export function recordOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

/** The facts of an answer or of the result in a session's frame. */
export function answerFacts(answer: unknown): AnswerFacts {
  if (typeof answer !== "object" || answer === null) return noAnswer;
  const { code, orderId, order_id: nativeId, clientOrderId, status } = answer as Json;
  const id = orderId ?? nativeId;
  return {
    code: typeof code === "number" ? code : null,
    orderId: typeof id === "number" || typeof id === "string" ? String(id).slice(0, 64) : null,
    clientOrderId: textOf(clientOrderId),
    orderStatus: textOf(status),
  };
}

type Json = Readonly<Record<string, unknown>>;

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value.slice(0, 64) : null;
}

/** Whether the request's timestamp is outside its window by a clock that shows `nowMs`; false if it carries none. */
export function isOutsideWindow({ parameters }: RequestFacts, nowMs: number): boolean {
  if (parameters?.get("timestamp") === undefined) return false;
  return windowEnd(parameters, nowMs) === "outsideWindow";
}

/** An answer with its field serverTime moved by `skewMs`; microseconds are recognised by their size. */
export function withServerTime(answer: Buffer, skewMs: number): Buffer {
  if (!answer.includes('"serverTime":')) return answer;
  const moved = answer.toString("utf8").replace(/"serverTime":(\d{13,16})/g, (_, time: string) => {
    const shift = time.length === 13 ? skewMs : skewMs * 1000;
    return `"serverTime":${Number(time) + shift}`;
  });
  return Buffer.from(moved);
}
