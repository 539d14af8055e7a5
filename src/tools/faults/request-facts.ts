// What the fault proxy reads of a request and of its answer: the names by which an order is found again, the market and
// the code. It never needs them: what it cannot read is passed on unread. Secrets, signatures and listen keys are never
// among the facts.

import { RequestParameters, windowEnd } from "../../services/access/signed-request.ts";
import type { FaultSubject } from "./fault-match.ts";

/** The names of one order of a batch or a list. */
interface NamedOrder {
  readonly market: string | null;
  readonly clientOrderId: string | null;
  readonly orderId: string | null;
}

export interface RequestFacts extends FaultSubject, NamedOrder {
  /** The orders of a batch, in its order; empty for other requests. */
  readonly batch: readonly NamedOrder[];
  /** The parameters by name; null if they cannot be read. */
  readonly parameters: RequestParameters | null;
}

export interface AnswerFacts {
  readonly code: number | null;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
  readonly orderStatus: string | null;
  /** How much of the order is filled. */
  readonly filledQty: string | null;
  /** The message of a refusal. */
  readonly message: string | null;
  /** The orders of a batch or a list; empty for other answers. */
  readonly batch: readonly AnswerFacts[];
}

export const noAnswer: AnswerFacts = {
  code: null,
  orderId: null,
  clientOrderId: null,
  orderStatus: null,
  filledQty: null,
  message: null,
  batch: [],
};

/** Orders of a batch that are read; the venue takes fewer. */
const batchMax = 32;

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
    batch: batchOf(parameters?.get("batchOrders")),
    isDepth: path.endsWith("/depth") || method === "depth",
  };
}

function batchOf(text: string | undefined): NamedOrder[] {
  const orders = text === undefined ? null : jsonOf(text);
  if (!Array.isArray(orders)) return [];
  return orders.slice(0, batchMax).map((order: Json | null) => ({
    market: textOf(order?.["symbol"]),
    clientOrderId: textOf(order?.["newClientOrderId"] ?? order?.["origClientOrderId"]),
    orderId: idOf(order?.["orderId"]),
  }));
}

/** The fields of an object as a query; lists and objects as JSON. */
function parameterText(params: unknown): string {
  if (typeof params !== "object" || params === null) return "";
  const texts = Object.entries(params).map(([name, value]): [string, string] => {
    return [name, typeof value === "object" ? JSON.stringify(value) : String(value)];
  });
  return new URLSearchParams(texts).toString();
}

/** Parses JSON; null for other text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

type Json = Readonly<Record<string, unknown>>;

/** Parses a JSON object; null for anything else. */
export function recordOf(text: string): Json | null {
  const value = jsonOf(text);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Json)
    : null;
}

/** The facts of an answer, of a batch's or a list's too, or of the result in a session's frame. */
export function answerFacts(answer: unknown): AnswerFacts {
  if (typeof answer !== "object" || answer === null) return noAnswer;
  if (Array.isArray(answer))
    return { ...noAnswer, batch: answer.slice(0, batchMax).map(answerFacts) };
  const { code, orderId, order_id: nativeId, clientOrderId, status, orders } = answer as Json;
  const { executedQty, filled_qty: nativeFilled, msg, error } = answer as Json;
  return {
    code: typeof code === "number" ? code : null,
    orderId: idOf(orderId ?? nativeId),
    clientOrderId: textOf(clientOrderId),
    orderStatus: textOf(status),
    filledQty: textOf(executedQty ?? nativeFilled),
    message: messageOf(msg ?? error),
    batch: Array.isArray(orders) ? answerFacts(orders).batch : [],
  };
}

function idOf(value: unknown): string | null {
  return typeof value === "number" || typeof value === "string" ? String(value).slice(0, 64) : null;
}

/** A message without tokens: it may repeat what a client sent. */
function messageOf(value: unknown): string | null {
  return typeof value === "string" ? value.slice(0, 200).replace(tokenForm, "*") : null;
}

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
